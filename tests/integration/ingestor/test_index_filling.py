"""An index beside the active one: filled from stored passages, killed anywhere, switched, and switched back."""

import asyncio
from typing import Any
from uuid import uuid4

import pytest

from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.errors import DependencyUnavailableError, ValidationFailedError
from echomind_lib.indexes import builds, states
from echomind_lib.learned.facts import FactVectors
from echomind_lib.retrieval import ENCODER_ID, Retriever
from echomind_lib.vectors import VectorIndex
from tests.drivers.index_filling import TEXTS, filling, found, other_index, run, state
from tests.drivers.stack import Stack


async def points(stack: Stack, collection: str) -> dict[str, Any]:
    """All points of a collection with payloads and vectors, by id, in the form in which the engine stores them."""
    from echomind_lib.vectors.qdrant_messages import pb as qdrant

    found: dict[str, Any] = {}
    async for page in stack.vectors.copies(collection):
        request = qdrant.UpsertPoints.FromString(page)
        for point in request.points:
            vectors = point.vectors.vectors.vectors
            dense = [round(value, 4) for value in vectors["dense"].data or vectors["dense"].dense.data]
            sparse = vectors["sparse"]
            found[point.id.uuid] = (
                dict(sorted((key, repr(value)) for key, value in point.payload.items())),
                dense,
                sparse.SerializeToString(deterministic=True),
            )
    return found


async def test_filled_index_equals_a_fresh_one_and_becomes_active(stack: Stack) -> None:
    for name, text in TEXTS.items():
        await stack.index(text, name)
    first_id = await stack.pool.fetchval("SELECT id FROM embedding_models WHERE is_active")
    fresh, before = await points(stack, stack.collection), await found(stack, "How many days of leave?")
    index_id, collection = await other_index(stack)

    await run(filling(stack))
    assert await state(stack, index_id) == (False, None)  # nobody asked for it

    assert await states.begin(stack.pool, index_id)
    await run(filling(stack))
    assert await points(stack, collection) == fresh
    assert await state(stack, index_id) == (True, None)
    assert await state(stack, first_id) == (False, "standby")
    assert await found(stack, "How many days of leave?") == before
    progress = await builds.build_progress(stack.pool, index_id)
    assert (progress.done, progress.failed, progress.chunks_left) == (progress.documents, 0, 0)


async def test_an_index_with_another_encoder_is_built_beside_and_searched_with_it(stack: Stack) -> None:
    await stack.pool.execute("UPDATE embedding_models SET sparse_encoder = 'bm25-1'")
    document_id = await stack.index("Der Jahresurlaub beträgt dreißig Tage.", "urlaub.txt")

    async def found() -> list[int]:
        hits = await stack.retriever.search(stack.reader(), "Wie hoch ist der Urlaubsanspruch?", mode="lexical")
        return [hit.document_id for hit in hits]

    assert await found() == []
    index_id, _ = await other_index(stack)
    await stack.pool.execute("UPDATE embedding_models SET sparse_encoder = $2 WHERE id = $1", index_id, ENCODER_ID)
    await states.begin(stack.pool, index_id)
    assert await found() == []
    await run(filling(stack))
    assert await state(stack, index_id) == (True, None)
    assert await found() == [document_id]


async def test_documents_that_change_meanwhile_are_in_the_new_index(stack: Stack) -> None:
    source = await stack.rows.connector("org")
    leave = await stack.index(TEXTS["leave.md"], "leave.md", connector_id=source)
    travel = await stack.index(TEXTS["travel.txt"], "b.txt", connector_id=source)
    index_id, collection = await other_index(stack)
    await states.begin(stack.pool, index_id)

    class Changing(EmbeddingClient):
        """Replaces one document and removes another while the first passages are embedded."""

        def __init__(self) -> None:
            self.is_done = False

        async def embed_passages(self, texts: Any, model_id: str = "", *, background: bool = False) -> Any:
            if background and not self.is_done:
                self.is_done = True
                await stack.index("# Leave\n\nEverybody has 31 days now.", "leave.md", connector_id=source)
                await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", travel)
                await stack.removal.run()
            return await stack.embeddings.embed_passages(texts, model_id, background=background)

        async def embed_query(self, text: str, model_id: str = "") -> Any:
            return await stack.embeddings.embed_query(text, model_id)

    await run(filling(stack, Changing()))
    assert await state(stack, index_id) == (True, None)
    assert await points(stack, collection) == await points(stack, stack.collection)
    assert "31 days" in (await found(stack, "How many days of leave?"))[0]
    assert {key for key, (payload, *_) in (await points(stack, collection)).items() if str(leave) in str(payload)}


async def test_readers_that_change_while_a_document_is_copied_are_in_the_new_index(stack: Stack) -> None:
    document_id = await stack.index(TEXTS["leave.md"], "leave.md")
    index_id, collection = await other_index(stack)
    await states.begin(stack.pool, index_id)

    class Moving(VectorIndex):
        """Changes who may read it after its readers were read, and before its points are there."""

        async def upsert(self, name: str, batch: Any) -> None:
            await stack.pool.execute(
                "UPDATE connectors SET scope = 'user' WHERE id = (SELECT connector_id FROM documents WHERE id = $1)",
                document_id,
            )
            await stack.vectors.upsert(name, batch)

        def __init__(self) -> None: ...

        def __getattribute__(self, name: str) -> Any:
            if name in {"upsert", "__class__"}:
                return object.__getattribute__(self, name)
            return getattr(stack.vectors, name)

    await run(filling(stack, vectors=Moving()))
    scopes = {payload["scope"] for payload, *_ in (await points(stack, collection)).values()}
    assert len(scopes) == 1
    assert f"user_{stack.rows.user_id}" in scopes.pop()


class Killed(BaseException):
    """A process ends."""


class Fault:
    """Kills at the n-th call of any method of what it wraps."""

    def __init__(self, at: int) -> None:
        self.left = at

    def wrap(self, wrapped: Any) -> Any:
        fault = self

        class Wrapped:
            def __getattr__(self, name: str) -> Any:
                member = getattr(wrapped, name)
                if not callable(member) or name in {"acquire", "transaction"}:
                    return member

                def call(*args: Any, **options: Any) -> Any:
                    fault.left -= 1
                    if fault.left == 0:
                        raise Killed
                    return member(*args, **options)

                return call

        return Wrapped()


async def test_killed_at_every_point_it_continues_to_the_same_index(stack: Stack) -> None:
    for name, text in TEXTS.items():
        await stack.index(text, name)
    fresh = await points(stack, stack.collection)
    first_id = await stack.pool.fetchval("SELECT id FROM embedding_models WHERE is_active")
    kills = 0
    for at in range(1, 200):
        index_id, collection = await other_index(stack)
        await states.begin(stack.pool, index_id)
        fault = Fault(at)
        job = filling(stack, fault.wrap(stack.embeddings), fault.wrap(stack.vectors))
        job._pool = fault.wrap(stack.pool)
        try:
            await run(job)
        except (Killed, BaseExceptionGroup):
            kills += 1
            assert await found(stack, "How many days of leave?")  # questions are answered
            await run(filling(stack))
        assert await state(stack, index_id) == (True, None)
        assert await points(stack, collection) == fresh, at
        async with stack.pool.acquire() as connection, connection.transaction():
            assert await states.switch(connection, first_id, "standby")
        await states.drop(stack.pool, index_id)
        await run(filling(stack))
        assert await state(stack, index_id) == (False, None)
        assert not await stack.vectors.has(collection)
        if fault.left > 0:
            break
    assert kills > 15


async def test_questions_are_answered_while_an_index_is_filled_switched_and_switched_back(stack: Stack) -> None:
    for number in range(30):
        await stack.index(f"# Rule {number}\n\nRule {number} gives everybody {number} days of leave.", f"{number}.md")
    first_id = await stack.pool.fetchval("SELECT id FROM embedding_models WHERE is_active")
    index_id, _ = await other_index(stack)
    answers: list[list[str]] = []
    is_over = asyncio.Event()

    async def ask() -> None:
        while not is_over.is_set():
            answers.append(await found(stack, "How many days of leave does rule 7 give?"))

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(ask())
        await states.begin(stack.pool, index_id)
        await run(filling(stack))
        async with stack.pool.acquire() as connection, connection.transaction():
            assert await states.switch(connection, first_id, "standby")
        is_over.set()
    assert len(answers) > 5
    assert all("Rule 7" in texts[0] for texts in answers)
    assert await state(stack, first_id) == (True, None)


async def test_documents_processed_after_a_switch_are_in_the_kept_index_too(stack: Stack) -> None:
    await stack.index(TEXTS["leave.md"], "leave.md")
    index_id, collection = await other_index(stack)
    await states.begin(stack.pool, index_id)
    await run(filling(stack))
    await stack.index(TEXTS["travel.txt"], "travel.txt")
    await run(filling(stack))
    assert await points(stack, stack.collection) == await points(stack, collection)
    await stack.pool.execute("UPDATE embedding_models SET state_since = now() - interval '25 hours'")
    await run(filling(stack))
    assert not await stack.vectors.has(stack.collection)
    assert "30 days" in (await found(stack, "How many days of leave?"))[0]
    # A third index is filled from the second, although the documents were written to the first.
    third_id, third = await other_index(stack)
    await states.begin(stack.pool, third_id)
    await run(filling(stack))
    assert await state(stack, third_id) == (True, None)
    assert await points(stack, third) == await points(stack, collection)


class Refusing(EmbeddingClient):
    """An embedder that fails for some texts."""

    def __init__(self, stack: Stack, error: Exception, word: str) -> None:
        self._inner, self._error, self._word = stack.embeddings, error, word

    async def embed_passages(self, texts: Any, model_id: str = "", *, background: bool = False) -> Any:
        if any(self._word in text for text in texts):
            raise self._error
        return await self._inner.embed_passages(texts, model_id, background=background)

    async def embed_query(self, text: str, model_id: str = "") -> Any:
        return await self._inner.embed_query(text, model_id)


async def test_a_document_that_fails_does_not_block_and_is_named(stack: Stack) -> None:
    leave, travel = await stack.index(TEXTS["leave.md"], "leave.md"), await stack.index(TEXTS["travel.txt"], "b.txt")
    index_id, _ = await other_index(stack)
    await states.begin(stack.pool, index_id)
    await run(filling(stack, Refusing(stack, ValidationFailedError("too long"), "Trains")))
    assert await state(stack, index_id) == (False, "building")
    progress = await builds.build_progress(stack.pool, index_id)
    assert (progress.documents, progress.done, progress.failed) == (2, 1, 1)
    assert [each.document_id for each in await builds.build_failures(stack.pool, index_id, 5)] == [travel]
    message = await stack.pool.fetchval("SELECT state_message FROM embedding_models WHERE id = $1", index_id)
    assert message.startswith("1 documents could not be copied")
    await builds.retry_failures(stack.pool, index_id)
    await run(filling(stack))
    assert await state(stack, index_id) == (True, None)
    assert leave


async def test_a_model_that_does_not_answer_is_named_and_filling_continues_later(stack: Stack) -> None:
    await stack.index(TEXTS["leave.md"], "leave.md")
    index_id, _ = await other_index(stack)
    await states.begin(stack.pool, index_id)
    away = DependencyUnavailableError("It does not answer.", dependency="embedding")
    await run(filling(stack, Refusing(stack, away, "days")))
    assert await state(stack, index_id) == (False, "building")
    message = await stack.pool.fetchval("SELECT state_message FROM embedding_models WHERE id = $1", index_id)
    assert message == "It does not answer."
    await run(filling(stack))
    assert await state(stack, index_id) == (True, None)
    assert await stack.pool.fetchval("SELECT state_message FROM embedding_models WHERE id = $1", index_id) is None


async def test_memories_are_found_with_the_new_index(stack: Stack) -> None:
    index_id, _ = await other_index(stack)
    user_id = stack.rows.user_id
    await stack.pool.execute(
        "INSERT INTO agent_memories (user_id, memory_type, content, embedding_id) VALUES ($1, 'semantic', $2, $3)",
        user_id,
        "Likes trains.",
        str(uuid4()),
    )
    await states.begin(stack.pool, index_id)
    await run(filling(stack))
    facts = FactVectors(stack.pool, stack.vectors, stack.embeddings)
    assert await facts.search("memory", [f"user_{user_id}"], "trains", 3)


@pytest.mark.parametrize("model", ["multilingual-e5-small-int8"])
async def test_search_embeds_questions_with_the_model_of_the_active_index(stack: Stack, model: str) -> None:
    """A retriever that was made before a switch asks the new model from then on."""
    await stack.index(TEXTS["leave.md"], "leave.md")
    asked: list[str] = []

    class Watched(EmbeddingClient):
        def __init__(self) -> None: ...

        async def get_model(self, model_id: str = "") -> Any:
            return await stack.embeddings.get_model()

        async def embed_passages(self, texts: Any, model_id: str = "", *, background: bool = False) -> Any:
            return await stack.embeddings.embed_passages(texts, background=background)

        async def embed_query(self, text: str, model_id: str = "") -> Any:
            asked.append(model_id)
            return await stack.embeddings.embed_query(text)

    watched = Watched()
    retriever = Retriever.__new__(Retriever)
    retriever.__dict__.update(stack.retriever.__dict__, _embeddings=watched)
    assert await retriever.search(stack.reader(), "How many days of leave?")
    index_id, _ = await other_index(stack, model)
    await states.begin(stack.pool, index_id)
    await run(filling(stack, watched))
    asked.clear()
    assert await retriever.search(stack.reader(), "How many days of leave?")
    assert asked[-1] == model
