"""Processes one document, from its bytes to searchable passages.

PostgreSQL decides visibility: passages are visible if their `chunking_session` is their document's. A new version is
stored beside the published one, and a single UPDATE, which requires this attempt's `processing_session`, publishes it.
So no search finds half a document, and concurrent workers on one document cannot interfere.
"""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NoReturn
from uuid import UUID, uuid5

import asyncpg
import structlog
from prometheus_client import Counter
from tokenizers import Tokenizer

from echomind_ingestor.extract import Extractor
from echomind_ingestor.extract.kinds import HTML, MARKDOWN, image_kind, media_kind
from echomind_ingestor.extract.result import Extracted
from echomind_ingestor.pipeline.chunk import Chunk, chunk
from echomind_ingestor.pipeline.claims import (
    CLAIM,
    COMPLETE,
    CURRENT,
    GIVE_UP,
    IS_PUBLISHED,
    PUBLISH,
    REPORT,
    ClaimedDocument,
)
from echomind_ingestor.pipeline.descriptions import DESCRIBED, DESCRIBING, UNDESCRIBED, Describer
from echomind_ingestor.pipeline.leftovers import clear_older_files, clear_older_passages
from echomind_ingestor.pipeline.members import Members
from echomind_ingestor.pipeline.outcomes import explain, indexing, note, recognizing, title_of
from echomind_ingestor.pipeline.passages import passage_text
from echomind_ingestor.pipeline.transcription import TRANSCRIBING, Transcriber
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.errors import (
    DataRejectedError,
    DiskFullError,
    EchoMindError,
    FileRejectedError,
    InternalError,
)
from echomind_lib.indexes import Index, Indexes
from echomind_lib.objects import ObjectStore, extracted_keys, markdown_key, original_key, text_key
from echomind_lib.process.disk import DiskSpace, is_disk_full
from echomind_lib.process.retries import BACKGROUND_ATTEMPTS
from echomind_lib.retrieval import encode_document, language
from echomind_lib.telemetry.disk import DISK_FULL
from echomind_lib.text import MESSAGE_CHARACTERS, single_line
from echomind_lib.vectors import Point

log = structlog.get_logger(__name__)

_DOCUMENTS = Counter("echomind_ingestor_documents_total", "Documents processed.", ["outcome"])
_CHUNKS = Counter("echomind_ingestor_chunks_total", "Passages indexed.")

MAX_ATTEMPTS = 3
"""Maximum attempts at a document that fails by its own fault."""
MAX_INTERRUPTIONS = BACKGROUND_ATTEMPTS
"""Maximum attempts at a document interrupted by other causes: an unavailable server, a worker's death.
They take about ten minutes."""
_WATCH_SECONDS = 1.0
"""Interval of checks whether the processed documents still exist."""
_QUIET_SECONDS = 30.0
"""Time without documents after which their memory is given back, with the model of languages."""
WAITING_FOR_ROOM = "Waiting for room on the disk"
"""The status message of a document meanwhile."""
_BATCH = 64
"""Chunks embedded and stored per batch; progress is reported between batches."""


class Processor:
    """Processes documents; the caller limits concurrency."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        objects: ObjectStore,
        indexes: Indexes,
        embeddings: EmbeddingClient,
        extractor: Extractor,
        tokenizer: Callable[[], Tokenizer],
        disk: DiskSpace,
        members: Members,
        transcriber: Transcriber | None = None,
        describer: Describer | None = None,
    ) -> None:
        self._pool = pool
        self._objects = objects
        self._indexes = indexes
        self._vectors = indexes.vectors
        self._embeddings = embeddings
        self._extractor = extractor
        self._tokenizer = tokenizer
        self._disk = disk
        self._members = members
        self._transcriber = transcriber
        self._describer = describer
        self._working: dict[UUID, tuple[int, asyncio.Task[None]]] = {}
        """The documents that are being processed, with the tasks of it, by the sessions of these attempts."""
        self._worked_at: float | None = None
        """Time of the last document whose memory has not been given back."""

    async def process(self, document_id: int, worker_id: UUID) -> None:
        """Processes a pending document, or one whose worker died. Does nothing for others.

        A permanent failure sets the document's status to `failed` with a message for users; a transient one does so
        after several attempts. Nothing of a failed attempt is left.

        Args:
            document_id: The document.
            worker_id: The worker that claims it.

        Raises:
            EchoMindError: A transient failure (the document is pending again), or one for the dead letters.
        """
        document = await CLAIM.fetch_one(self._pool, document_id=document_id, worker=worker_id)
        if document is None:
            return
        session = document.processing_session
        if document.attempts > MAX_INTERRUPTIONS:
            message = f"It was interrupted {MAX_INTERRUPTIONS} times. Retry it; the ingestor's log may say more."
            await self._fail(document_id, session, "failed", message)
            return
        work = asyncio.create_task(self._index(document, session))
        self._working[session] = document_id, work
        try:
            await work
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is None or not task.cancelling():
                await self._abandon(document_id, session)
                return
            # This worker stops: the attempt does not count, and another worker processes the document.
            await self._fail(document_id, session, "pending", "Waiting", uncounted=1)
            raise
        except _SupersededError:
            await self._abandon(document_id, session)
        except Exception as error:  # noqa: BLE001 - of extraction and indexing anything may come, and all counts
            await self._on_failure(document, session, error)
        finally:
            del self._working[session]
            self._worked_at = time.monotonic()

    async def watch(self) -> NoReturn:
        """Stops processing of documents that were removed, replaced or reassigned, until cancelled.

        Some seconds after the last one, it gives the memory back that they took.
        """
        while True:
            await asyncio.sleep(_WATCH_SECONDS)
            working = self._working.copy()
            if not working:
                if self._worked_at is not None and time.monotonic() - self._worked_at >= _QUIET_SECONDS:
                    self._worked_at = None
                    await asyncio.to_thread(language.unload)
                continue
            try:
                ids = [document_id for document_id, _ in working.values()]
                current = set(await CURRENT.fetch_all(self._pool, ids=ids, sessions=list(working)))
            except DATABASE_FAILURES as error:
                log.warning("removed documents could not be looked for", error=repr(error))
                continue
            for session, (_, work) in working.items():
                if session not in current and session in self._working:
                    work.cancel()

    async def _index(self, document: ClaimedDocument, session: UUID) -> None:
        document_id, name = document.id, PurePosixPath(document.source_name or document.source_id).name
        data = await self._objects.get(original_key(document_id, document.signature))
        extracted = await self._extract(document, session, name, data)
        del data
        await self._members.check(document_id, extracted.members)
        title = title_of(document, name, extracted)
        chunks = await asyncio.to_thread(lambda: chunk(extracted, self._tokenizer()))
        if len(chunks) > _BATCH:
            await self._report(document_id, session, indexing(0, len(chunks)))
        await self._objects.put(text_key(document_id, session), extracted.text.encode(), "text/plain; charset=utf-8")
        if markdown := _markdown(extracted).encode():
            await self._objects.put(markdown_key(document_id, session), markdown, "text/markdown; charset=utf-8")
        if (index := await self._indexes.active()) is None:
            raise FileRejectedError("No embedding model is active: an administrator must activate one.", name="")
        done = 0
        while done < len(chunks):
            batch = chunks[done : done + _BATCH]
            await self._store(index, document, session, title, extracted, batch)
            done += len(batch)
            if done < len(chunks):
                await self._report(document_id, session, indexing(done, len(chunks)))
        notes = " ".join(filter(None, [*extracted.warnings, note(extracted.text, chunks)]))
        # Without an earlier version, what attempts before this one have left is removed before it is published: after
        # that nothing remains to be done.
        is_first = not (document.is_published or document.has_members or extracted.members)
        if is_first and not document.is_new:
            await self._clear_older(index, document, session, len(chunks))
        claimed = document.readers
        readers = await PUBLISH.fetch_one(
            self._pool,
            completes=is_first and claimed.source_readers is None,
            scope=claimed.scope,
            scope_id=claimed.scope_id,
            owner=claimed.user_id,
            document_id=document_id,
            session=session,
            notes=notes or None,
            collection=index.collection,
            chunk_count=len(chunks),
            language=extracted.language,
            title=title,
            content_type=extracted.content_type[:100],
        )
        if readers is None:
            raise _SupersededError
        if not readers.is_completed:
            if readers.chunk_scope != claimed.chunk_scope:
                payload = {"scope": readers.chunk_scope}
                await self._vectors.set_payload(index.collection, payload, {"document_id": document_id})
            if not is_first:
                await self._clear_older(index, document, session, len(chunks))
            if extracted.members or document.has_members:
                await self._members.store(document, extracted.members)
            await COMPLETE.execute(self._pool, document_id=document_id, session=session)
        _DOCUMENTS.labels("completed").inc()
        _CHUNKS.inc(len(chunks))

    async def _extract(self, document: ClaimedDocument, session: UUID, name: str, data: bytes) -> Extracted:
        if self._transcriber is not None and (media_type := media_kind(data)):
            await self._report(document.id, session, TRANSCRIBING)
            text = await self._transcriber.transcribe(data, name, media_type)
            extracted = await self._extractor.extract(
                text.encode(), f"{name}.md", MARKDOWN, connector_id=document.connector_id
            )
            return replace(extracted, content_type=media_type)
        if self._describer is not None and (image_type := image_kind(data)) in DESCRIBED:
            await self._report(document.id, session, DESCRIBING)
            return await self._describe(self._describer, document.connector_id, data, name, image_type)
        return await self._extractor.extract(
            data,
            name,
            document.content_type or "",
            is_page=document.connector_type == "web" and document.content_type == HTML,
            connector_id=document.connector_id,
            progress=lambda done, total: self._report(document.id, session, recognizing(done, total)),
        )

    async def _describe(
        self, describer: Describer, connector_id: int, data: bytes, name: str, image_type: str
    ) -> Extracted:
        """Returns what a model sees in an image, and the text that is recognised in it.

        One that cannot be described has its text alone, with a note.
        """
        refusal: FileRejectedError | None = None
        description = ""
        try:
            description = await describer.describe(data, name, image_type)
        except FileRejectedError as error:
            refusal = error
        try:
            recognized = await self._extractor.extract(data, name, image_type, connector_id=connector_id)
        except FileRejectedError as error:
            if refusal is not None:
                raise refusal from error
            if not description:
                raise
            written = ""
        else:
            if refusal is not None:
                return replace(recognized, warnings=(*recognized.warnings, UNDESCRIBED, refusal.message))
            if not description:
                return recognized
            written = f"\n\n## Text in the image\n\n{recognized.markdown or recognized.text}"
        text = f"{description}{written}".encode()
        extracted = await self._extractor.extract(text, f"{name}.md", MARKDOWN, connector_id=connector_id)
        return replace(extracted, content_type=image_type)

    async def _clear_older(self, index: Index, document: ClaimedDocument, session: UUID, chunks: int) -> None:
        """Removes what earlier attempts and versions have left."""
        await clear_older_passages(self._pool, self._vectors, index.collection, document.id, session, chunks)
        await clear_older_files(self._pool, self._objects, document.id, session, document.signature)

    async def _store(
        self,
        index: Index,
        document: ClaimedDocument,
        session: UUID,
        title: str,
        extracted: Extracted,
        batch: Sequence[Chunk],
    ) -> None:
        texts = [passage_text(title, piece.heading, piece.text) for piece in batch]
        vectors = await self._embeddings.embed_passages(texts, index.model_id)
        scope = document.readers.chunk_scope
        points = [
            Point(
                str(uuid5(session, str(piece.position))),
                vector,
                encode_document(text, extracted.language, index.sparse_encoder),
                {
                    "scope": scope,
                    "connector_id": document.connector_id,
                    "document_id": document.id,
                    "chunking_session": str(session),
                    "position": piece.position,
                    "text": piece.text,
                    "heading": list(piece.heading),
                    "page": piece.page,
                    "start": piece.start,
                    "end": piece.end,
                    "language": extracted.language,
                }
                | ({"in_code": True} if piece.in_code else {})
                | ({"later_pages": piece.later_pages} if piece.later_pages else {})
                | ({"later_sections": piece.later_sections} if piece.later_sections else {}),
            )
            for piece, text, vector in zip(batch, texts, vectors, strict=True)
        ]
        await self._vectors.upsert(index.collection, points)

    async def _report(self, document_id: int, session: UUID, message: str) -> None:
        """Stores the progress of a document.

        Raises:
            _SupersededError: The attempt is superseded.
        """
        if not await REPORT.execute(self._pool, document_id=document_id, session=session, message=message):
            raise _SupersededError

    async def _on_failure(self, document: ClaimedDocument, session: UUID, error: Exception) -> None:
        """Ends a failed attempt, and fails the document unless another attempt may succeed."""
        if isinstance(error, DiskFullError) or is_disk_full(error) or self._disk.is_low:
            # A failure while the disk is full is caused by it, and does not count as an attempt.
            DISK_FULL.inc()
            log.warning("a disk is full", document_id=document.id, error=str(error))
            await self._fail(document.id, session, "pending", WAITING_FOR_ROOM, uncounted=1)
            return
        failure = explain(error)
        stays = isinstance(failure, DataRejectedError) or (isinstance(error, EchoMindError) and not error.retryable)
        attempts, limit = document.attempts, MAX_INTERRUPTIONS if failure.retryable else MAX_ATTEMPTS
        if not stays and attempts < limit:
            message = f"Trying again soon, attempt {attempts} of {limit} failed: {failure.message}"
            await self._fail(document.id, session, "pending", message)
            raise failure if failure.retryable else error
        await self._fail(document.id, session, "failed", failure.message)
        if not isinstance(failure, FileRejectedError):
            raise InternalError(f"Document {document.id} failed: {failure}") from error

    async def _fail(self, document_id: int, session: UUID, status: str, message: str, *, uncounted: int = 0) -> None:
        """Ends an attempt in a status, unless it is superseded, and removes its results.

        Args:
            document_id: The document.
            session: The attempt.
            status: New status of the document.
            message: The reason, for users.
            uncounted: Number of attempts that do not count.
        """
        if status == "failed":
            _DOCUMENTS.labels("failed").inc()
            log.info("document failed", document_id=document_id, message=message)
        text = single_line(message, MESSAGE_CHARACTERS)
        await GIVE_UP.execute(
            self._pool, document_id=document_id, session=session, status=status, message=text, uncounted=uncounted
        )
        await self._clear(document_id, session)

    async def _abandon(self, document_id: int, session: UUID) -> None:
        """Removes the results of an attempt at a document that another worker processes now, or that was removed."""
        _DOCUMENTS.labels("superseded").inc()
        await self._clear(document_id, session)

    async def _clear(self, document_id: int, session: UUID) -> None:
        if await IS_PUBLISHED.fetch_one(self._pool, document_id=document_id, session=session):
            return  # it was published, and failed only while it removed the old version: keep its results
        with suppress(EchoMindError):  # the sweep finds what cannot be removed now
            await self._indexes.delete({"document_id": document_id, "chunking_session": str(session)})
        with suppress(EchoMindError):
            await self._objects.delete_all(extracted_keys(document_id, session))


def _markdown(extracted: Extracted) -> str:
    """Returns the Markdown to store beside the text; empty for a Markdown file whose text is its Markdown."""
    is_text = extracted.content_type == MARKDOWN and extracted.markdown == extracted.text
    return "" if is_text else extracted.markdown


class _SupersededError(Exception):
    """The document was removed or replaced, or another worker has claimed it: this attempt's results are discarded."""
