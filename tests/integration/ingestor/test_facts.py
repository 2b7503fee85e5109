"""The vectors of facts follow their rows: when they change, when they go, after a crash, and into a new collection."""

from typing import Any

import pytest

from echomind_ingestor.facts import indexing
from echomind_ingestor.facts.indexing import FactIndexing
from echomind_lib.access import scopes_of
from echomind_lib.jobs import INDEX_FACTS, Job, enqueue, lease
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.facts.changes import mark_indexed, note_all, oldest_changes
from tests.drivers.stack import Stack
from tests.factories import rows as factories


class Facts:
    """The memories of the stack's person, and what lets their vectors follow."""

    def __init__(self, stack: Stack) -> None:
        self.stack, self.pool = stack, stack.pool
        self.vectors = FactVectors(stack.pool, stack.vectors, stack.embeddings)
        self.indexing = FactIndexing(stack.pool, self.vectors)

    async def remember(self, content: str, **values: Any) -> int:
        given = {"user_id": self.stack.rows.user_id, "content": content, **values}
        memory_id: int = (await factories.memory(self.pool, **given))["id"]
        return memory_id

    async def follow(self) -> None:
        await enqueue(self.pool, INDEX_FACTS)
        job = await lease.claim(self.pool, [INDEX_FACTS], self.stack.worker_id)
        assert isinstance(job, Job)
        await self.indexing.work(job)
        await lease.complete(self.pool, job, again_after=0)

    async def found(self, text: str, user_id: int | None = None) -> list[int]:
        found = await self.vectors.search("memory", scopes_of(self.stack.reader(user_id)), text, 10)
        return [each.id for each in found]

    async def waiting(self) -> int:
        waiting: int = await self.pool.fetchval("SELECT count(*) FROM fact_changes")
        return waiting


@pytest.fixture
def facts(stack: Stack) -> Facts:
    return Facts(stack)


async def test_vectors_follow_new_changed_closed_and_deleted_rows(facts: Facts) -> None:
    tea = await facts.remember("The person drinks green tea in the morning.")
    car = await facts.remember("The person drives a red car.")
    assert await facts.found("tea") == []  # there is no collection yet
    await facts.follow()
    assert await facts.found("Which tea do I drink?") == [tea, car]
    await facts.pool.execute(
        "UPDATE agent_memories SET content = 'The person sails on a blue boat.' WHERE id = $1", tea
    )
    await facts.follow()
    assert await facts.found("my boat") == [tea, car]
    await facts.pool.execute("UPDATE agent_memories SET valid_to = now() WHERE id = $1", car)
    await facts.follow()
    assert await facts.found("my car") == [tea]
    await facts.pool.execute("DELETE FROM agent_memories WHERE id = $1", tea)
    await facts.follow()
    assert await facts.found("my boat") == []
    assert await facts.waiting() == 0


async def test_nobody_finds_anothers(facts: Facts) -> None:
    other = await facts.stack.rows.user("other")
    mine = await facts.remember("The person drinks tea.")
    theirs = await facts.remember("The person drinks tea, too.", user_id=other)
    await facts.follow()
    assert await facts.found("tea") == [mine]
    assert await facts.found("tea", other) == [theirs]


async def test_what_goes_with_its_account_leaves_no_vector(facts: Facts) -> None:
    other = await facts.stack.rows.user("other")
    await facts.remember("The person drinks tea.", user_id=other)
    await facts.follow()
    await facts.pool.execute("DELETE FROM users WHERE id = $1", other)
    await facts.follow()
    collection = f"{facts.stack.collection}_facts"
    assert await facts.stack.vectors.count(collection, {"scope": f"user_{other}"}) == 0


async def test_a_crash_before_the_change_is_forgotten_loses_and_doubles_nothing(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = await facts.remember("The person drinks tea.")

    async def die(*_: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patch:
        patch.setattr(indexing, "mark_indexed", die)
        with pytest.raises(ConnectionError):
            await facts.follow()
    assert await facts.waiting() == 1
    await facts.pool.execute("UPDATE background_jobs SET status = 'pending'")
    await facts.follow()
    assert await facts.found("tea") == [tea]
    assert await facts.waiting() == 0


async def test_a_row_that_changes_while_its_vector_follows_is_followed_again(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = await facts.remember("The person drinks tea.")
    store = facts.vectors.store
    seen: list[str] = []

    async def change(*arguments: Any) -> None:
        if not seen:
            await facts.pool.execute("UPDATE agent_memories SET content = 'The person sails.' WHERE id = $1", tea)
        seen.append(arguments[2][0].text)
        await store(*arguments)

    monkeypatch.setattr(facts.vectors, "store", change)
    await facts.follow()
    assert seen == ["The person drinks tea.", "The person sails."]
    assert await facts.waiting() == 0


async def test_a_new_index_gets_all_facts(facts: Facts) -> None:
    tea = await facts.remember("The person drinks tea.")
    await facts.follow()
    await facts.pool.execute("UPDATE embedding_models SET is_active = FALSE")
    await facts.pool.execute(
        "INSERT INTO embedding_models (model_id, model_name, model_dimension, is_active, sparse_encoder, chunker) "
        "SELECT model_id, 'Next', model_dimension, TRUE, sparse_encoder, chunker FROM embedding_models"
    )
    assert await facts.found("tea") == []
    await facts.follow()
    assert await facts.found("tea") == [tea]


async def test_a_fact_that_is_being_indexed_is_noted_for_a_new_collection(facts: Facts) -> None:
    await facts.remember("The person drinks green tea in the morning.")
    being_indexed = await oldest_changes(facts.pool, 10)
    await note_all(facts.pool)
    await mark_indexed(facts.pool, being_indexed)
    assert await facts.waiting() == 1
