"""Extracts knowledge from idle sessions."""

from collections.abc import Sequence
from typing import ClassVar, Final

from typing_extensions import override

from echomind_agent.learning.extraction import Changes, Extraction
from echomind_agent.learning.knowledge.operations import MAX_NEW, Operation, answer_schema, read_operations
from echomind_agent.learning.knowledge.prompt import INSTRUCTIONS, extraction_prompt
from echomind_agent.learning.similarity import Store
from echomind_lib.access import Principal, scopes_of
from echomind_lib.db.statements import Connection
from echomind_lib.jobs import EXTRACT_KNOWLEDGE
from echomind_lib.learned.facts import FactKind
from echomind_lib.learned.knowledge.entities import (
    KnownEntity,
    confirm_entity,
    insert_entity,
    learned_from,
    lock_learned,
    may_read_any,
    merge_entities,
    newest_own,
    read_known,
)
from echomind_lib.learned.sessions.kinds import KNOWLEDGE


class KnowledgeStore(Store[KnownEntity]):
    """The entities of a user: their own, and shared ones."""

    kind: ClassVar[FactKind] = "knowledge"

    @override
    def scopes(self, owner: Principal) -> Sequence[str]:
        return scopes_of(owner)

    @override
    async def read(self, connection: Connection, owner: Principal, ids: Sequence[int]) -> list[KnownEntity]:
        return await read_known(connection, owner, ids)

    @override
    async def newest(self, connection: Connection, owner: Principal, limit: int) -> list[KnownEntity]:
        return await newest_own(connection, owner, limit)

    @override
    async def has_others(self, connection: Connection, owner: Principal) -> bool:
        return await may_read_any(connection, owner.user_id)

    @override
    async def lock(self, connection: Connection, owner: Principal) -> None:
        await lock_learned(connection, owner.user_id)

    @override
    def text_of(self, known: KnownEntity) -> str:
        return known.text


async def _carry_out(
    connection: Connection,
    user_id: int,
    operation: Operation,
    known: KnownEntity | None,
    changes: Changes,
) -> None:
    new, targets = operation.new, [target.id for target in operation.targets]
    assert new is not None  # every operation on knowledge writes an entity
    if known is not None and targets in ([], [known.id]):
        # Public knowledge and the person's own entries need no duplicate, and an answer that repeats an entity
        # from its prompt does not confirm it.
        changes.confirmed += new.is_stated and await confirm_entity(connection, user_id, known.id, new)
    elif not targets:
        changes.added += await insert_entity(connection, user_id, new) is not None
    elif await merge_entities(connection, user_id, targets, new):  # its owner may have removed one meanwhile
        changes.replaced += len(targets)


KNOWLEDGE_EXTRACTION: Final = Extraction(
    job=EXTRACT_KNOWLEDGE,
    learning=KNOWLEDGE,
    title="Knowledge",
    instructions=INSTRUCTIONS,
    max_new=MAX_NEW,
    store=KnowledgeStore(),
    prompt=extraction_prompt,
    schema=answer_schema,
    read=read_operations,
    text_of=lambda new: new.text,
    added_by=learned_from,
    carry_out=_carry_out,
)
