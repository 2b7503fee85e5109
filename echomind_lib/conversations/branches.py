"""Branches of a session's message tree: their messages, and which branch is shown."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    CTE,
    BigInteger,
    ColumnElement,
    Integer,
    SQLColumnExpression,
    and_,
    bindparam,
    func,
    select,
    update,
)
from sqlalchemy.orm import aliased

from echomind_lib.conversations import checkpoints
from echomind_lib.conversations.locks import lock_idle_session
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.statements import Connection, Query
from echomind_lib.db.words import MessageRole, MessageStatus
from echomind_lib.errors import NotFoundError, ValidationFailedError
from echomind_lib.events.log import EventLog
from echomind_lib.events.statements import StoredIds, given_events, origin_of_session, stored_events
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

_session_id = bindparam("session_id", type_=Integer)
_message_id = bindparam("message_id", type_=BigInteger)


def branch(last: SQLColumnExpression[Any], after: SQLColumnExpression[Any]) -> CTE:
    """Returns `last` and its ancestors with ids above `after`: `id`, `parent_message_id`.

    A message's id is always greater than its parent's, so a page of a long branch reads only that page.
    """
    above = aliased(ChatMessage, name="above")
    messages = (
        select(ChatMessage.id, ChatMessage.parent_message_id)
        .where(ChatMessage.id == last, ChatMessage.id > after)
        .cte("branch", recursive=True)
    )
    return messages.union_all(
        select(above.id, above.parent_message_id)
        .join_from(messages, above, above.id == messages.c.parent_message_id)
        .where(above.id > after)
    )


def _newest_answer(*roots: ColumnElement[bool]) -> Query[int | None]:
    """Returns a statement that selects the newest answer among messages and their descendants."""
    message = aliased(ChatMessage, name="message")
    below = select(ChatMessage.id, ChatMessage.role).where(*roots).cte("below", recursive=True)
    below = below.union_all(
        select(message.id, message.role).join_from(below, message, message.parent_message_id == below.c.id)
    )
    return Query(select(func.max(below.c.id)).where(below.c.role == "assistant"), int)


NEWEST_BELOW: Final = _newest_answer(ChatMessage.id == _message_id)
"""Selects the newest answer among a message and its descendants."""
NEWEST_OF_ALL: Final = _newest_answer(
    and_(ChatMessage.chat_session_id == _session_id, ChatMessage.parent_message_id.is_(None))
)
"""Selects the newest answer of a session."""

_moved = (
    update(ChatSession)
    .where(ChatSession.id == _session_id)
    .values(head_message_id=_message_id, user_id_last_update=bindparam("user_id", type_=Integer))
    .returning(ChatSession.id.label("chat_session_id"))
    .cte("moved")
)
_MOVE: Final = Query(select(stored_events(origin_of_session(_moved), given_events())), StoredIds)


async def move_head(log: EventLog, session_id: int, message_id: int, user_id: int, *, to_latest: bool = False) -> None:
    """Switches a session to another branch, or removes its last messages from view. Saves a checkpoint first.

    Args:
        log: Event log to publish the move; nothing is published if the head does not move.
        session_id: The session.
        message_id: The answer that becomes the head; 0 means none, so that the next question starts the session again.
        user_id: ID of the user who requests it, whose access the caller checks.
        to_latest: Whether to move the head to the newest answer after that message (which may be a question then).

    Raises:
        NotFoundError: There is no such session, or no such message in it.
        ValidationFailedError: The message is not an answer.
        RunActiveError: The session has a run that is not finished.
    """
    async with log.transaction() as transaction:
        connection = transaction.connection
        session = await lock_idle_session(connection, session_id)
        target = await _target(connection, session_id, message_id, to_latest=to_latest)
        if target == session.head_message_id:
            return
        await checkpoints.create(transaction, session_id, "auto", "Before going to another message")
        event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text="Went to another message")
        event.session_changed.change = session_event_pb2.SESSION_CHANGE_HEAD_MOVED
        if target is not None:
            event.session_changed.head_message_id = target
        await transaction.append(_MOVE, [event], session_id=session_id, message_id=target, user_id=user_id)


async def _target(connection: Connection, session_id: int, message_id: int, *, to_latest: bool) -> int | None:
    """Returns the answer that becomes the head; None stands for the start of the session."""
    if message_id:
        role = (await read_position(connection, session_id, message_id)).role
        if role != "assistant" and not to_latest:
            raise not_an_answer(message_id, ", or ask for the newest answer below it (`to_latest`)")
    if not to_latest:
        return message_id or None
    if not message_id:
        return await NEWEST_OF_ALL.fetch_one(connection, session_id=session_id)
    newest = await NEWEST_BELOW.fetch_one(connection, message_id=message_id)
    if newest is None:
        raise not_an_answer(message_id, ": this one has none; regenerate it to have it answered")
    return newest


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePosition:
    """The position of a message in its session."""

    role: MessageRole
    status: MessageStatus
    run_id: UUID | None


_POSITION: Final = Query(
    select(ChatMessage.role, ChatMessage.status, ChatMessage.run_id).where(
        ChatMessage.id == _message_id, ChatMessage.chat_session_id == _session_id
    ),
    MessagePosition,
)


async def read_position(connection: Connection, session_id: int, message_id: int) -> MessagePosition:
    """Returns the position of a message in its session.

    Raises:
        NotFoundError: The session has no such message.
    """
    found = await _POSITION.fetch_one(connection, session_id=session_id, message_id=message_id)
    if found is None:
        raise NotFoundError(
            f"There is no message {message_id} in this chat session.", resource="message", id=message_id
        )
    return found


def not_an_answer(message_id: int, advice: str = "") -> ValidationFailedError:
    """Returns the error for a message that is not an answer."""
    return ValidationFailedError(
        f"Message {message_id} is not an answer: name an answer of this session{advice}.",
        message_id="must be an answer",
    )
