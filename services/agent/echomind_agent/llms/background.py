"""Model requests beside the answers of runs: for summaries, titles, rewritten questions and what is learned."""

import asyncio
from decimal import Decimal
from typing import Final

import asyncpg

from echomind_lib.conversations import usage
from echomind_lib.db.words import UsageKind
from echomind_lib.llms import ChatModel, ChatRequest, Completion, LlmUnavailable, Message, Usage, complete
from echomind_lib.llms.prices import cost_of
from echomind_lib.llms.record import LlmRecord

_THINKING_TOKENS: Final = 1_024
"""Maximum tokens of a line of a model that thinks before it writes."""


async def complete_for_session(
    pool: asyncpg.Pool,
    session_id: int,
    kind: UsageKind,
    record: LlmRecord,
    model: ChatModel,
    request: ChatRequest,
    *,
    seconds: float,
    api_key_id: int | None = None,
) -> Completion:
    """Returns a model's answer. Its usage is counted for the session and the day, even if the answer is discarded.

    It is charged to the quotas of the session's owner, as `usage.add` does.

    Args:
        pool: The database.
        session_id: The session of the request.
        kind: What the usage is counted as.
        record: The model's row, for the price.
        model: The model.
        request: The request.
        seconds: Timeout in seconds.
        api_key_id: As for `usage.add`.

    Raises:
        LlmError: The model failed or timed out.
    """
    try:
        async with asyncio.timeout(seconds):
            completion = await complete(model, request)
    except TimeoutError:
        raise LlmUnavailable(f"The model took longer than {seconds:.0f} seconds.") from None
    price = cost_of(record, completion.model, completion.usage)
    cost = price or Decimal(0)
    await usage.add(pool, session_id, kind, record.id, completion.usage, cost, api_key_id=api_key_id)
    return completion


async def complete_line(record: LlmRecord, model: ChatModel, prompt: list[Message], tokens: int) -> Completion:
    """Returns a model's answer of one line, and the usage of all that it took.

    A model that writes more than a line is cut off early. One that thinks before it writes has not begun by then, and
    is asked again with room for that.

    Args:
        record: The model's row, for its own limit.
        model: The model.
        prompt: The messages.
        tokens: Maximum tokens of the line.

    Raises:
        LlmError: The model failed.
    """
    used = Usage(0, 0)
    for allowed in (tokens, _THINKING_TOKENS):
        completion = await complete(model, ChatRequest(prompt, max_tokens=min(record.max_tokens or allowed, allowed)))
        used = completion.usage = used.plus(completion.usage)
        if completion.finish_reason != "length" or completion.text.strip():
            break
    return completion
