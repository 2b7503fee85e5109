"""Removal of documents and connectors deletes all of their data and nothing else."""

import asyncio
from typing import Any

import asyncpg
import pytest

from echomind_ingestor.pipeline import removal
from echomind_ingestor.pipeline.removal import Removal
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.objects import ObjectStore
from tests.drivers.stack import Stack


async def is_forgotten(stack: Stack, document_id: int) -> bool:
    """Returns whether a document has left the database, the vector index and the object store."""
    row, sessions = await stack.document(document_id), await stack.sessions(document_id)
    return row is None and sessions == {} and await stack.objects.keys(f"documents/{document_id}/") == []


async def test_a_removed_document_leaves_nothing_and_its_neighbours_stay(stack: Stack) -> None:
    connector = await stack.rows.connector("org")
    removed = await stack.index("The garage opens at six.", connector_id=connector)
    kept = await stack.index("The canteen opens at eleven.", "other.txt", connector_id=connector)
    assert await stack.removal.run() == 0
    await stack.assert_complete(removed)
    await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", removed)
    assert [hit.document_id for hit in await stack.retriever.search(stack.reader(), "When does it open?")] == [kept]
    assert await stack.removal.run() == 1
    assert await is_forgotten(stack, removed)
    assert await stack.removal.run() == 0
    await stack.assert_complete(kept)


async def test_a_removed_connector_goes_with_all_its_documents_whatever_their_state(stack: Stack) -> None:
    connector, other = await stack.rows.connector("org"), await stack.rows.connector("org")
    documents = [await stack.index(f"Text {number}.", f"{number}.txt", connector_id=connector) for number in range(5)]
    documents.append(await stack.add("Never processed.", "waits.txt", connector_id=connector))
    documents.append(await stack.index(b"%PDF-1.7 cut off", "broken.pdf", connector_id=connector))
    kept = await stack.index("The canteen opens at eleven.", connector_id=other)
    await stack.pool.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", connector)
    assert await stack.removal.run() == len(documents)
    for document_id in documents:
        assert await is_forgotten(stack, document_id)
    assert await stack.vectors.count(stack.collection, {"connector_id": connector}) == 0
    assert await stack.pool.fetchval("SELECT count(*) FROM connectors WHERE id = $1", connector) == 0
    await stack.assert_complete(kept)


async def test_a_document_that_is_removed_while_it_is_indexed_leaves_nothing(stack: Stack) -> None:
    document_id = await stack.add("The garage opens at six. " * 500)
    processing = asyncio.ensure_future(stack.process(document_id))
    await stack.claimed(document_id)
    await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", document_id)
    await asyncio.gather(processing, stack.removal.run())
    assert await is_forgotten(stack, document_id)


async def test_a_removal_that_was_interrupted_is_continued(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    document_id = await stack.index("The garage opens at six.")
    await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", document_id)

    async def away(*_: object) -> None:
        raise DependencyUnavailableError("Away.", dependency="s3")

    with monkeypatch.context() as patch:
        patch.setattr(ObjectStore, "delete_all", away)
        with pytest.raises(DependencyUnavailableError):
            await stack.removal.run()
    assert await stack.sessions(document_id) == {}
    assert await stack.document(document_id), "the row names the files that are left"
    assert await stack.removal.run() == 1
    assert await is_forgotten(stack, document_id)


async def test_removals_in_two_processes_at_once_do_no_harm(stack: Stack) -> None:
    connector = await stack.rows.connector("org")
    documents = [await stack.index(f"Text {number}.", f"{number}.txt", connector_id=connector) for number in range(8)]
    await stack.pool.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", connector)
    assert sum(await asyncio.gather(*(stack.removal.run() for _ in range(3)))) == len(documents)
    for document_id in documents:
        assert await is_forgotten(stack, document_id)


class CountingPool:
    """A pool that counts how often each statement is executed."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self.executed: list[str] = []

    def acquire(self) -> Any:
        return self._pool.acquire()

    def get_max_size(self) -> int:
        size: int = self._pool.get_max_size()
        return size

    async def fetch(self, statement: str, *parameters: Any) -> Any:
        self.executed.append(statement)
        return await self._pool.fetch(statement, *parameters)

    async def execute(self, statement: str, *parameters: Any) -> str:
        self.executed.append(statement)
        status: str = await self._pool.execute(statement, *parameters)
        return status


async def test_a_removal_does_not_go_through_all_documents_for_each_batch(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    connector = await stack.rows.connector("org")
    await stack.pool.execute(
        "INSERT INTO documents (connector_id, source_id, title, signature, size_bytes, status) "
        "SELECT $1, number::text, '', 'x', 1, 'completed' FROM generate_series(1, 100) AS number",
        connector,
    )
    await stack.pool.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", connector)
    monkeypatch.setattr(removal, "_FILES_BATCH", 5)
    pool = CountingPool(stack.pool)
    assert await Removal(pool, stack.objects, stack.indexes).run() == 100  # type: ignore[arg-type]
    for scan in (removal._HIDE, removal._INDEXED):
        assert pool.executed.count(scan.sql) <= 3
