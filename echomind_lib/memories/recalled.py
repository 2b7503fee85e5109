"""The memories in the prompt of an answer, as stored with its message."""

from collections.abc import Sequence
from typing import Final

import asyncpg
from sqlalchemy import BigInteger, Boolean, Integer, bindparam, select, update
from sqlalchemy.dialects.postgresql import ARRAY

from echomind_lib.db.models import ChatMessage, Run
from echomind_lib.db.statements import Query
from echomind_lib.runs.fence import LeaseLostError, RunLease, exists_in, fenced

_run = fenced(untrusted=Run.untrusted | bindparam("untrusted", type_=Boolean))
_message = (
    update(ChatMessage)
    .where(exists_in(_run), ChatMessage.id == bindparam("message_id", type_=BigInteger))
    .values(memory_ids=bindparam("memory_ids", type_=ARRAY(Integer)))
    .cte("message")
)
_STORE: Final = Query(select(_run.c.chat_session_id).add_cte(_message), int)


async def store_recalled(pool: asyncpg.Pool, lease: RunLease, memory_ids: Sequence[int], *, untrusted: bool) -> None:
    """Stores which memories are in the prompt of a run, with the message that it writes.

    Args:
        pool: The database.
        lease: The run.
        memory_ids: The memories, best first.
        untrusted: Whether one of them is based on untrusted text, which then counts as read by the run.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    stored = await _STORE.fetch_one(
        pool,
        run_id=lease.run_id,
        attempt=lease.attempt,
        message_id=lease.run.message_id,
        memory_ids=list(memory_ids),
        untrusted=untrusted,
    )
    if stored is None:
        raise LeaseLostError
