"""Finds what no row names any more: passages in the vector index, files in the object store.

Such things are left when a process dies between storing them and the row that names them, or when a document is removed
while it is indexed. The sweep goes round page by page, at leisure. It begins at a random place, so that it may be
interrupted at any time and still comes by everywhere. What is younger than an hour is left alone, as its row may be
about to be written; so is what belongs to a document that waits or is being processed.
"""

import asyncio
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID, uuid4

import asyncpg
import structlog
from prometheus_client import Counter

from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.errors import EchoMindError
from echomind_lib.objects import ObjectStore, Stored, original_key, text_key
from echomind_lib.vectors import VectorIndex

log = structlog.get_logger(__name__)

_SWEPT = Counter("echomind_ingestor_swept_total", "Leftovers without a row that were removed.", ["kind"])

MINIMUM_AGE_SECONDS = 3600.0
_PAUSE_SECONDS = 20.0
"""Between two pages."""
_PAGE = 1000
_FOLDER = "documents/"

_NAMED = """
SELECT id, signature, chunking_session, processing_session, status IN ('pending', 'processing') AS is_unfinished
FROM documents WHERE id = ANY($1::bigint[])
"""


class Sweep:
    """Removes passages and files that no document names. Several at once do not harm each other."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        objects: ObjectStore,
        vectors: VectorIndex,
        *,
        minimum_age: float = MINIMUM_AGE_SECONDS,
        page: int = _PAGE,
    ) -> None:
        """Takes what it looks through.

        Args:
            pool: The database.
            objects: The files.
            vectors: The passages.
            minimum_age: Seconds that something must be old to be removed.
            page: Files, or passages, that are looked at together.
        """
        self._pool = pool
        self._objects = objects
        self._vectors = vectors
        self._minimum_age = minimum_age
        self._page = page
        self._file = f"{_FOLDER}{secrets.randbelow(9) + 1}"
        self._passages: dict[str, str | None] = {}

    async def work(self) -> None:
        """Sweeps until it is cancelled."""
        while True:
            for step in (self.sweep_files, self.sweep_passages):
                try:
                    await step()
                except (*DATABASE_FAILURES, EchoMindError) as error:
                    log.warning("sweep failed, trying again soon", error=repr(error))
            await asyncio.sleep(_PAUSE_SECONDS)

    async def sweep_files(self) -> bool:
        """Looks at the next page of files; returns whether it was the last one."""
        stored = await self._objects.page(_FOLDER, self._file, self._page)
        owners = {each.key: owner for each in stored if (owner := _owner(each.key)) is not None}
        documents = await self._documents(owners.values())
        youngest = time.time() - self._minimum_age
        doomed = [
            each.key
            for each in stored
            if each.key in owners
            and each.modified.timestamp() < youngest
            and not _is_needed(each, documents.get(owners[each.key]))
        ]
        await self._objects.delete_all(doomed)
        _note("file", doomed)
        is_last = len(stored) < self._page
        self._file = _FOLDER if is_last else stored[-1].key
        return is_last

    async def sweep_passages(self) -> bool:
        """Looks at the next page of passages of each collection; returns whether all these were the last ones."""
        known = await self._pool.fetch("SELECT collection FROM embedding_models")
        present = await self._vectors.collections() & {row["collection"] for row in known}
        for collection in present:
            await self._sweep_collection(collection)
        return not any(self._passages.get(collection) for collection in present)

    async def _sweep_collection(self, collection: str) -> None:
        begin = self._passages.get(collection, str(uuid4()))
        versions, following = await self._vectors.versions(collection, begin, self._page)
        documents = await self._documents(versions.values())
        youngest = time.time() - self._minimum_age
        doomed = [
            session
            for session, document_id in versions.items()
            if _made_at(session) < youngest and not _is_current(session, documents.get(document_id))
        ]
        if doomed:
            await self._vectors.delete(collection, {"chunking_session": doomed})
        _note("passages", doomed)
        self._passages[collection] = following

    async def _documents(self, ids: Iterable[int]) -> Mapping[int, asyncpg.Record]:
        # After what they are to name was read: what has been published meanwhile is named.
        return {row["id"]: row for row in await self._pool.fetch(_NAMED, list(set(ids)))}


def _owner(key: str) -> int | None:
    """The document of a file; None for a name that is not one of ours."""
    parts = key.split("/")
    is_ours = len(parts) == 4 and parts[3] in ("original", "text") and parts[1].isascii() and parts[1].isdecimal()
    return int(parts[1]) if is_ours and len(parts[1]) < 19 else None


def _is_needed(stored: Stored, document: asyncpg.Record | None) -> bool:
    if document is None:
        return False
    named = {original_key(document["id"], document["signature"] or "")}
    named |= {text_key(document["id"], each) for each in _sessions(document)}
    return document["is_unfinished"] or stored.key in named


def _is_current(session: str, document: asyncpg.Record | None) -> bool:
    return document is not None and session in _sessions(document)


def _sessions(document: asyncpg.Record) -> set[str]:
    """The processings whose passages and text a document has."""
    return {str(each) for each in (document["chunking_session"], document["processing_session"]) if each}


def _made_at(session: str) -> float:
    """When a processing began, which its id says (UUID version 7), in seconds since 1970; 0 for other ids."""
    try:
        made = UUID(session)
    except ValueError:
        return 0.0
    return (made.int >> 80) / 1000 if made.version == 7 else 0.0


def _note(kind: str, doomed: Sequence[str]) -> None:
    if doomed:
        _SWEPT.labels(kind).inc(len(doomed))
        log.info("removed what no document names", kind=kind, count=len(doomed), first=doomed[0])
