"""Settings of a session that users change, such as its title and whether it is archived."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

import asyncpg
from sqlalchemy import Integer, bindparam, func, select, update

from echomind_lib.conversations.creation import external_id_taken
from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.statements import Query
from echomind_lib.errors import NotFoundError
from echomind_lib.events.log import EventLog
from echomind_lib.events.statements import StoredIds, given_events, origin_of_session, stored_events
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

_SETTINGS: Final = {
    column.key: column
    for column in (
        ChatSession.title,
        ChatSession.title_origin,
        ChatSession.generated_title,
        ChatSession.assistant_id,
        ChatSession.mode,
        ChatSession.goal,
        ChatSession.preferences,
        ChatSession.pinned,
        ChatSession.archived,
        ChatSession.without_memory,
        ChatSession.metadata_,
        ChatSession.external_id,
    )
}

_BESIDE_TITLE: Final = frozenset({"title_origin", "generated_title"})
"""Columns that are updated together with the title."""


@cache
def _change(names: frozenset[str]) -> Query[StoredIds]:
    """Returns the statement that updates settings. It locks the session, then the event log, as for a question."""
    values: dict[Any, Any] = {_SETTINGS[name]: bindparam(name, type_=_SETTINGS[name].type) for name in names}
    if "goal" in names:
        goal = values[ChatSession.goal]
        values[ChatSession.initial_goal] = func.coalesce(ChatSession.initial_goal, ChatSession.goal, goal)
    values[ChatSession.user_id_last_update] = bindparam("user_id", type_=Integer)
    session = (
        update(ChatSession)
        .where(ChatSession.id == bindparam("session_id", type_=Integer), ChatSession.deleted_date.is_(None))
        .values(values)
        .returning(ChatSession.id.label("chat_session_id"))
        .cte("session")
    )
    return Query(select(stored_events(origin_of_session(session), given_events())), StoredIds)


async def change_settings(log: EventLog, session_id: int, user_id: int, settings: Mapping[str, Any]) -> None:
    """Changes settings of a session.

    Args:
        log: Event log to publish the change.
        session_id: The session.
        user_id: ID of the user who requests it, whose access the caller checks.
        settings: The new values, by column name.

    Raises:
        NotFoundError: There is no such session.
        AlreadyExistsError: Another session of its owner has the external ID.
    """
    changed = ", ".join(name.removesuffix("_id").removesuffix("_") for name in settings if name not in _BESIDE_TITLE)
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=f"Changed {changed}")
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_SETTINGS
    query = _change(frozenset(settings))
    try:
        stored = await log.append(query, [event], session_id=session_id, user_id=user_id, **settings)
    except asyncpg.UniqueViolationError as error:
        raise external_id_taken(settings["external_id"]) from error
    if stored is None:
        raise NotFoundError(f"There is no chat session {session_id}.", resource="chat session", id=session_id)
