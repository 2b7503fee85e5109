"""Queries for runs of a session that wait for user input."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg
from sqlalchemy import Integer, bindparam, select

from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.errors import AmbiguousInputError


@dataclass(frozen=True, slots=True, kw_only=True)
class _WaitingRun:
    id: UUID
    takes_text: bool


_WAITING_RUNS: Final = Query(
    select(
        Run.id,
        (Run.pending_input.op("->>")("kind") != "PENDING_INPUT_KIND_APPROVAL").label("takes_text"),
    )
    .where(Run.chat_session_id == bindparam("session_id", type_=Integer), Run.status == "waiting_for_input")
    .order_by(Run.depth, Run.id),
    _WaitingRun,
)


async def run_waiting_for_text(pool: asyncpg.Pool, session_id: int) -> UUID | None:
    """Returns the run of a session that waits for text; None if there is none.

    Raises:
        AmbiguousInputError: Several runs wait for text.
    """
    return _only(session_id, await _WAITING_RUNS.fetch_all(pool, session_id=session_id))


async def waiting_run(pool: asyncpg.Pool, session_id: int) -> UUID | None:
    """Returns the waiting run of a session: one that waits for text, otherwise for approval; None if there is none.

    Raises:
        AmbiguousInputError: Several runs wait for text.
    """
    runs = await _WAITING_RUNS.fetch_all(pool, session_id=session_id)
    return _only(session_id, runs) or (runs[0].id if runs else None)


def _only(session_id: int, runs: list[_WaitingRun]) -> UUID | None:
    waiting = [run.id for run in runs if run.takes_text]
    if len(waiting) > 1:
        raise AmbiguousInputError(
            f"{len(waiting)} runs of chat session {session_id} wait for an answer: name the run that you answer.",
            chat_session_id=session_id,
            run_ids=",".join(map(str, waiting)),
        )
    return waiting[0] if waiting else None
