"""The caller's memories."""

from typing import Final, cast

from typing_extensions import override

from echomind_api.rows import audit, missing
from echomind_lib.access import Principal, require_role
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import Empty
from echomind_lib.db import models as rows
from echomind_lib.db.database import Database
from echomind_lib.db.paging import read_page
from echomind_lib.db.statements import Connection
from echomind_lib.db.words import MemoryType
from echomind_lib.errors import ValidationFailedError
from echomind_lib.learned.facts import FactVectors, index_soon
from echomind_lib.learned.memories import NewMemory, changes, erasure, find_memories
from echomind_lib.learned.memories import rows as stored
from echomind_lib.mappers.columns import pick
from echomind_lib.messaging import Bus
from echomind_lib.models import public
from echomind_lib.secret_text import secret_in
from echomind_lib.text import single_line

_FOUND: Final = 8
_MAX_ID: Final = 2**31 - 1
_IMPORTANCE: Final = 0.5
_CHANGED: Final = ("content", "memory_type", "importance_score", "expires_at")


class Memories(public.MemoryService):
    """The service `MemoryService`."""

    def __init__(self, database: Database, bus: Bus, facts: FactVectors) -> None:
        self._database, self._pool = database, database.pool
        self._bus, self._facts = bus, facts

    @override
    async def list_memories(
        self, request: public.ListMemoriesRequest, call: CallContext
    ) -> public.ListMemoriesResponse:
        kind = _type_word(request.memory_type)
        page = read_page(
            request.page_size,
            request.page_token,
            tuple[int],
            "memories",
            kind,
            request.with_history,
            request.chat_session_id,
            call.principal.user_id,
        )
        found = await stored.list_memories(
            self._pool,
            call.principal,
            before=_MAX_ID if page.after is None else page.after[0],
            limit=page.limit,
            memory_type=kind,
            with_history=request.with_history,
            session_id=request.chat_session_id or None,
        )
        kept, token = page.cut(found, lambda memory: (memory.id,))
        return public.ListMemoriesResponse(
            memories=[public.Memory.from_row(memory) for memory in kept], next_page_token=token
        )

    @override
    async def search_memories(
        self, request: public.SearchMemoriesRequest, call: CallContext
    ) -> public.SearchMemoriesResponse:
        kind = _type_word(request.memory_type)
        found = await find_memories(
            self._pool, self._facts, call.principal, request.query, request.limit or _FOUND, memory_type=kind
        )
        return public.SearchMemoriesResponse(
            hits=[
                public.MemoryHit(memory=public.Memory.from_row(each.memory), cosine=each.cosine, score=each.score)
                for each in found
            ]
        )

    @override
    async def get_memory(self, request: public.GetMemoryRequest, call: CallContext) -> public.Memory:
        return await self._read(call.principal, request.id)

    @override
    async def create_memory(self, request: public.CreateMemoryRequest, call: CallContext) -> public.Memory:
        given = request.memory
        memory = NewMemory(
            memory_type=_type_word(given.memory_type) or "semantic",
            content=_checked(given.content),
            importance=_IMPORTANCE if given.importance_score is None else given.importance_score,
            confidence=1.0,
            trust="user_confirmed",
            expires_at=given.expires_at,
        )
        memory_id = await changes.insert_memory(self._pool, call.principal.user_id, memory)
        await index_soon(self._pool, self._bus)
        return await self._read(call.principal, memory_id)

    @override
    async def update_memory(self, request: public.UpdateMemoryRequest, call: CallContext) -> public.Memory:
        given = pick(
            public.Memory, {name: getattr(request.memory, name) for name in _CHANGED}, request.update_mask or []
        )
        async with self._pool.acquire() as connection, connection.transaction():
            # What is not in the mask stays as another edit, or an extraction, leaves it.
            await changes.lock_memories(connection, call.principal.user_id)
            memory = await self._read(call.principal, request.id, connection)
            changed = memory.model_copy(update=given)
            is_changed = await changes.edit_memory(
                connection,
                call.principal.user_id,
                request.id,
                content=_checked(changed.content),
                memory_type=_type_word(changed.memory_type) or "semantic",
                importance=_IMPORTANCE if changed.importance_score is None else changed.importance_score,
                expires_at=changed.expires_at,
            )
        if not is_changed:
            raise missing("memory", request.id)
        await index_soon(self._pool, self._bus)
        return await self._read(call.principal, request.id)

    @override
    async def delete_memory(self, request: public.DeleteMemoryRequest, call: CallContext) -> Empty:
        await self._read(call.principal, request.id)
        await erasure.erase_memories(self._pool, call.principal.user_id, [request.id])
        await index_soon(self._pool, self._bus)
        return Empty()

    @override
    async def delete_all_memories(
        self, request: public.DeleteAllMemoriesRequest, call: CallContext
    ) -> public.DeleteAllMemoriesResponse:
        user_id = call.principal.user_id
        if request.chat_session_id:
            async with self._pool.acquire() as connection, connection.transaction():
                deleted = await erasure.erase_of_session(connection, user_id, request.chat_session_id)
        else:
            deleted = await erasure.erase_all(self._pool, user_id)
        await index_soon(self._pool, self._bus)
        return public.DeleteAllMemoriesResponse(deleted=deleted)

    @override
    async def erase_memories(
        self, request: public.EraseMemoriesRequest, call: CallContext
    ) -> public.DeleteAllMemoriesResponse:
        require_role(call.principal, "superadmin")
        async with self._database.session() as session:
            if await session.get(rows.User, request.user_id) is None:
                raise missing("user", request.user_id)
            audit(session, call, f"users/{request.user_id}", erased="memories")
        deleted = await erasure.erase_all(self._pool, request.user_id)
        await index_soon(self._pool, self._bus)
        return public.DeleteAllMemoriesResponse(deleted=deleted)

    async def _read(self, reader: Principal, memory_id: int, connection: Connection | None = None) -> public.Memory:
        row = await stored.read_memory(connection or self._pool, reader, memory_id)
        if row is None:
            raise missing("memory", memory_id)
        return public.Memory.from_row(row)


def _type_word(memory_type: public.MemoryType) -> MemoryType | None:
    """Returns the word of a type as stored; None for unspecified."""
    return None if memory_type is public.MemoryType.UNSPECIFIED else cast("MemoryType", memory_type.word)


def _checked(content: str) -> str:
    """Returns the text of a memory as it is stored.

    Raises:
        ValidationFailedError: It is empty, or contains a secret.
    """
    text = single_line(content, stored.MEMORY_CHARACTERS)
    if not text:
        raise ValidationFailedError("A memory needs a text.", content="is empty")
    if (kind := secret_in(text)) is not None:
        rule = f"it holds what looks like {kind}, and secrets are never remembered"
        raise ValidationFailedError(f"content: {rule}.", content=rule)
    return text
