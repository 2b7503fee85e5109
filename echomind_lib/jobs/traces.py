"""Spans of background jobs. Used only while traces are on."""

from collections.abc import Awaitable, Callable
from typing import Final, TypeVar
from uuid import UUID

import asyncpg
from sqlalchemy import BigInteger, bindparam, select

from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.jobs.kinds import (
    EXTRACT_KNOWLEDGE,
    EXTRACT_MEMORIES,
    LEARN_FROM_RUN,
    SUMMARIZE_SESSION,
    TITLE_SESSION,
)
from echomind_lib.jobs.lease import Job
from echomind_lib.telemetry import names, spans

Result = TypeVar("Result")

_OF_SESSIONS: Final = {kind.name for kind in (EXTRACT_KNOWLEDGE, EXTRACT_MEMORIES, SUMMARIZE_SESSION, TITLE_SESSION)}
_OWNER: Final = Query(
    select(ChatSession.user_id).where(ChatSession.id == bindparam("session_id", type_=BigInteger)), int
)
_SESSION: Final = Query(select(Run.chat_session_id).where(Run.id == bindparam("run_id")), int)


async def work_traced(work: Callable[[Job], Awaitable[Result]], job: Job, pool: asyncpg.Pool) -> Result:
    """Executes a job in a span: of the trace of the run that it is about, otherwise of a trace of its own."""
    run_id = UUID(job.subject_id) if job.kind == LEARN_FROM_RUN.name else None
    session_id = int(job.subject_id) if job.kind in _OF_SESSIONS else None
    scope = spans.new_scope(run_id.int if run_id else None)
    if run_id is not None:
        session_id = await _SESSION.fetch_one(pool, run_id=run_id)
    if session_id is not None:
        scope.fields |= {names.SESSION: str(session_id), names.CONVERSATION: str(session_id)}
        if (owner := await _OWNER.fetch_one(pool, session_id=session_id)) is not None:
            scope.fields[names.USER] = str(owner)
    above = spans.span_id_of(run_id) if run_id else None
    attributes: dict[str, spans.Value] = {names.JOB: str(job.id)}
    span = spans.Span(
        scope=scope, name=f"job {job.kind}", parent_id=above, model_parent_id=above, attributes=attributes
    )
    with spans.entered(span):
        return await work(job)
