"""The session of a learning job: read at the job's start, and marked as read at its end."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg
from sqlalchemy import BigInteger, Integer, Text, and_, bindparam, false, func, select, true, update
from sqlalchemy.dialects.postgresql import TIMESTAMP, insert

from echomind_lib.db.models import Assistant, ChatSession, SessionLearning
from echomind_lib.db.statements import Connection, Query, columns
from echomind_lib.db.words import LearningKind
from echomind_lib.jobs import Job
from echomind_lib.jobs.lease import held_job
from echomind_lib.learned.sessions.idle import is_idle, last_message
from echomind_lib.learned.sessions.kinds import Learning
from echomind_lib.learned.sessions.models import can_learn, is_paused
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.rows import SESSION_MODEL, model_part


@dataclass(frozen=True, slots=True, kw_only=True)
class IdleSession:
    """An idle session, as read at the start of a learning job."""

    id: int
    user_id: int
    assistant_id: int
    head_message_id: int | None
    """The last message of the shown branch."""
    last_message_id: int
    """The newest message of all branches: the watermark after this job."""
    last_message_at: datetime
    read_message_id: int | None
    """The watermark so far; None if nothing was read yet."""
    model: LlmRecord | None
    """None if no chat model is active."""
    can_learn: bool
    """Whether the model may read it."""
    is_paused: bool
    """Whether learning with the model pauses."""


_session_id = bindparam("session_id", type_=Integer)
_kind = bindparam("kind", type_=Text)
_BEGIN: Final = Query(
    select(
        *columns(
            IdleSession,
            ChatSession,
            last_message_id=last_message(),
            read_message_id=SessionLearning.last_message_id,
            can_learn=can_learn(),
            is_paused=func.coalesce(is_paused(), false()),
        ),
        *model_part("model"),
    )
    .select_from(ChatSession)
    .join(Assistant, Assistant.id == ChatSession.assistant_id)
    .outerjoin(SESSION_MODEL, true())
    .outerjoin(SessionLearning, and_(SessionLearning.chat_session_id == ChatSession.id, SessionLearning.kind == _kind))
    .where(ChatSession.id == _session_id, is_idle()),
    IdleSession,
)


async def begin(pool: asyncpg.Pool, job: Job, learning: Learning, idle_minutes: float) -> IdleSession | None:
    """Returns the session of a job; None if it was removed, or is in use again: it will be found later.

    Args:
        pool: The database.
        job: The job, of this kind of learning.
        learning: The kind of learning.
        idle_minutes: Minutes without messages in it.
    """
    return await _BEGIN.fetch_one(
        pool,
        session_id=int(job.subject_id),
        kind=learning.kind,
        job=learning.job.name,
        idle_seconds=60.0 * idle_minutes,
    )


_held = held_job()
_insert = insert(SessionLearning).from_select(
    ["chat_session_id", "kind", "last_message_id", "read_to"],
    select(
        ChatSession.id,
        _kind,
        bindparam("last_message_id", type_=BigInteger),
        bindparam("read_to", type_=TIMESTAMP(timezone=True)),
    ).where(ChatSession.id == _session_id, _held.c.id.is_not(None)),
)
_marked = (
    _insert.on_conflict_do_update(
        index_elements=[SessionLearning.chat_session_id, SessionLearning.kind],
        set_={"last_message_id": _insert.excluded.last_message_id, "read_to": _insert.excluded.read_to},
        where=SessionLearning.last_message_id.is_not_distinct_from(bindparam("read_message_id", type_=BigInteger)),
    )
    .returning(SessionLearning.chat_session_id, SessionLearning.kind)
    .cte("marked")
)
_recorded = (
    update(ChatSession)
    .where(ChatSession.id == _marked.c.chat_session_id, _marked.c.kind == "knowledge")
    .values(last_knowledge_extraction_at=func.now())
    .cte("recorded")
)
_MARK: Final = Query(select(_marked.c.chat_session_id).add_cte(_recorded), int)


async def mark_read(connection: Connection, job: Job, kind: LearningKind, session: IdleSession) -> bool:
    """Moves the watermark to the messages that a job has read, in the transaction that stores what it has learned.

    Returns:
        False if the lease is lost, another attempt has moved it, or the session was purged: then nothing that was
        learned may be stored.
    """
    marked = await _MARK.fetch_one(
        connection,
        session_id=session.id,
        kind=kind,
        last_message_id=session.last_message_id,
        read_to=session.last_message_at,
        read_message_id=session.read_message_id,
        **job.fence,
    )
    return marked is not None
