"""Model requests outside of runs: for summaries and titles."""

import asyncio
from decimal import Decimal

import asyncpg

from echomind_lib.conversations import usage
from echomind_lib.llms import ChatModel, ChatRequest, Completion, LlmUnavailable, complete
from echomind_lib.llms.prices import cost_of
from echomind_lib.llms.record import LlmRecord


async def complete_for_session(
    pool: asyncpg.Pool, session_id: int, record: LlmRecord, model: ChatModel, request: ChatRequest, *, seconds: float
) -> Completion:
    """Returns a model's answer. Its usage is counted for the session, even if the answer is discarded.

    Args:
        pool: The database.
        session_id: The session of the request.
        record: The model's row, for the price.
        model: The model.
        request: The request.
        seconds: Timeout in seconds.

    Raises:
        LlmError: The model failed or timed out.
    """
    try:
        async with asyncio.timeout(seconds):
            completion = await complete(model, request)
    except TimeoutError:
        raise LlmUnavailable(f"The model took longer than {seconds:.0f} seconds.") from None
    price = cost_of(record, completion.model, completion.usage)
    await usage.add(pool, session_id, completion.usage, price or Decimal(0))
    return completion
