"""Sessions as input of learning: their messages, whether it is allowed, and the event about its result."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg
from sqlalchemy import BigInteger, Integer, bindparam, literal, or_, select

from echomind_lib.access.memory import memory_is_on
from echomind_lib.conversations.branches import branch
from echomind_lib.db.expressions import is_written_by
from echomind_lib.db.models import ChatMessage, ChatSession, User
from echomind_lib.db.statements import Connection, Query
from echomind_lib.db.words import MessageRole
from echomind_lib.events.log import LogTransaction
from echomind_lib.events.statements import StoredIds, given_events, origin_of_session, stored_events
from echomind_lib.learned.sessions.watermarks import IdleSession
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionMessage:
    """A message of the branch that a session shows."""

    id: int
    role: MessageRole
    content: str
    creation_date: datetime
    is_owners: bool
    """Whether the session's owner wrote it. What others wrote, or nobody knows who, is context only."""
    was_read: bool
    """Whether it was learned from already, and is context only."""


_session_id = bindparam("session_id", type_=Integer)
_read_to = bindparam("read_message_id", type_=BigInteger)
_CONTEXT: Final = 4
"""Number of messages before the watermark that are included as context."""
_owner = select(ChatSession.user_id).where(ChatSession.id == _session_id).scalar_subquery()
_branch = branch(bindparam("head", type_=BigInteger), literal(0, BigInteger))
_MESSAGES: Final = Query(
    select(
        ChatMessage.id,
        ChatMessage.role,
        ChatMessage.content,
        ChatMessage.creation_date,
        is_written_by(ChatMessage, _owner).label("is_owners"),
        (ChatMessage.id <= _read_to).label("was_read"),
    )
    .join(_branch, _branch.c.id == ChatMessage.id)
    .where(
        ~ChatMessage.discarded,
        ChatMessage.content != "",
        or_(
            ChatMessage.id > _read_to,
            ChatMessage.id.in_(
                select(_branch.c.id).where(_branch.c.id <= _read_to).order_by(_branch.c.id.desc()).limit(_CONTEXT)
            ),
        ),
    )
    .order_by(ChatMessage.id),
    SessionMessage,
)


async def new_messages(pool: asyncpg.Pool, session: IdleSession) -> list[SessionMessage]:
    """Returns the messages of a session that were not learned from, with a few before them as context, in order."""
    return await _MESSAGES.fetch_all(
        pool, session_id=session.id, head=session.head_message_id, read_message_id=session.read_message_id or 0
    )


_IS_ON: Final = Query(
    select(memory_is_on(User, ChatSession) & User.is_active)
    .select_from(User)
    .join(ChatSession, ChatSession.user_id == User.id)
    .where(ChatSession.id == _session_id, ChatSession.deleted_date.is_(None))
    # FOR SHARE: neither row is removed or switched off before the transaction that stores the learned facts commits.
    .with_for_update(read=True),
    bool,
)


async def may_learn_from(connection: Connection, session_id: int) -> bool:
    """Returns whether a session may be learned from: it and its owner exist, and memory is on for it.

    Sessions in notebooks are never learned from, as members' messages stay within the notebook.
    """
    return bool(await _IS_ON.fetch_one(connection, session_id=session_id))


_session = (
    select(ChatSession.id.label("chat_session_id"))
    .where(ChatSession.id == _session_id, ChatSession.deleted_date.is_(None))
    .cte("session")
)
_stored = stored_events(origin_of_session(_session), given_events())
_STORE: Final = Query(select(_stored), StoredIds)


async def note_in_session(transaction: LogTransaction, session_id: int, text: str) -> None:
    """Stores a session's event about what was learned from it."""
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=text)
    await transaction.append(_STORE, [event], session_id=session_id)
