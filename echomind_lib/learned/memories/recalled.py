"""What a run recalls: the memories stored with its answer, and their sources, which its session then draws on."""

from collections.abc import Sequence
from typing import Final

import asyncpg
from sqlalchemy import CTE, BigInteger, Boolean, Integer, any_, bindparam, func, select, true, update
from sqlalchemy.dialects.postgresql import ARRAY, insert

from echomind_lib.db.models import ChatMessage, ChatSessionSource, MemorySource, Run
from echomind_lib.db.statements import Query
from echomind_lib.runs.fence import LeaseLostError, RunLease, exists_in, fenced

_ids = bindparam("memory_ids", type_=ARRAY(Integer))


def _draw_on(run: CTE) -> CTE:
    """Records that the run's session draws on the sources of the memories, which may contain their text."""
    source = MemorySource
    drawn_on = (
        select(run.c.chat_session_id, source.document_id, func.max(source.connector_id))
        .join_from(run, source, true())
        .where(source.memory_id == any_(_ids))
        .group_by(run.c.chat_session_id, source.document_id)
    )
    columns = [ChatSessionSource.chat_session_id, ChatSessionSource.document_id, ChatSessionSource.connector_id]
    return insert(ChatSessionSource).from_select(columns, drawn_on).on_conflict_do_nothing().cte("drawn_on")


_run = fenced(untrusted=Run.untrusted | bindparam("untrusted", type_=Boolean))
_message = (
    update(ChatMessage)
    .where(exists_in(_run), ChatMessage.id == bindparam("message_id", type_=BigInteger))
    .values(memory_ids=_ids)
    .cte("message")
)
_STORE: Final = Query(select(_run.c.chat_session_id).add_cte(_message, _draw_on(_run)), int)


async def store_recalled(pool: asyncpg.Pool, lease: RunLease, memory_ids: Sequence[int], *, untrusted: bool) -> None:
    """Stores which memories are in the prompt of a run, with the message that it writes, and draws on their sources.

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


_found_by = fenced()
_DRAW_ON: Final = Query(select(_found_by.c.chat_session_id).add_cte(_draw_on(_found_by)), int)


async def draw_on_memories(pool: asyncpg.Pool, lease: RunLease, memory_ids: Sequence[int]) -> None:
    """Records that a run's session draws on the sources of memories that the run has found.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    values = {"run_id": lease.run_id, "attempt": lease.attempt, "memory_ids": list(memory_ids)}
    if await _DRAW_ON.fetch_one(pool, **values) is None:
        raise LeaseLostError
