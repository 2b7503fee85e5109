"""Permanent deletion of memories: with the memories that they superseded, or all whose only source is a conversation.

A memory has several sources if several conversations say it: `source_session_id` is the first one, and
`source_message_ids` has the messages of all. A removed conversation is no longer a source.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    and_,
    any_,
    bindparam,
    case,
    cast,
    delete,
    exists,
    func,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import aliased

from echomind_lib.db.holds import held_refused
from echomind_lib.db.models import AgentMemory, ChatMessage, ChatSession
from echomind_lib.db.statements import Command, Connection

_ids = bindparam("memory_ids", type_=ARRAY(Integer))
_user_id = bindparam("user_id", type_=Integer)
_session_id = bindparam("session_id", type_=Integer)
_is_source = ChatMessage.id == any_(AgentMemory.source_message_ids)


def is_from(session_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Returns the condition that a session is a source of a memory."""
    says_it = exists().where(_is_source, ChatMessage.chat_session_id == session_id)
    return or_(AgentMemory.source_session_id == session_id, says_it)


def is_from_alone(session_id: ColumnElement[int]) -> ColumnElement[bool]:
    """Returns the condition that a session is the only source of a memory that remains.

    A memory that a person has written has that person as a source, even if conversations say it, too.
    """
    first = exists().where(
        ChatSession.id == AgentMemory.source_session_id,
        ChatSession.id != session_id,
        ChatSession.deleted_date.is_(None),
    )
    other = (
        select(ChatMessage.id)
        .join(ChatSession, ChatSession.id == ChatMessage.chat_session_id)
        .where(_is_source, ChatSession.id != session_id, ChatSession.deleted_date.is_(None))
        .correlate(AgentMemory)
        .exists()
    )
    by_hand = and_(AgentMemory.source_session_id.is_(None), AgentMemory.trust == "user_confirmed")
    return and_(is_from(session_id), ~first, ~other, ~by_hand)


def _with_history() -> Command:
    """Returns the statement that deletes memories and, recursively, the memories that they superseded."""
    first = select(AgentMemory.id).where(AgentMemory.id == any_(_ids), AgentMemory.user_id == _user_id)
    chain = first.cte("chain", recursive=True)
    older = aliased(AgentMemory, name="older")
    chain = chain.union(select(older.id).join(chain, older.superseded_by == chain.c.id))
    return Command(delete(AgentMemory).where(AgentMemory.id.in_(select(chain.c.id))))


_ERASE: Final = _with_history()
_ERASE_ALL: Final = Command(delete(AgentMemory).where(AgentMemory.user_id == _user_id))
_ERASE_OF_SESSION: Final = Command(
    delete(AgentMemory).where(AgentMemory.user_id == _user_id, is_from_alone(_session_id))
)
_message = func.unnest(AgentMemory.source_message_ids).column_valued("message_id")
_other_messages = (
    select(func.coalesce(func.array_agg(_message), cast([], ARRAY(BigInteger))))
    .where(~exists().where(ChatMessage.id == _message, ChatMessage.chat_session_id == _session_id))
    .correlate(AgentMemory)
    .scalar_subquery()
)
_other_session = (
    select(func.min(ChatMessage.chat_session_id))
    .where(_is_source, ChatMessage.chat_session_id != _session_id)
    .correlate(AgentMemory)
    .scalar_subquery()
)
_FORGET_SESSION: Final = Command(
    update(AgentMemory)
    .where(AgentMemory.user_id == _user_id, is_from(_session_id))
    .values(
        source_message_ids=_other_messages,
        source_session_id=case(
            (AgentMemory.source_session_id == _session_id, _other_session), else_=AgentMemory.source_session_id
        ),
    )
)


async def erase_memories(connection: Connection, user_id: int, ids: Sequence[int]) -> int:
    """Deletes memories of a person permanently, with all that they superseded; returns the number of deleted rows.

    Raises:
        DeletionHeldError: A legal hold keeps them.
    """
    with held_refused():
        return await _ERASE.execute(connection, user_id=user_id, memory_ids=list(ids))


async def erase_all(connection: Connection, user_id: int) -> int:
    """Deletes all memories of a person permanently; returns the number of deleted rows."""
    return await _ERASE_ALL.execute(connection, user_id=user_id)


async def erase_of_session(connection: Connection, user_id: int, session_id: int) -> int:
    """Deletes the memories of a person whose only source is a session, in the caller's transaction.

    It is removed from the sources of others. Memories superseded by a deleted one are kept if they have other sources.

    Returns:
        The number of deleted rows.
    """
    erased = await _ERASE_OF_SESSION.execute(connection, user_id=user_id, session_id=session_id)
    await _FORGET_SESSION.execute(connection, user_id=user_id, session_id=session_id)
    return erased
