"""The job that fills indexes beside the active one.

It copies the stored passages of each published document: their text, headings and places stay the same in every index,
so that citations and votes still refer to the same passages after a switch; vectors and terms are made again. It can be
interrupted anywhere: `index_documents` says which versions of documents are copied, points have the same ids at each
attempt, and whoever may read a document is compared with the rows after its points are stored.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import asyncpg
import structlog
from typing_extensions import override

from echomind_ingestor.indexes.facts import copy_facts
from echomind_ingestor.pipeline.passages import passage_text
from echomind_lib.access.documents import chunk_scope
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.errors import EchoMindError
from echomind_lib.events.log import LogTransaction
from echomind_lib.indexes import Index, Indexes, builds, states
from echomind_lib.indexes.builds import CurrentReaders, MissingDocument
from echomind_lib.indexes.states import IndexRow
from echomind_lib.jobs import FILL_INDEXES, Job, JobHandler, enqueue
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.facts.changes import note_all
from echomind_lib.retrieval import encode_document
from echomind_lib.text import MESSAGE_CHARACTERS, single_line
from echomind_lib.vectors import Filter, Found, Point

log = structlog.get_logger(__name__)

_DOCUMENTS: Final = 100
"""Documents looked for at once."""
_AT_ONCE: Final = 4
"""Documents copied concurrently, so that the embedder always has work."""
_BATCH: Final = 64
"""Passages embedded and stored per batch."""
SLICE_SECONDS: Final = 120.0
"""How long an index is filled before those in use get what was published meanwhile."""
_SAMPLES: Final = 3
"""Documents of which a filled index must find most by their own text before it becomes active."""
_FOUND_AMONG: Final = 5
"""Passages among which one must be that is looked for by its own text."""


class IndexFilling(JobHandler[bool]):
    """Brings the indexes beside the active one up to date. Safe to run concurrently, and to be killed."""

    kind = FILL_INDEXES

    def __init__(self, pool: asyncpg.Pool, indexes: Indexes, embeddings: EmbeddingClient, facts: FactVectors) -> None:
        self._pool = pool
        self._indexes = indexes
        self._vectors = indexes.vectors
        self._embeddings = embeddings
        self._facts = facts

    @override
    async def work(self, job: Job) -> bool:
        """Fills what is missing; switches when an index is complete.

        Returns:
            Whether nothing is left to fill: an index beside the others is filled in slices.
        """
        beside = sorted(await states.indexes_beside(self._pool), key=lambda row: row.state == "building")
        if not beside:
            return True
        active, is_filled = await states.active_row(self._pool), True
        # The active index first: it may lack documents that were processed while it became active. Then those that are
        # kept, to which people may return at any time.
        for row in ([active] if active else []) + beside:
            if row.state == "dropping":
                await self._drop(row)
            elif row.is_expired and active is not None and await self._is_complete(active):
                await states.drop(self._pool, row.id)
                await self._drop(row)
            else:
                is_filled = await self._bring_up_to_date(row) and is_filled
        return is_filled

    @override
    async def completed(self, transaction: LogTransaction, job: Job, result: bool) -> None:
        if not result:
            await enqueue(transaction.connection, FILL_INDEXES)

    async def _drop(self, row: IndexRow) -> None:
        await self._indexes.drop(row.collection)
        await states.dropped(self._pool, row.id)
        log.info("index dropped", index=row.id, model=row.model_id)

    async def _is_complete(self, row: IndexRow) -> bool:
        return not await builds.missing_documents(self._pool, row.id, 0, 1)

    async def _bring_up_to_date(self, row: IndexRow) -> bool:
        """Returns whether the index has all documents, or cannot be filled now."""
        try:
            await self._indexes.ensure(row.index)
            is_building = row.state == "building"
            if not await self._copy_all(row, time.monotonic() + SLICE_SECONDS if is_building else None):
                return False
            if is_building:
                await self._finish(row)
        except EchoMindError as error:
            # A model that does not respond must not keep other indexes from being filled; the next run continues.
            log.warning("index cannot be filled now", index=row.id, error=str(error))
            await states.set_message(self._pool, row.id, single_line(str(error), MESSAGE_CHARACTERS))
        return True

    async def _copy_all(self, row: IndexRow, until: float | None = None) -> bool:
        """Copies documents until none is missing, or the time is over.

        Args:
            row: The index.
            until: Time of the monotonic clock after which no more documents are looked for; None for no end.

        Returns:
            Whether none is missing.
        """
        after = copied = 0
        while True:
            documents = await builds.missing_documents(self._pool, row.id, after, _DOCUMENTS)
            if not documents:
                if not copied:
                    return True
                after = copied = 0  # those that were published meanwhile
                continue
            limit = asyncio.Semaphore(_AT_ONCE)

            async def copy(document: MissingDocument, limit: asyncio.Semaphore = limit) -> None:
                async with limit:
                    await self._copy(row, document)

            try:
                async with asyncio.TaskGroup() as tasks:
                    for document in documents:
                        tasks.create_task(copy(document))
            except* EchoMindError as group:
                raise group.exceptions[0] from None
            await states.set_message(self._pool, row.id, None)
            after, copied = documents[-1].id, copied + len(documents)
            if until is not None and time.monotonic() >= until:
                return False

    async def _copy(self, row: IndexRow, document: MissingDocument) -> None:
        session = str(document.chunking_session)
        readers = await builds.current_readers(self._pool, document.id, document.chunking_session)
        if readers is None:
            return  # removed or replaced meanwhile
        of_version: Filter = {"document_id": document.id, "chunking_session": session}
        found: list[Found] = []
        if document.source is not None and document.chunk_count:
            found = [point async for point in self._vectors.scroll(document.source, of_version)]
        found.sort(key=lambda point: int(point.payload["position"]))
        if len(found) != document.chunk_count:
            if await builds.current_readers(self._pool, document.id, document.chunking_session) is not None:
                message = f"{len(found)} of {document.chunk_count} passages are stored. Retry the document."
                await builds.record(self._pool, row.id, document, message)
            return
        try:
            for start in range(0, len(found), _BATCH):
                await self._store(row.index, document, readers, found[start : start + _BATCH])
        except EchoMindError as error:
            if error.retryable:
                raise
            await builds.record(self._pool, row.id, document, single_line(str(error), MESSAGE_CHARACTERS))
            return
        await self._vectors.delete(row.collection, {"document_id": document.id}, unless={"chunking_session": [session]})
        await self._write_readers(row, document, readers)
        if not await builds.record(self._pool, row.id, document):
            await self._vectors.delete(row.collection, of_version)

    async def _store(
        self, index: Index, document: MissingDocument, readers: CurrentReaders, batch: Sequence[Found]
    ) -> None:
        texts = [passage_text(document.title, point.payload["heading"], point.payload["text"]) for point in batch]
        vectors = await self._embeddings.embed_passages(texts, index.model_id, background=True)
        payload = _payload(readers)
        points = [
            Point(
                point.id,
                vector,
                encode_document(text, point.payload["language"], index.sparse_encoder),
                {**point.payload, **payload},
            )
            for point, text, vector in zip(batch, texts, vectors, strict=True)
        ]
        await self._vectors.upsert(index.collection, points)

    async def _write_readers(self, row: IndexRow, document: MissingDocument, written: CurrentReaders) -> None:
        """Writes the readers of a document again if they have changed since they were read.

        Later changes are written to this index by their own job, as its points exist by now.
        """
        while True:
            current = await builds.current_readers(self._pool, document.id, document.chunking_session)
            if current is None or current == written:
                return
            await self._vectors.set_payload(row.collection, _payload(current), {"document_id": document.id})
            written = current

    async def _finish(self, row: IndexRow) -> None:
        """Makes a filled index the active one, unless documents failed: then people decide."""
        progress = await builds.build_progress(self._pool, row.id)
        if progress.failed:
            message = f"{progress.failed} documents could not be copied. Activate it nevertheless, or retry them."
            await states.set_message(self._pool, row.id, message)
            return
        if not await self._finds_documents(row):
            message = "It is filled, but does not find documents by their own text: test the model."
            await states.set_message(self._pool, row.id, message)
            return
        await copy_facts(self._pool, self._facts, row.index)
        with suppress(_CancelledError):
            async with self._pool.acquire() as connection, connection.transaction():
                if not await states.switch(connection, row.id, "building"):
                    raise _CancelledError
                # Facts that changed since they were copied get their vectors again.
                await note_all(connection)
        log.info("index switched", index=row.id, model=row.model_id, documents=progress.done)
        # Documents that were published into the previous index meanwhile.
        await self._copy_all(row)

    async def _finds_documents(self, row: IndexRow) -> bool:
        """Returns whether the filled index finds most of some documents by their own text, and prefers them to others.

        With a model that gives every text the same vector it does not.
        """
        tried = found = 0
        for document in await builds.sample_documents(self._pool, _SAMPLES):
            points = [point async for point in self._vectors.scroll(row.collection, {"document_id": document.id})]
            if not points:
                continue  # removed meanwhile
            payload = points[0].payload
            text = passage_text(document.title, payload["heading"], payload["text"])
            vector = await self._embeddings.embed_query(text, row.model_id)
            hits = await self._vectors.query(row.collection, {}, dense=vector, limit=_FOUND_AMONG)
            own = [hit.score for hit in hits if hit.payload["document_id"] == document.id]
            tried += 1
            found += bool(own) and (len(own) == len(hits) or own[0] > min(hit.score for hit in hits))
        return 2 * found >= tried


class _CancelledError(Exception):
    """The index is not filled any more."""


def _payload(readers: CurrentReaders) -> dict[str, object]:
    scope = chunk_scope(readers.scope, readers.user_id, readers.scope_id, readers.source_readers)
    return {"scope": scope, "connector_id": readers.connector_id}
