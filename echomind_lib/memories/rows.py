"""Memories as stored: read for their owner, written, closed and erased."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    BindParameter,
    Boolean,
    ColumnElement,
    Integer,
    Text,
    and_,
    any_,
    bindparam,
    cast,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, DOUBLE_PRECISION, TIMESTAMP
from sqlalchemy.orm import aliased

from echomind_lib.access import Principal
from echomind_lib.access.rules import memories
from echomind_lib.access.sources import sources_readable
from echomind_lib.db.models import AgentMemory, ChatSessionSource, MemorySource
from echomind_lib.db.statements import Command, Connection, Query
from echomind_lib.db.words import MemoryTrust, MemoryType

MEMORY_CHARACTERS: Final = 2_000
"""Longest text of a memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """A memory of a person."""

    id: int
    user_id: int
    memory_type: MemoryType
    content: str
    importance_score: float
    confidence: float
    trust: MemoryTrust
    access_count: int
    last_accessed_at: datetime | None
    source_session_id: int | None
    source_message_ids: Sequence[int]
    creation_date: datetime
    last_update: datetime | None
    expires_at: datetime | None
    valid_to: datetime | None
    """When it was replaced or withdrawn; None while it is valid."""
    superseded_by: int | None
    """The memory that replaced it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """A memory that is to be stored."""

    memory_type: MemoryType
    content: str
    importance: float = 0.5
    confidence: float = 0.5
    trust: MemoryTrust = "user_said"
    """A derived one was drawn from all that its session has drawn on: who may not read all of that does not see it."""
    session_id: int | None = None
    message_ids: Sequence[int] = ()
    expires_at: datetime | None = None


_COLUMNS: Final = (
    AgentMemory.id,
    AgentMemory.user_id,
    AgentMemory.memory_type,
    AgentMemory.content,
    cast(AgentMemory.importance_score, DOUBLE_PRECISION).label("importance_score"),
    cast(AgentMemory.confidence, DOUBLE_PRECISION).label("confidence"),
    AgentMemory.trust,
    AgentMemory.access_count,
    AgentMemory.last_accessed_at,
    AgentMemory.source_session_id,
    AgentMemory.source_message_ids,
    AgentMemory.creation_date,
    AgentMemory.last_update,
    AgentMemory.expires_at,
    AgentMemory.valid_to,
    AgentMemory.superseded_by,
)
_id = bindparam("memory_id", type_=Integer)
_ids = bindparam("memory_ids", type_=ARRAY(Integer))
_user_id = bindparam("user_id", type_=Integer)


def is_current() -> ColumnElement[bool]:
    """Returns the condition that a memory counts: it was neither replaced nor withdrawn, and has not expired."""
    return and_(
        AgentMemory.valid_to.is_(None), or_(AgentMemory.expires_at.is_(None), AgentMemory.expires_at > func.now())
    )


def _visible() -> ColumnElement[bool]:
    return and_(memories().where(AgentMemory), sources_readable().where(MemorySource.memory_id, AgentMemory.id))


def _reader(principal: Principal) -> dict[str, Any]:
    return {**memories().values(principal), **sources_readable().values(principal)}


_READ: Final = Query(
    select(*_COLUMNS).where(AgentMemory.id == any_(_ids), is_current(), _visible()).order_by(AgentMemory.id), Memory
)
_wanted_type: BindParameter[str | None] = bindparam("memory_type", type_=Text)
_LIST: Final = Query(
    select(*_COLUMNS)
    .where(
        _visible(),
        or_(is_current(), bindparam("with_history", type_=Boolean)),
        or_(
            bindparam("memory_type", type_=Text).is_(None),
            AgentMemory.memory_type == bindparam("memory_type", type_=Text),
        ),
        or_(
            bindparam("session_id", type_=Integer).is_(None),
            AgentMemory.source_session_id == bindparam("session_id", type_=Integer),
        ),
        AgentMemory.id < bindparam("before", type_=BigInteger),
    )
    .order_by(AgentMemory.id.desc())
    .limit(bindparam("most", type_=Integer)),
    Memory,
)
_ONE: Final = Query(select(*_COLUMNS).where(AgentMemory.id == _id, _visible()), Memory)


async def read_memories(connection: Connection, reader: Principal, ids: Sequence[int]) -> list[Memory]:
    """Returns those of some memories that count and that the reader may see."""
    return await _READ.fetch_all(connection, memory_ids=list(ids), **_reader(reader)) if ids else []


async def read_memory(connection: Connection, reader: Principal, memory_id: int) -> Memory | None:
    """Returns a memory, also one that does not count any more; None when the reader may not see it."""
    return await _ONE.fetch_one(connection, memory_id=memory_id, **_reader(reader))


async def list_memories(
    connection: Connection,
    reader: Principal,
    *,
    before: int,
    most: int,
    memory_type: MemoryType | None = None,
    with_history: bool = False,
    session_id: int | None = None,
) -> list[Memory]:
    """Returns a person's memories, newest first.

    Args:
        connection: The database.
        reader: The person.
        before: Only memories with smaller ids.
        most: Maximum number.
        memory_type: Only memories of this type; None for all.
        with_history: Whether to include those that were replaced or withdrawn or have expired.
        session_id: Only memories that were extracted from this session; None for all.
    """
    return await _LIST.fetch_all(
        connection,
        before=before,
        most=most,
        memory_type=memory_type,
        with_history=with_history,
        session_id=session_id,
        **_reader(reader),
    )


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
        user_id_last_update=_user_id,
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
            bindparam("trust", type_=Text) == "derived",
        ),
    )
    .cte("drawn_on")
)
_INSERT: Final = Query(select(_stored.c.id).add_cte(_drawn_on), int)
_CLOSE: Final = Command(
    update(AgentMemory)
    .where(AgentMemory.id == any_(_ids), AgentMemory.user_id == _user_id, AgentMemory.valid_to.is_(None))
    .values(valid_to=func.now())
)
_LOCK_OPEN: Final = Query(
    select(AgentMemory.id)
    .where(AgentMemory.id == any_(_ids), AgentMemory.user_id == _user_id, AgentMemory.valid_to.is_(None))
    .with_for_update(),
    int,
)
_SUCCEED: Final = Command(
    update(AgentMemory)
    .where(AgentMemory.id == any_(_ids), AgentMemory.user_id == _user_id)
    .values(superseded_by=bindparam("superseded_by", type_=Integer))
)
_REINFORCE: Final = Command(
    update(AgentMemory)
    .where(AgentMemory.id == _id, AgentMemory.user_id == _user_id, AgentMemory.valid_to.is_(None))
    .values(
        confidence=func.least(1.0, AgentMemory.confidence + (1.0 - AgentMemory.confidence) / 2),
        importance_score=func.greatest(AgentMemory.importance_score, bindparam("importance", type_=DOUBLE_PRECISION)),
        source_message_ids=AgentMemory.source_message_ids.op("||")(bindparam("message_ids", type_=ARRAY(BigInteger))),
    )
)


_LOCK_CLASS: Final = 7003
"""First key of the advisory locks of people's memories."""
_LOCK: Final = Query(select(func.pg_advisory_xact_lock(_LOCK_CLASS, _user_id).is_(None)), bool)


async def lock_memories(connection: Connection, user_id: int) -> None:
    """Takes a lock so that no other transaction changes a user's memories until this one ends."""
    await _LOCK.fetch_one(connection, user_id=user_id)


async def insert_memory(connection: Connection, user_id: int, memory: NewMemory) -> int:
    """Stores a memory of a person with what it was drawn from, and returns its id."""
    found = await _INSERT.fetch_one(
        connection,
        user_id=user_id,
        memory_type=memory.memory_type,
        content=memory.content,
        importance=memory.importance,
        confidence=memory.confidence,
        trust=memory.trust,
        session_id=memory.session_id,
        message_ids=list(memory.message_ids),
        expires_at=memory.expires_at,
    )
    assert found is not None  # an INSERT of one row
    return found


async def close_memories(connection: Connection, user_id: int, ids: Sequence[int]) -> int:
    """Closes memories of a person, which stay as history; returns how many counted until now."""
    return await _CLOSE.execute(connection, user_id=user_id, memory_ids=list(ids))


async def supersede(connection: Connection, user_id: int, ids: Sequence[int], memory: NewMemory) -> int | None:
    """Closes memories of a person and puts another one in their place, in the caller's transaction.

    Returns:
        Its id; None, and nothing is changed, when one of them does not count any more.
    """
    if len(await _LOCK_OPEN.fetch_all(connection, user_id=user_id, memory_ids=list(ids))) < len(ids):
        return None
    await close_memories(connection, user_id, ids)
    memory_id = await insert_memory(connection, user_id, memory)
    await _SUCCEED.execute(connection, user_id=user_id, memory_ids=list(ids), superseded_by=memory_id)
    return memory_id


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


async def note_use(connection: Connection, user_id: int, ids: Sequence[int]) -> None:
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
    """Changes a memory as its owner says, who has confirmed it by that; returns False when it does not count."""
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


def _with_history() -> Command:
    """Deletes memories and all that they have replaced, step by step back."""
    first = select(AgentMemory.id).where(AgentMemory.id == any_(_ids), AgentMemory.user_id == _user_id)
    chain = first.cte("chain", recursive=True)
    older = aliased(AgentMemory, name="older")
    chain = chain.union(select(older.id).join(chain, older.superseded_by == chain.c.id))
    return Command(delete(AgentMemory).where(AgentMemory.id.in_(select(chain.c.id))))


_ERASE: Final = _with_history()
_ERASE_ALL: Final = Command(delete(AgentMemory).where(AgentMemory.user_id == _user_id))


async def erase_memories(connection: Connection, user_id: int, ids: Sequence[int]) -> int:
    """Deletes memories of a person for good, with all that they had replaced; returns how many rows those were."""
    return await _ERASE.execute(connection, user_id=user_id, memory_ids=list(ids))


async def erase_all(connection: Connection, user_id: int) -> int:
    """Deletes all memories of a person for good; returns how many rows those were."""
    return await _ERASE_ALL.execute(connection, user_id=user_id)


_replaced = aliased(AgentMemory, name="replaced")
_ADDED: Final = Query(
    select(func.count()).where(
        AgentMemory.source_session_id == bindparam("session_id", type_=Integer),
        AgentMemory.source_message_ids != cast([], ARRAY(BigInteger)),
        ~exists().where(_replaced.superseded_by == AgentMemory.id),
    ),
    int,
)


async def added_by(connection: Connection, session_id: int) -> int:
    """Returns how many memories were extracted from a session that replaced none, those of history included."""
    return await _ADDED.fetch_one(connection, session_id=session_id) or 0


_OF_SESSION: Final = Query(
    select(AgentMemory.id).where(
        AgentMemory.source_session_id == bindparam("session_id", type_=Integer), AgentMemory.user_id == _user_id
    ),
    int,
)


async def erase_of_session(connection: Connection, user_id: int, session_id: int) -> int:
    """Deletes the memories of a person that were drawn from a session; returns how many rows those were."""
    found = await _OF_SESSION.fetch_all(connection, user_id=user_id, session_id=session_id)
    return await erase_memories(connection, user_id, found)
