"""Stored memories, read on behalf of their owner."""

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
    exists,
    func,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY, DOUBLE_PRECISION
from sqlalchemy.orm import aliased

from echomind_lib.access import Principal
from echomind_lib.access.rules import memories
from echomind_lib.access.sources import sources_readable
from echomind_lib.db.models import AgentMemory, MemorySource
from echomind_lib.db.statements import Connection, Query, columns
from echomind_lib.db.words import MemoryTrust, MemoryType
from echomind_lib.learned.memories.erasure import is_from_alone

MEMORY_CHARACTERS: Final = 2_000
"""Maximum length of a memory's text."""


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
    has_sources: bool
    """Whether its text may come from documents."""
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
    updated_by: int
    """Its user if they made the last change; 0 if EchoMind did, and if it was never changed."""


_COLUMNS: Final = columns(
    Memory,
    AgentMemory,
    importance_score=cast(AgentMemory.importance_score, DOUBLE_PRECISION),
    confidence=cast(AgentMemory.confidence, DOUBLE_PRECISION),
    has_sources=exists().where(MemorySource.memory_id == AgentMemory.id),
    updated_by=func.coalesce(AgentMemory.user_id_last_update, 0),
)
_id = bindparam("memory_id", type_=Integer)
_ids = bindparam("memory_ids", type_=ARRAY(Integer))
_session_id = bindparam("session_id", type_=Integer)
_requested_type: BindParameter[str | None] = bindparam("memory_type", type_=Text)


def is_current() -> ColumnElement[bool]:
    """Returns the condition that a memory is current: it was neither replaced nor withdrawn, and has not expired."""
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
_LIST: Final = Query(
    select(*_COLUMNS)
    .where(
        _visible(),
        or_(is_current(), bindparam("with_history", type_=Boolean)),
        or_(_requested_type.is_(None), AgentMemory.memory_type == _requested_type),
        or_(_session_id.is_(None), is_from_alone(_session_id)),
        AgentMemory.id < bindparam("before", type_=BigInteger),
    )
    .order_by(AgentMemory.id.desc())
    .limit(bindparam("limit", type_=Integer)),
    Memory,
)
_ONE: Final = Query(select(*_COLUMNS).where(AgentMemory.id == _id, _visible()), Memory)


async def read_memories(connection: Connection, reader: Principal, ids: Sequence[int]) -> list[Memory]:
    """Returns those of the given memories that are current and that the reader may see."""
    return await _READ.fetch_all(connection, memory_ids=list(ids), **_reader(reader)) if ids else []


async def read_memory(connection: Connection, reader: Principal, memory_id: int) -> Memory | None:
    """Returns a memory, even if it is not current; None if the reader may not see it."""
    return await _ONE.fetch_one(connection, memory_id=memory_id, **_reader(reader))


async def list_memories(
    connection: Connection,
    reader: Principal,
    *,
    before: int,
    limit: int,
    memory_type: MemoryType | None = None,
    with_history: bool = False,
    session_id: int | None = None,
) -> list[Memory]:
    """Returns a person's memories, newest first.

    Args:
        connection: The database.
        reader: The person.
        before: Only memories with smaller ids.
        limit: Maximum number of results.
        memory_type: Only memories of this type; None for all.
        with_history: Whether to include replaced, withdrawn and expired ones.
        session_id: Only memories whose only source is this session; None for all.
    """
    return await _LIST.fetch_all(
        connection,
        before=before,
        limit=limit,
        memory_type=memory_type,
        with_history=with_history,
        session_id=session_id,
        **_reader(reader),
    )


_replaced = aliased(AgentMemory, name="replaced")
_ADDED: Final = Query(
    select(func.count()).where(
        AgentMemory.source_session_id == _session_id,
        AgentMemory.source_message_ids != cast([], ARRAY(BigInteger)),
        ~exists().where(_replaced.superseded_by == AgentMemory.id),
    ),
    int,
)


async def added_by(connection: Connection, session_id: int) -> int:
    """Returns how many new memories were extracted from a session, including those that are no longer current."""
    return await _ADDED.fetch_one(connection, session_id=session_id) or 0
