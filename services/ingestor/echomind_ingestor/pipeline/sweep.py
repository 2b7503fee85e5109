"""Deletes orphans that no row refers to: chunks in the vector index, files in the object store.

Orphans are left if a process dies between storing data and the row that refers to it, or if a document is removed while
it is indexed. The sweep is a recurring job: each run checks a page of files and one of chunks. A process starts at a
random position, so that all pages are reached even if sweeps are interrupted. Data younger than an hour is kept, as its
row may be about to be written; so is data of documents that are pending or in processing. While a backup is being made,
nothing is deleted.
"""

import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID, uuid4

import asyncpg
import structlog
from prometheus_client import Counter
from typing_extensions import override

from echomind_lib.db.deletion_lock import deletion_lock
from echomind_lib.documents.owners import FOLDER, OWNERS, Owner, document_of
from echomind_lib.indexes import Indexes
from echomind_lib.jobs import SWEEP_LEFTOVERS, Job, JobHandler
from echomind_lib.objects import ObjectStore, Stored

log = structlog.get_logger(__name__)

_SWEPT = Counter("echomind_ingestor_swept_total", "Leftovers without a row that were removed.", ["kind"])

MINIMUM_AGE_SECONDS = 3600.0
_PAGE = 1000


class Sweep(JobHandler[None]):
    """Removes chunks and files that no document names. Safe to run concurrently."""

    kind = SWEEP_LEFTOVERS

    def __init__(
        self,
        pool: asyncpg.Pool,
        objects: ObjectStore,
        indexes: Indexes,
        *,
        minimum_age: float = MINIMUM_AGE_SECONDS,
        page: int = _PAGE,
    ) -> None:
        """Stores its dependencies.

        Args:
            pool: The database.
            objects: The files.
            indexes: The chunks.
            minimum_age: Minimum age in seconds of data to be removed.
            page: Number of files or chunks per page.
        """
        self._pool = pool
        self._objects = objects
        self._indexes = indexes
        self._minimum_age = minimum_age
        self._page = page
        self._file = f"{FOLDER}{secrets.randbelow(9) + 1}"
        self._chunks: dict[str, str | None] = {}

    @override
    async def work(self, job: Job) -> None:
        """Checks one page of files and one of chunks."""
        await self.sweep_files()
        await self.sweep_chunks()

    async def sweep_files(self) -> bool:
        """Checks the next page of files; returns whether it was the last one."""
        stored = await self._objects.page(FOLDER, self._file, self._page)
        ids = {each.key: document_id for each in stored if (document_id := document_of(each.key)) is not None}
        owners = await self._owners(ids.values())
        youngest = time.time() - self._minimum_age

        def is_leftover(file: Stored) -> bool:
            if file.key not in ids or file.modified.timestamp() >= youngest:
                return False
            owner = owners.get(ids[file.key])
            return owner is None or not owner.needs(file.key)

        leftovers = [each.key for each in stored if is_leftover(each)]
        if leftovers:
            async with deletion_lock(self._pool) as may_delete:
                if may_delete:
                    await self._objects.delete_all(leftovers)
                    _note("file", leftovers)
        is_last = len(stored) < self._page
        self._file = FOLDER if is_last else stored[-1].key
        return is_last

    async def sweep_chunks(self) -> bool:
        """Checks the next page of chunks of each collection; returns whether these were the last ones."""
        present = await self._indexes.collections()
        for collection in present:
            await self._sweep_collection(collection)
        return not any(self._chunks.get(collection) for collection in present)

    async def _sweep_collection(self, collection: str) -> None:
        begin = self._chunks.get(collection, str(uuid4()))
        versions, following = await self._indexes.vectors.versions(collection, begin, self._page)
        owners = await self._owners(versions.values())
        youngest = time.time() - self._minimum_age
        leftovers = [
            session
            for session, document_id in versions.items()
            if _started_at(session) < youngest
            and ((owner := owners.get(document_id)) is None or session not in owner.sessions)
        ]
        if leftovers:
            async with deletion_lock(self._pool) as may_delete:
                if may_delete:
                    await self._indexes.vectors.delete(collection, {"chunking_session": leftovers})
                    _note("chunks", leftovers)
        self._chunks[collection] = following

    async def _owners(self, ids: Iterable[int]) -> Mapping[int, Owner]:
        # Read after the listing, so that results published meanwhile have an owner.
        return {owner.id: owner for owner in await OWNERS.fetch_all(self._pool, ids=list(set(ids)))}


def _started_at(session: str) -> float:
    """Returns the start of a processing from its id (UUID version 7), in seconds since 1970; 0 for other ids."""
    try:
        made = UUID(session)
    except ValueError:
        return 0.0
    return (made.int >> 80) / 1000 if made.version == 7 else 0.0


def _note(kind: str, leftovers: Sequence[str]) -> None:
    if leftovers:
        _SWEPT.labels(kind).inc(len(leftovers))
        log.info("orphans removed", kind=kind, count=len(leftovers), first=leftovers[0])
