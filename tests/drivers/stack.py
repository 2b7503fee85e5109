"""Everything between a file and a search, on real servers."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg
import pytest_asyncio

from echomind.local.embedded.process import free_port
from echomind_ingestor.extract import Extractor
from echomind_ingestor.pipeline.chunk import CHUNKER_ID
from echomind_ingestor.pipeline.members import Members
from echomind_ingestor.pipeline.processing import Processor
from echomind_ingestor.pipeline.removal import Removal
from echomind_lib.access import Principal
from echomind_lib.config import DiskSettings, S3Settings
from echomind_lib.db.database import Database
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.embeddings.embedders import Embedders
from echomind_lib.embeddings.minilm import MiniLm
from echomind_lib.embeddings.service import EmbeddingServer
from echomind_lib.embeddings.tokenizer import minilm_tokenizer
from echomind_lib.indexes import Indexes
from echomind_lib.objects import ObjectStore, original_key
from echomind_lib.process.disk import DiskSpace
from echomind_lib.retrieval import ENCODER_ID, Retriever
from echomind_lib.vectors import VectorIndex
from tests.factories.rows import Rows, new_worker


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def embedding_url() -> AsyncIterator[str]:
    """Address of the real embedder."""
    address = f"127.0.0.1:{free_port()}"
    server = await EmbeddingServer.start(Embedders.of(MiniLm()), address)
    yield address
    await server.stop()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def extractor() -> AsyncIterator[Extractor]:
    """Reads files; its child process is started once."""
    async with Extractor(1) as started:
        yield started


@dataclass
class Stack:
    """The parts, and what tests do with them."""

    pool: asyncpg.Pool
    rows: Rows
    objects: ObjectStore
    vectors: VectorIndex
    embeddings: EmbeddingClient
    extractor: Extractor
    processor: Processor
    removal: Removal
    retriever: Retriever
    indexes: Indexes
    collection: str
    worker_id: UUID
    """A worker that stays alive."""
    woken: list[int]
    """Documents within others that wait to be processed."""

    async def add(self, content: str | bytes, name: str = "notes.txt", *, connector_id: int | None = None) -> int:
        """Stores a file as a document that waits; one with the same name in the connector gets a new version."""
        data = content.encode() if isinstance(content, str) else content
        signature = hashlib.sha256(data).hexdigest()
        document_id: int = await self.pool.fetchval(
            "INSERT INTO documents (connector_id, source_id, title, signature, size_bytes) VALUES ($1, $2, $2, $3, $4) "
            "ON CONFLICT (connector_id, source_id) DO UPDATE SET signature = $3, status = 'pending', attempts = 0 "
            "RETURNING id",
            connector_id or await self.rows.connector("org"),
            name,
            signature,
            len(data),
        )
        await self.objects.put(original_key(document_id, signature), data)
        return document_id

    async def index(self, content: str | bytes, name: str = "notes.txt", *, connector_id: int | None = None) -> int:
        """Stores a file and processes it."""
        document_id = await self.add(content, name, connector_id=connector_id)
        await self.process(document_id)
        return document_id

    async def process(self, document_id: int) -> None:
        """Processes a document that waits."""
        await self.processor.process(document_id, self.worker_id)

    async def document(self, document_id: int) -> Any:
        """Returns a document's row; None when it was removed."""
        return await self.pool.fetchrow("SELECT * FROM documents WHERE id = $1", document_id)

    async def claimed(self, document_id: int) -> UUID:
        """Waits until a worker has the document; its session."""
        while (session := (await self.document(document_id))["processing_session"]) is None:  # noqa: ASYNC110
            await asyncio.sleep(0)
        found: UUID = session
        return found

    async def sessions(self, document_id: int) -> dict[str, list[int]]:
        """Positions of a document's points by the processing that made them."""
        found: dict[str, list[int]] = {}
        async for point in self.vectors.scroll(self.collection, {"document_id": document_id}):
            found.setdefault(point.payload["chunking_session"], []).append(point.payload["position"])
        return {session: sorted(positions) for session, positions in found.items()}

    async def left_over(self, document_id: int) -> tuple[dict[str, list[int]], list[str]]:
        """Returns the passages and texts that are kept of a document."""
        keys = await self.objects.keys(f"documents/{document_id}/")
        return await self.sessions(document_id), [key for key in keys if key.endswith("/text")]

    async def assert_complete(self, document_id: int) -> UUID:
        """Returns a document's passages are there once each, its text too, and nothing else is left of it."""
        row = await self.document(document_id)
        assert (row["status"], row["processing_session"]) == ("completed", None), row["status_message"]
        session: UUID = row["chunking_session"]
        assert await self.sessions(document_id) == {str(session): list(range(row["chunk_count"]))}
        keys = await self.objects.keys(f"documents/{document_id}/")
        assert [key for key in keys if key.endswith("/text")] == [f"documents/{document_id}/{session}/text"]
        markdown = [key for key in keys if key.endswith("/markdown")]
        assert markdown in ([], [f"documents/{document_id}/{session}/markdown"])
        # Files of earlier versions from the same second may stay until the next one.
        assert f"documents/{document_id}/{row['signature']}/original" in keys
        return session

    def reader(self, user_id: int | None = None, *groups: str) -> Principal:
        return Principal(user_id or self.rows.user_id, groups=frozenset(groups))


@pytest_asyncio.fixture(loop_scope="session")
async def stack(
    database: Database,
    rows: Rows,
    s3_settings: S3Settings,
    qdrant_url: str,
    qdrant_api_key: str,
    embedding_url: str,
    extractor: Extractor,
) -> AsyncIterator[Stack]:
    """An empty installation with an active index."""
    collection = await database.pool.fetchval(
        "INSERT INTO embedding_models (model_id, model_name, model_dimension, is_active, sparse_encoder, chunker) "
        "VALUES ($1, 'MiniLM', 384, true, $2, $3) RETURNING collection",
        MiniLm.model_id,
        ENCODER_ID,
        CHUNKER_ID,
    )
    objects = ObjectStore(s3_settings)
    vectors = VectorIndex(qdrant_url, qdrant_api_key)
    await vectors.ensure(collection, 384)
    embeddings = EmbeddingClient(embedding_url)
    disk = DiskSpace(DiskSettings())
    indexes = Indexes(database.pool, vectors)
    woken: list[int] = []

    async def wake(document_id: int) -> None:
        woken.append(document_id)

    members = Members(database.pool, objects, wake)
    processor = Processor(database.pool, objects, indexes, embeddings, extractor, minilm_tokenizer, disk, members)
    worker_id = await new_worker(database.pool)
    yield Stack(
        database.pool,
        rows,
        objects,
        vectors,
        embeddings,
        extractor,
        processor,
        Removal(database.pool, objects, indexes),
        Retriever(database, vectors, embeddings, objects),
        indexes,
        collection,
        worker_id,
        woken,
    )
    await embeddings.close()
    await vectors.close()
    await objects.close()
