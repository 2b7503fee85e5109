"""Carries removals out: what is kept of removed documents leaves the vector index, the object store and the database.

Searches leave removed documents out from the moment their rows, or their connectors', say so. This clears away what is
left, in batches that hold nobody up: first the passages of all of them, then their files with their rows. Every part
can be repeated, so whatever interrupts it, it is continued by the rows that are still there.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress

import asyncpg
import structlog
from prometheus_client import Counter

from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.errors import EchoMindError
from echomind_lib.objects import ObjectStore, original_key, text_key
from echomind_lib.vectors import VectorIndex

log = structlog.get_logger(__name__)

_REMOVED = Counter("echomind_ingestor_documents_removed_total", "Documents whose removal was carried out.")

_INTERVAL_SECONDS = 10.0
_HIDE_BATCH = 5000
_INDEX_BATCH = 500
_FILES_BATCH = 100
_FILES_SECONDS = 10.0
"""How long files are removed before passages of newer removals have their turn. Looking for those goes through all
rows that are left, so it must not be done for each batch."""
_PASSAGES_AT_ONCE = 1000
"""Passages of one removal from the vector index: queries wait for it, 10 to 20 ms."""

# From here on no worker publishes them, and none begins to process them.
_HIDE = """
UPDATE documents SET deleted_date = now()
WHERE id IN (
    SELECT documents.id FROM documents JOIN connectors ON connectors.id = documents.connector_id
    WHERE connectors.deleted_date IS NOT NULL AND documents.deleted_date IS NULL LIMIT $1)
"""
_INDEXED = """
SELECT id, chunk_count FROM documents
WHERE deleted_date IS NOT NULL AND (chunk_count > 0 OR status <> 'completed') AND id > $1 ORDER BY id LIMIT $2
"""
_NOT_INDEXED = """
UPDATE documents SET chunk_count = 0, status = 'completed', processing_session = NULL, worker_id = NULL
WHERE id = ANY($1::bigint[]) AND deleted_date IS NOT NULL
"""
_STORED = """
SELECT id, signature, chunking_session FROM documents
WHERE deleted_date IS NOT NULL AND chunk_count = 0 AND status = 'completed' AND id > $1 ORDER BY id LIMIT $2
"""
_FORGET = "DELETE FROM documents WHERE id = ANY($1::bigint[]) AND deleted_date IS NOT NULL RETURNING id"
_EMPTY_CONNECTORS = """
SELECT id FROM connectors
WHERE deleted_date IS NOT NULL AND NOT EXISTS (SELECT FROM documents WHERE connector_id = connectors.id) LIMIT 100
"""
_FORGET_CONNECTORS = """
DELETE FROM connectors
WHERE id = ANY($1) AND deleted_date IS NOT NULL
    AND NOT EXISTS (SELECT FROM documents WHERE connector_id = connectors.id)
"""


class Removal:
    """Removes what is kept of documents and connectors that were removed. Two of them do not harm each other."""

    def __init__(self, pool: asyncpg.Pool, objects: ObjectStore, vectors: VectorIndex) -> None:
        self._pool = pool
        self._objects = objects
        self._vectors = vectors
        self._asked = asyncio.Event()

    async def work(self) -> None:
        """Carries removals out until it is cancelled: at once when woken, others every few seconds."""
        while True:
            self._asked.clear()
            try:
                await self.run()
            except (*DATABASE_FAILURES, EchoMindError) as error:
                log.warning("removal failed, trying again soon", error=repr(error))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._asked.wait(), _INTERVAL_SECONDS)

    def wake(self) -> None:
        """Says that something was removed."""
        self._asked.set()

    async def run(self) -> int:
        """Carries out all removals that there are, those too that come meanwhile.

        Returns:
            How many documents.

        Raises:
            EchoMindError: Vector index or object store do not answer. What is left is for the next run.
        """
        removed = 0
        while True:
            while await self._hide():
                pass
            await self._remove_passages()
            if not (done := await self._remove_files()):
                break
            removed += done
        await self._remove_connectors()
        if removed:
            log.info("removals carried out", documents=removed)
        return removed

    async def _hide(self) -> bool:
        changed: str = await self._pool.execute(_HIDE, _HIDE_BATCH)
        return changed != "UPDATE 0"

    async def _remove_passages(self) -> None:
        last = 0
        while rows := await self._pool.fetch(_INDEXED, last, _INDEX_BATCH):
            for documents in _groups(rows):
                await self._remove_points("document_id", documents)
            await self._pool.execute(_NOT_INDEXED, [row["id"] for row in rows])
            last = rows[-1]["id"]

    async def _remove_files(self) -> int:
        """Removes files and rows of documents that have no passages any more, for a while; returns how many."""
        removed = last = 0
        until = time.monotonic() + _FILES_SECONDS
        while time.monotonic() < until and (rows := await self._pool.fetch(_STORED, last, _FILES_BATCH)):
            await self._objects.delete_all(list(_keys(rows)))
            deleted = await self._pool.fetch(_FORGET, [row["id"] for row in rows])
            _REMOVED.inc(len(deleted))
            removed += len(deleted)
            last = rows[-1]["id"]
        return removed

    async def _remove_connectors(self) -> None:
        while rows := await self._pool.fetch(_EMPTY_CONNECTORS):
            connectors = [row["id"] for row in rows]
            await self._remove_points("connector_id", connectors)
            if await self._pool.execute(_FORGET_CONNECTORS, connectors) == "DELETE 0":
                return

    async def _remove_points(self, field: str, ids: list[int]) -> None:
        known = await self._pool.fetch("SELECT collection FROM embedding_models")
        for collection in await self._vectors.collections() & {row["collection"] for row in known}:
            await self._vectors.delete(collection, {field: ids})


def _groups(rows: Iterable[asyncpg.Record]) -> Iterator[list[int]]:
    """Documents that have about `_PASSAGES_AT_ONCE` passages together, at least one."""
    group: list[int] = []
    passages = 0
    for row in rows:
        if group and passages + row["chunk_count"] > _PASSAGES_AT_ONCE:
            yield group
            group, passages = [], 0
        group.append(row["id"])
        passages += row["chunk_count"]
    if group:
        yield group


def _keys(rows: Iterable[asyncpg.Record]) -> Iterator[str]:
    """Files of the documents' current versions; what else an interrupted processing left is for the sweep."""
    for row in rows:
        if row["signature"]:
            yield original_key(row["id"], row["signature"])
        if row["chunking_session"]:
            yield text_key(row["id"], row["chunking_session"])
