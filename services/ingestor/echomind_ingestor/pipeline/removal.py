"""Deletes the data of removed documents from the vector index, the object store and the database.

Searches exclude removed documents as soon as their rows, or their connectors', are marked. This job deletes their data,
in batches that delay nobody: chunks first, and concurrently the files and rows of documents whose chunks are deleted.
Every step can be repeated, and the remaining rows define what is left to do, so an interrupted removal continues. The
sweep finds a file that is stored for a row while that is deleted. While a backup is being made, nothing is deleted.
"""

import asyncio
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg
import structlog
from prometheus_client import Counter
from sqlalchemy import BigInteger, Integer, bindparam, delete, exists, func, or_, select, update
from sqlalchemy.dialects.postgresql import ARRAY
from typing_extensions import override

from echomind_lib.db.deletion_lock import deletion_lock
from echomind_lib.db.models import Connector, Document
from echomind_lib.db.statements import Command, Query
from echomind_lib.indexes import Indexes
from echomind_lib.jobs import REMOVE_DOCUMENTS, Job, JobHandler
from echomind_lib.objects import ObjectStore, extracted_keys, original_key

log = structlog.get_logger(__name__)

_REMOVED = Counter("echomind_ingestor_documents_removed_total", "Documents whose removal was carried out.")

_HIDE_BATCH = 5000
_CHUNKS_BATCH = 500
_FILES_BATCH = 500
_CHUNKS_AT_ONCE = 1000
"""Chunks per deletion from the vector index, for which queries wait 10 to 20 ms."""
_ROUND_SECONDS = 10.0
"""Time after which the deletion of files pauses for the chunks of newer removals. Finding those scans all
remaining rows, so it is not done for each batch."""
_POLL_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Indexed:
    id: int
    chunk_count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    id: int
    signature: str | None
    chunking_session: UUID | None


# What a legal hold keeps is hidden, but stays.
_is_removed = Document.deleted_date.is_not(None) & ~func.is_connector_held(Document.connector_id)
_is_released = ~func.is_connector_held(Connector.id)
_is_next = Document.id > bindparam("after", type_=BigInteger)
_is_named = Document.id == func.any(bindparam("ids", type_=ARRAY(BigInteger)))
_limit = bindparam("limit", type_=Integer)
# From here on, no worker begins to process or publishes these documents.
_HIDE: Final = Command(
    update(Document)
    .where(
        Document.id.in_(
            select(Document.id)
            .join(Connector, Connector.id == Document.connector_id)
            .where(Connector.deleted_date.is_not(None), Document.deleted_date.is_(None))
            .limit(_limit)
        )
    )
    .values(deleted_date=func.now())
)
_INDEXED: Final = Query(
    select(Document.id, Document.chunk_count)
    .where(_is_removed, or_(Document.chunk_count > 0, Document.status != "completed"), _is_next)
    .order_by(Document.id)
    .limit(_limit),
    _Indexed,
)
_NOT_INDEXED: Final = Command(
    update(Document)
    .where(_is_named, _is_removed)
    .values(chunk_count=0, status="completed", processing_session=None, worker_id=None)
)
_STORED: Final = Query(
    select(Document.id, Document.signature, Document.chunking_session)
    .where(_is_removed, Document.chunk_count == 0, Document.status == "completed", _is_next)
    .order_by(Document.id)
    .limit(_limit),
    _Stored,
)
_DELETE: Final = Command(delete(Document).where(_is_named, _is_removed))
_is_empty = Connector.deleted_date.is_not(None) & _is_released & ~exists().where(Document.connector_id == Connector.id)
_EMPTY_CONNECTORS: Final = Query(select(Connector.id).where(_is_empty).limit(100), int)
_DELETE_CONNECTORS: Final = Command(
    delete(Connector).where(Connector.id == func.any(bindparam("ids", type_=ARRAY(Integer))), _is_empty)
)


_ANY: Final = Query(
    select(
        or_(exists().where(_is_removed), exists().where(Connector.deleted_date.is_not(None), _is_released)).label(
            "are_any"
        )
    ),
    bool,
)
"""Selects whether there is anything to remove."""


class Removal(JobHandler[int]):
    """Deletes the data of removed documents and connectors. Safe to run concurrently."""

    kind = REMOVE_DOCUMENTS

    def __init__(self, pool: asyncpg.Pool, objects: ObjectStore, indexes: Indexes) -> None:
        self._pool = pool
        self._objects = objects
        self._indexes = indexes

    @override
    async def work(self, job: Job) -> int:
        return await self.run()

    async def run(self) -> int:
        """Executes all removals, including those requested meanwhile.

        Returns:
            The number of removed documents.

        Raises:
            EchoMindError: Vector index or object store do not respond. The next run continues.
        """
        if not any(await _ANY.fetch_all(self._pool)):
            return 0
        removed = 0
        while True:
            while await _HIDE.execute(self._pool, limit=_HIDE_BATCH):
                pass
            chunks = asyncio.create_task(self._delete_chunks())
            try:
                # Chunks are deleted even if the object store fails: both tasks end before either error is raised.
                _, files = await asyncio.gather(chunks, self._delete_files(chunks), return_exceptions=True)
            finally:
                chunks.cancel()
            if isinstance(files, BaseException):
                raise files
            chunks.result()
            if not files:
                break
            removed += files
        await self._delete_connectors()
        if removed:
            log.info("data of removed documents deleted", documents=removed)
        return removed

    async def _delete_chunks(self) -> None:
        last = 0
        while documents := await _INDEXED.fetch_all(self._pool, after=last, limit=_CHUNKS_BATCH):
            async with deletion_lock(self._pool) as may_delete:
                if not may_delete:
                    return
                for ids in _groups(documents):
                    await self._indexes.delete({"document_id": ids})
                await _NOT_INDEXED.execute(self._pool, ids=[document.id for document in documents])
            last = documents[-1].id

    async def _delete_files(self, chunks: "asyncio.Task[None]") -> int:
        """Deletes files and rows of documents without chunks, until `chunks` has ended and none are left.

        Returns:
            The number of removed documents.
        """
        removed = last = 0
        until = time.monotonic() + _ROUND_SECONDS
        while True:
            is_last_look = chunks.done()
            documents = await _STORED.fetch_all(self._pool, after=last, limit=_FILES_BATCH)
            if documents:
                async with deletion_lock(self._pool) as may_delete:
                    if not may_delete:
                        return removed
                    await self._objects.delete_all(list(_keys(documents)))
                    removed += await _DELETE.execute(self._pool, ids=[document.id for document in documents])
                _REMOVED.inc(len(documents))
                last = documents[-1].id
            if is_last_look and (not documents or time.monotonic() >= until):
                return removed
            if not documents:
                last = 0
                await asyncio.wait({chunks}, timeout=_POLL_SECONDS)

    async def _delete_connectors(self) -> None:
        while connectors := await _EMPTY_CONNECTORS.fetch_all(self._pool):
            async with deletion_lock(self._pool) as may_delete:
                if not may_delete:
                    return
                await self._indexes.delete({"connector_id": connectors})
                if not await _DELETE_CONNECTORS.execute(self._pool, ids=connectors):
                    return


def _groups(documents: Iterable[_Indexed]) -> Iterator[list[int]]:
    """Yields groups of documents with about `_CHUNKS_AT_ONCE` chunks in total, at least one document each."""
    group: list[int] = []
    chunks = 0
    for document in documents:
        if group and chunks + document.chunk_count > _CHUNKS_AT_ONCE:
            yield group
            group, chunks = [], 0
        group.append(document.id)
        chunks += document.chunk_count
    if group:
        yield group


def _keys(documents: Sequence[_Stored]) -> Iterator[str]:
    """Yields the files of the documents' current versions; files of interrupted attempts are left to the sweep."""
    for document in documents:
        if document.signature:
            yield original_key(document.id, document.signature)
        if document.chunking_session:
            yield from extracted_keys(document.id, document.chunking_session)
