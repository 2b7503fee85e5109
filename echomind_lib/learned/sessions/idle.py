"""Finds idle sessions to learn from."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Float,
    Integer,
    Text,
    and_,
    bindparam,
    exists,
    func,
    literal_column,
    or_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP, insert

from echomind_lib import jobs
from echomind_lib.db.models import Assistant, BackgroundJob, ChatMessage, ChatSession, Run, SessionLearning
from echomind_lib.db.statements import Command, Query
from echomind_lib.db.words import ACTIVE_RUN_STATUSES
from echomind_lib.learned.sessions.kinds import LEARNINGS, Learning
from echomind_lib.learned.sessions.models import LOOK_BACK_DAYS, can_learn, is_paused
from echomind_lib.llms.rows import SESSION_MODEL
from echomind_lib.messaging import Bus

_AT_ONCE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Idle:
    id: int
    last_message_id: int
    last_message_at: datetime
    can_learn: bool
    """Whether its chat model may read it."""


def is_idle() -> ColumnElement[bool]:
    """Returns the condition that a listed session is idle: no message for `idle_seconds`, and no active run."""
    rested = func.now() - func.make_interval(0, 0, 0, 0, 0, 0, bindparam("idle_seconds", type_=Float))
    active = exists().where(
        Run.chat_session_id == ChatSession.id, Run.parent_run_id.is_(None), Run.status.in_(ACTIVE_RUN_STATUSES)
    )
    return and_(
        ChatSession.deleted_date.is_(None), ~ChatSession.unlisted, ChatSession.last_message_at < rested, ~active
    )


def last_message() -> ColumnElement[int | None]:
    """Returns the id of a session's newest message."""
    return (
        select(func.max(ChatMessage.id))
        .where(ChatMessage.chat_session_id == ChatSession.id)
        .correlate(ChatSession)
        .scalar_subquery()
    )


def _find() -> Query[_Idle]:
    kind, job = bindparam("kind", type_=Text), bindparam("job", type_=Text)
    since = func.now() - func.make_interval(0, 0, 0, literal_column(str(LOOK_BACK_DAYS)))
    was_read = exists().where(
        SessionLearning.chat_session_id == ChatSession.id,
        SessionLearning.kind == kind,
        SessionLearning.read_to >= ChatSession.last_message_at,
    )
    # Not requested again: a job that is pending, running, or failed since the last message.
    is_requested = exists().where(
        BackgroundJob.unique_key == func.concat(job, ":", ChatSession.id),
        or_(
            BackgroundJob.status.in_(["pending", "running"]),
            and_(BackgroundJob.status == "failed", BackgroundJob.requested_at >= ChatSession.last_message_at),
        ),
    )
    last = last_message()
    return Query(
        select(
            ChatSession.id,
            last.label("last_message_id"),
            ChatSession.last_message_at,
            can_learn().label("can_learn"),
        )
        .select_from(ChatSession)
        .join(Assistant, Assistant.id == ChatSession.assistant_id)
        .outerjoin(SESSION_MODEL, true())
        .where(
            is_idle(),
            ~Assistant.is_draft,
            ChatSession.last_message_at > since,
            ~was_read,
            ~is_requested,
            last.is_not(None),
            func.coalesce(~is_paused(), true()),
        )
        .order_by(ChatSession.last_message_at)
        .limit(_AT_ONCE),
        _Idle,
    )


_FIND: Final = Query.deferred(_find)
_given = (
    func.unnest(
        bindparam("session_ids", type_=ARRAY(Integer)),
        bindparam("message_ids", type_=ARRAY(BigInteger)),
        bindparam("times", type_=ARRAY(TIMESTAMP(timezone=True))),
    )
    .table_valued("id", "last_message_id", "read_to")
    .render_derived(name="given")
)
_upsert = insert(SessionLearning).from_select(
    ["chat_session_id", "kind", "last_message_id", "read_to"],
    select(_given.c.id, bindparam("kind", type_=Text), _given.c.last_message_id, _given.c.read_to),
)
_PASS_BY: Final = Command(
    _upsert.on_conflict_do_update(
        index_elements=[SessionLearning.chat_session_id, SessionLearning.kind],
        set_={"last_message_id": _upsert.excluded.last_message_id, "read_to": _upsert.excluded.read_to},
    )
)


async def find_idle_sessions(pool: asyncpg.Pool, bus: Bus, idle_minutes: float) -> None:
    """Requests learning jobs for idle sessions, except those that the built-in model answered.

    Sessions of a model with which learning pauses stay unread: they are found when it continues.

    Args:
        pool: The database.
        bus: Bus to wake workers.
        idle_minutes: Minutes without messages in a session.
    """
    for learning in LEARNINGS:
        await _find_for(learning, pool, bus, idle_minutes)


async def _find_for(learning: Learning, pool: asyncpg.Pool, bus: Bus, idle_minutes: float) -> None:
    async with pool.acquire() as connection, connection.transaction():
        found = await _FIND.fetch_all(
            connection, kind=learning.kind, job=learning.job.name, idle_seconds=60.0 * idle_minutes
        )
        if passed := [session for session in found if not session.can_learn]:
            await _PASS_BY.execute(
                connection,
                kind=learning.kind,
                session_ids=[session.id for session in passed],
                message_ids=[session.last_message_id for session in passed],
                times=[session.last_message_at for session in passed],
            )
        requested = [session for session in found if session.can_learn]
        for session in requested:
            await jobs.enqueue(connection, learning.job, session.id)
    if requested:
        await jobs.wake(bus, learning.job)
