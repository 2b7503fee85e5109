"""Extracts memories from idle sessions."""

from collections.abc import Sequence
from typing import ClassVar, Final

from typing_extensions import override

from echomind_agent.learning.extraction import Changes, Extraction
from echomind_agent.learning.memory.operations import MAX_NEW, Operation, answer_schema, read_operations
from echomind_agent.learning.memory.prompt import INSTRUCTIONS, extraction_prompt
from echomind_agent.learning.similarity import Store
from echomind_lib.access import Principal
from echomind_lib.db.statements import Connection
from echomind_lib.jobs import EXTRACT_MEMORIES
from echomind_lib.learned.facts import FactKind
from echomind_lib.learned.memories import Memory
from echomind_lib.learned.memories.changes import (
    close_memories,
    fold,
    insert_memory,
    lock_memories,
    reinforce,
    supersede,
)
from echomind_lib.learned.memories.rows import added_by, list_memories, read_memories
from echomind_lib.learned.sessions.kinds import MEMORIES

_MAX_ID: Final = 2**31 - 1


class MemoryStore(Store[Memory]):
    """The memories of a person."""

    kind: ClassVar[FactKind] = "memory"

    @override
    def scopes(self, owner: Principal) -> Sequence[str]:
        return [f"user_{owner.user_id}"]

    @override
    async def read(self, connection: Connection, owner: Principal, ids: Sequence[int]) -> list[Memory]:
        return await read_memories(connection, owner, ids)

    @override
    async def newest(self, connection: Connection, owner: Principal, limit: int) -> list[Memory]:
        return await list_memories(connection, owner, before=_MAX_ID, limit=limit)

    @override
    async def has_others(self, connection: Connection, owner: Principal) -> bool:
        return False

    @override
    async def lock(self, connection: Connection, owner: Principal) -> None:
        await lock_memories(connection, owner.user_id)

    @override
    def text_of(self, known: Memory) -> str:
        return known.content


async def _carry_out(
    connection: Connection,
    user_id: int,
    operation: Operation,
    known: Memory | None,
    changes: Changes,
) -> None:
    memory, targets = operation.new, [target.id for target in operation.targets]
    if memory is None:
        changes.removed += await close_memories(connection, user_id, targets)
        return
    if known is not None and known.memory_type == memory.memory_type:
        is_stated = memory.trust == "user_said"
        if known.trust == "derived" and is_stated:  # only quoted so far, now stated by the person
            targets = sorted({known.id, *targets})
        elif await _keep(connection, user_id, known.id, targets):
            changes.replaced += len(set(targets) - {known.id})
            if is_stated:  # an answer that repeats a memory from its prompt does not confirm it
                message_ids = memory.message_ids
                await reinforce(connection, user_id, known.id, importance=memory.importance, message_ids=message_ids)
                changes.confirmed += 1
            return
    if not targets:
        await insert_memory(connection, user_id, memory)
        changes.added += 1
    elif await supersede(connection, user_id, targets, memory):  # its owner may have removed one meanwhile
        changes.replaced += len(targets)


async def _keep(connection: Connection, user_id: int, known: int, targets: Sequence[int]) -> bool:
    """Lets an existing memory supersede others with the same content; False if one is no longer current."""
    others = [target for target in targets if target != known]
    return await fold(connection, user_id, others, known, merges=len(targets) > 1)


MEMORY_EXTRACTION: Final = Extraction(
    job=EXTRACT_MEMORIES,
    learning=MEMORIES,
    title="Memories",
    instructions=INSTRUCTIONS,
    max_new=MAX_NEW,
    store=MemoryStore(),
    prompt=extraction_prompt,
    schema=answer_schema,
    read=read_operations,
    text_of=lambda new: new.content,
    added_by=added_by,
    carry_out=_carry_out,
)
