"""Changes of memories: stored, closed, superseded, confirmed, edited and used."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from sqlalchemy import BigInteger, Boolean, Integer, Text, any_, bindparam, cast, func, insert, null, select, update
from sqlalchemy.dialects.postgresql import ARRAY, DOUBLE_PRECISION, TIMESTAMP
from sqlalchemy.dialects.postgresql import insert as upsert

from echomind_lib.db.models import AgentMemory, ChatSessionSource, MemorySource
from echomind_lib.db.statements import Command, Connection, Query
from echomind_lib.db.words import MemoryTrust, MemoryType


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """A memory to be stored."""

    memory_type: MemoryType
    content: str
    importance: float = 0.5
    confidence: float = 0.5
    trust: MemoryTrust = "user_said"
    has_sources: bool = False
    """Whether its text may come from what its session has read: it then has all sources of the session, and is hidden
    from readers who may not read all of them."""
    session_id: int | None = None
    message_ids: Sequence[int] = ()
    expires_at: datetime | None = None


_BY_ITSELF: Final[dict[str, Any]] = {"user_id_last_update": null()}
"""Who made a change that EchoMind made by itself: nobody."""
_id = bindparam("memory_id", type_=Integer)
_ids = bindparam("memory_ids", type_=ARRAY(Integer))
_user_id = bindparam("user_id", type_=Integer)
_new = (
    insert(AgentMemory)
    .values(
        user_id=_user_id,
        memory_type=bindparam("memory_type"),
        content=bindparam("content"),
        embedding_id=cast(func.gen_random_uuid(), Text),
        importance_score=bindparam("importance", type_=DOUBLE_PRECISION),
        confidence=bindparam("confidence", type_=DOUBLE_PRECISION),
        trust=bindparam("trust", type_=Text),
        source_session_id=bindparam("session_id", type_=Integer),
        source_message_ids=bindparam("message_ids", type_=ARRAY(BigInteger)),
        expires_at=bindparam("expires_at", type_=TIMESTAMP(timezone=True)),
    )
    .returning(AgentMemory.id)
)
_stored = _new.cte("stored")
_drawn_on = (
    insert(MemorySource)
    .from_select(
        ["memory_id", "document_id", "connector_id"],
        select(_stored.c.id, ChatSessionSource.document_id, ChatSessionSource.connector_id).where(
            ChatSessionSource.chat_session_id == bindparam("session_id", type_=Integer),
            bindparam("has_sources", type_=Boolean),
        ),
    )
    .cte("drawn_on")
)
_INSERT: Final = Query(select(_stored.c.id).add_cte(_drawn_on), int)
_with_messages = AgentMemory.source_message_ids.op("||")(bindparam("message_ids", type_=ARRAY(BigInteger)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    """A current memory, locked."""

    id: int
    message_ids: Sequence[int]


_CLOSE: Final = Command(
    update(AgentMemory)
    .where(AgentMemory.id == any_(_ids), AgentMemory.user_id == _user_id, AgentMemory.valid_to.is_(None))
    .values(valid_to=func.now(), **_BY_ITSELF)
)
_LOCK_OPEN: Final = Query(
    select(AgentMemory.id, AgentMemory.source_message_ids.label("message_ids"))
    .where(AgentMemory.id == any_(_ids), AgentMemory.user_id == _user_id, AgentMemory.valid_to.is_(None))
    .order_by(AgentMemory.id)
    .with_for_update(),
    _Open,
)
_by = bindparam("superseded_by", type_=Integer)
_SUCCEED: Final = Command(
    update(AgentMemory)
    .where(AgentMemory.id == any_(_ids), AgentMemory.user_id == _user_id)
    .values(superseded_by=_by, **_BY_ITSELF)
)
_JOIN_DOCUMENTS: Final = Command(
    upsert(MemorySource)
    .from_select(
        ["memory_id", "document_id", "connector_id"],
        select(_by, MemorySource.document_id, MemorySource.connector_id).where(MemorySource.memory_id == any_(_ids)),
    )
    .on_conflict_do_nothing()
)
_JOIN_MESSAGES: Final = Command(
    update(AgentMemory)
    .where(AgentMemory.id == _id, AgentMemory.user_id == _user_id)
    .values(source_message_ids=_with_messages, **_BY_ITSELF)
)
_REINFORCE: Final = Command(
    update(AgentMemory)
    .where(AgentMemory.id == _id, AgentMemory.user_id == _user_id, AgentMemory.valid_to.is_(None))
    .values(
        confidence=func.least(1.0, AgentMemory.confidence + (1.0 - AgentMemory.confidence) / 2),
        importance_score=func.greatest(AgentMemory.importance_score, bindparam("importance", type_=DOUBLE_PRECISION)),
        source_message_ids=_with_messages,
        **_BY_ITSELF,
    )
)


_LOCK_CLASS: Final = 7003
"""First key of the advisory locks of people's memories."""
_LOCK: Final = Query(select(func.pg_advisory_xact_lock(_LOCK_CLASS, _user_id).is_(None)), bool)


async def lock_memories(connection: Connection, user_id: int) -> None:
    """Takes a lock so that no other transaction changes a user's memories until this one ends."""
    await _LOCK.fetch_one(connection, user_id=user_id)


async def insert_memory(connection: Connection, user_id: int, memory: NewMemory) -> int:
    """Stores a memory of a person with its sources, and returns its id."""
    found = await _INSERT.fetch_one(
        connection,
        user_id=user_id,
        memory_type=memory.memory_type,
        content=memory.content,
        importance=memory.importance,
        confidence=memory.confidence,
        trust=memory.trust,
        has_sources=memory.has_sources or memory.trust == "derived",
        session_id=memory.session_id,
        message_ids=list(memory.message_ids),
        expires_at=memory.expires_at,
    )
    assert found is not None  # an INSERT of one row returns one
    return found


async def close_memories(connection: Connection, user_id: int, ids: Sequence[int]) -> int:
    """Closes memories of a person, which are kept as history; returns how many were current."""
    return await _CLOSE.execute(connection, user_id=user_id, memory_ids=list(ids))


async def supersede(connection: Connection, user_id: int, ids: Sequence[int], memory: NewMemory) -> int | None:
    """Closes memories of a person and stores another one that supersedes them, in the caller's transaction.

    The new memory has the messages of all superseded ones. A derived one also has their documents, as it may contain
    their content.

    Returns:
        Its id; None, without changes, if one of them is no longer current.
    """
    replaced = await _LOCK_OPEN.fetch_all(connection, user_id=user_id, memory_ids=list(ids))
    if len(replaced) < len(ids):
        return None
    if len(replaced) > 1:
        memory = replace(memory, message_ids=_messages(memory.message_ids, *(each.message_ids for each in replaced)))
    await close_memories(connection, user_id, ids)
    memory_id = await insert_memory(connection, user_id, memory)
    if memory.trust == "derived":
        await _JOIN_DOCUMENTS.execute(connection, memory_ids=list(ids), superseded_by=memory_id)
    await _SUCCEED.execute(connection, user_id=user_id, memory_ids=list(ids), superseded_by=memory_id)
    return memory_id


async def fold(connection: Connection, user_id: int, ids: Sequence[int], kept: int, *, merges: bool) -> bool:
    """Closes memories of a person in favour of an existing one, in the caller's transaction.

    Args:
        connection: The transaction.
        user_id: The person.
        ids: The memories to close; may be empty.
        kept: The memory that supersedes them.
        merges: Whether it includes their content, and gets their messages; otherwise it contradicts them.

    Returns:
        False, without changes, if one of them is no longer current.
    """
    open_ones = await _LOCK_OPEN.fetch_all(connection, user_id=user_id, memory_ids=[kept, *ids])
    if len(open_ones) < 1 + len(ids):
        return False
    if ids:
        await close_memories(connection, user_id, ids)
        await _SUCCEED.execute(connection, user_id=user_id, memory_ids=list(ids), superseded_by=kept)
    if merges:
        joined = _messages(*(each.message_ids for each in open_ones if each.id != kept))
        await _JOIN_MESSAGES.execute(connection, user_id=user_id, memory_id=kept, message_ids=joined)
    return True


def _messages(*ids: Sequence[int]) -> list[int]:
    return sorted(set().union(*ids))


async def reinforce(
    connection: Connection, user_id: int, memory_id: int, *, importance: float = 0.0, message_ids: Sequence[int] = ()
) -> None:
    """Records that a memory was confirmed: its confidence rises."""
    await _REINFORCE.execute(
        connection, user_id=user_id, memory_id=memory_id, importance=importance, message_ids=list(message_ids)
    )


_USE: Final = Command(
    update(AgentMemory)
    .where(AgentMemory.id == any_(_ids), AgentMemory.user_id == _user_id)
    .values(access_count=AgentMemory.access_count + 1, last_accessed_at=func.now())
)


async def record_use(connection: Connection, user_id: int, ids: Sequence[int]) -> None:
    """Counts that an answer has used memories of a person."""
    await _USE.execute(connection, user_id=user_id, memory_ids=list(ids))


_EDIT: Final = Command(
    update(AgentMemory)
    .where(AgentMemory.id == _id, AgentMemory.user_id == _user_id, AgentMemory.valid_to.is_(None))
    .values(
        content=bindparam("content"),
        memory_type=bindparam("memory_type"),
        importance_score=bindparam("importance", type_=DOUBLE_PRECISION),
        expires_at=bindparam("expires_at", type_=TIMESTAMP(timezone=True)),
        trust="user_confirmed",
        confidence=1.0,
        user_id_last_update=_user_id,
    )
)


async def edit_memory(
    connection: Connection,
    user_id: int,
    memory_id: int,
    *,
    content: str,
    memory_type: MemoryType,
    importance: float,
    expires_at: datetime | None,
) -> bool:
    """Changes a memory on its owner's request, which also confirms it; returns False if it is not current."""
    changed = await _EDIT.execute(
        connection,
        user_id=user_id,
        memory_id=memory_id,
        content=content,
        memory_type=memory_type,
        importance=importance,
        expires_at=expires_at,
    )
    return changed == 1
