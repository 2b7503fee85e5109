"""Sessions as they are read: with the state of their latest run, for one reader."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    and_,
    case,
    exists,
    func,
    literal,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.orm import aliased

from echomind_api.rows import missing
from echomind_lib.access import Principal, chat_sessions
from echomind_lib.access.sources import sources_readable
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import Page
from echomind_lib.mappers import chat
from echomind_lib.models.public import ChatSession, ListChatSessionsRequest

_Row = rows.ChatSession
_Run = rows.Run
NEWEST = func.coalesce(_Row.last_message_at, _Row.creation_date)
"""When a session was last used, by which lists are ordered."""
_waiting = aliased(_Run, name="waiting")
_RUN_STATUS = case(
    (
        exists(
            select(_waiting.id).where(
                _waiting.status == "waiting_for_input",
                _waiting.user_id == _Row.user_id,
                _waiting.chat_session_id == _Row.id,
            )
        ),
        literal("waiting_for_input"),
    ),
    else_=_Run.status,
)
"""The status of a session's latest run; a run below it may wait for a person while it waits for that one."""
_STATUS = case(
    (_Run.status.in_(["paused", "cancelled"]), _Run.status),
    (and_(_Run.status.in_(["failed", "timeout"]), ~_Run.auto_run), literal("error")),
    else_=_Row.status,
)
"""A session's state. Its column stores the state of its goal; the state of its latest run is read from the run, so that
it is not stored twice."""
_IS_TRIAL = exists().where(rows.Assistant.id == _Row.assistant_id, rows.Assistant.is_draft)
"""Whether a session tries the draft of an assistant."""


def sessions_query(reader: Principal) -> Select[Any]:
    """Returns the statement of sessions, including removed ones, with the columns of `to_session`."""
    readable = sources_readable()
    return (
        select(
            _Row,
            _STATUS.label("status"),
            _Run.error.label("error"),
            _RUN_STATUS.label("run_status"),
            or_(
                and_(_Row.generated_title.is_(None), _Row.compressed_summary.is_(None), _Row.important_steps == []),
                readable.where(rows.ChatSessionSource.chat_session_id, _Row.id),
            ).label("shows_generated"),
        )
        .outerjoin(_Run, _Run.id == _Row.most_recent_run_id)
        .params(readable.values(reader))
    )


def page_of_sessions(
    request: ListChatSessionsRequest, reader: Principal, page: Page[tuple[bool, datetime, int]]
) -> Select[Any]:
    """Returns the statement of a page of the reader's own sessions, even if they may read others'."""
    own = chat_sessions("manage")
    query = sessions_query(reader).where(own.where(_Row), ~_IS_TRIAL, *_listed(request)).params(own.values(reader))
    return page.select(query, _Row.pinned, NEWEST, _Row.id, descending=True)


def _listed(request: ListChatSessionsRequest) -> Iterator[ColumnElement[bool]]:
    """Returns the conditions of the sessions that a request lists."""
    yield ~_Row.unlisted
    if request.removed:
        yield _Row.deleted_date.is_not(None)
    else:
        yield _Row.deleted_date.is_(None)
        yield _Row.archived.is_(request.archived)
    if request.statuses:
        yield _STATUS.in_([status.word for status in request.statuses])
    if request.assistant_id:
        yield type_coerce(_Row.assistant_id, Integer) == request.assistant_id
    if request.external_id:
        yield _Row.external_id == request.external_id
    if request.metadata:
        yield _Row.metadata_.contains(metadata_of(request.metadata))
    if request.notebook_id:
        yield type_coerce(_Row.notebook_id, BigInteger) == request.notebook_id
    if request.has_goal is not None:
        yield _Row.goal.is_not(None) if request.has_goal else _Row.goal.is_(None)


def metadata_of(pairs: Sequence[str]) -> dict[str, str]:
    """Returns the values of `key=value` filters."""
    return {key: value for key, _, value in (pair.partition("=") for pair in pairs)}


def to_session(found: Any, reader: Principal) -> ChatSession:
    """Returns the session of a row of `sessions_query`, as a reader sees it."""
    return chat.to_model(
        found[0],
        found.status,
        found.error,
        found.run_status,
        shows_generated=found.shows_generated,
        own=found[0].user_id == reader.user_id,
    )


async def read_session(database: Database, session_id: int, reader: Principal) -> ChatSession:
    """Reads a session that the caller may read.

    Raises:
        NotFoundError: There is no such session.
    """
    async with database.session() as session:
        found = (
            await session.execute(sessions_query(reader).where(_Row.id == session_id, _Row.deleted_date.is_(None)))
        ).first()
    if found is None:
        raise missing("chat session", session_id)
    return to_session(found, reader)
