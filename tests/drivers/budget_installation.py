"""An installation whose work is counted: a gateway and an agent as processes, on servers of their own."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import aiohttp
import asyncpg

from echomind.local.embedded.postgres import DATABASE, PostgresServer
from echomind.local.embedded.process import free_port
from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.s3 import S3Server
from echomind_ingestor.extract import Extractor
from echomind_ingestor.pipeline.members import Members
from echomind_ingestor.pipeline.processing import Processor
from echomind_lib.config import ApiSettings, DiskSettings, Settings
from echomind_lib.config.settings import AgentSettings, IngestorSettings
from echomind_lib.db.database import Database
from echomind_lib.db.migrate import upgrade_async
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.embeddings.embedders import Embedders
from echomind_lib.embeddings.minilm import MiniLm
from echomind_lib.embeddings.service import EmbeddingServer
from echomind_lib.embeddings.tokenizer import minilm_tokenizer
from echomind_lib.indexes import Indexes
from echomind_lib.messaging import Bus
from echomind_lib.objects import ObjectStore, original_key
from echomind_lib.process.disk import DiskSpace
from echomind_lib.vectors import VectorIndex
from tests.drivers.budget import Answers, Installation
from tests.drivers.counted_processes import Processes
from tests.drivers.counting import (
    POSTGRES_SETTINGS,
    CountedEmbedder,
    MonitoredNats,
    NatsCounts,
    PostgresCounts,
)
from tests.drivers.model_server import ModelServer
from tests.drivers.servers import database_url, running
from tests.factories import rows
from tests.factories.settings import service_settings

_DOCUMENTS = {
    "index.txt": "The index decides by the meaning of a question and by its words which passages answer it best.",
    "sources.txt": "When two sources disagree, the newer one is shown first, and both are cited in the answer.",
    "trust.txt": "Trust the contract for a date and the ledger for a figure, because people check both of them.",
    "short.txt": "The short version of the handbook says what has changed and where the long version can be found.",
    "next.txt": "Read the guide to permissions next, then check it for yourself with a question about your sources.",
}


@asynccontextmanager
async def installation(folder: Path, logs: Path, s3: S3Server) -> AsyncIterator[Installation]:
    """Starts an installation with a few documents that everybody may read.

    Args:
        folder: Where its servers keep their data.
        logs: Where they write their logs.
        s3: The object store, of which it uses a bucket of its own.
    """
    postgres = PostgresServer(folder / "postgres", free_port(), "secret", POSTGRES_SETTINGS)
    nats = MonitoredNats(folder / "nats", free_port(), "secret", free_port())
    qdrant = QdrantServer(folder / "vectors", free_port(), "secret")
    settings = service_settings(
        "budget",
        folder,
        postgres=postgres,
        nats=nats,
        qdrant=qdrant,
        s3=s3,
        api=ApiSettings(http_port=free_port(), grpc_port=free_port(), health_port=free_port(), guide=False),
        agent=AgentSettings(health_port=free_port()),
        ingestor=IngestorSettings(health_port=free_port()),
    )
    url = settings.postgres.url.get_secret_value()
    uncounted = {"pg_stat_statements.track": "none", "auto_explain.log_min_duration": "-1"}
    async with AsyncExitStack() as stack:
        for server in (postgres, nats, qdrant):
            stack.enter_context(running(server, logs))
        await upgrade_async(postgres.url)
        admin = await asyncpg.connect(database_url(postgres, "postgres"), server_settings=uncounted)
        stack.push_async_callback(admin.close)
        await admin.execute("CREATE EXTENSION pg_stat_statements")
        await admin.execute(f"CREATE DATABASE test_budget TEMPLATE {DATABASE}")
        pool = await stack.enter_async_context(asyncpg.create_pool(url, min_size=1, server_settings=uncounted))
        embedder = CountedEmbedder(MiniLm())
        embedding = await EmbeddingServer.start(Embedders.of(embedder), settings.embedding.url)
        stack.push_async_callback(embedding.stop)
        models = await stack.enter_async_context(ModelServer())
        answers = Answers()
        models.respond(answers)
        processes = Processes(folder, logs)
        stack.callback(processes.close)
        services = {name: processes.start(name, settings) for name in ("api", "agent")}
        objects = ObjectStore(settings.s3)
        stack.push_async_callback(objects.close)
        bus = await Bus.connect(nats.url, "budget")
        stack.push_async_callback(bus.close)
        await pool.execute("UPDATE llms SET is_default = FALSE")
        await rows.llm(pool, name="Scripted", model_id="scripted", endpoint=models.url, is_default=True)
        await _add_documents(settings)
        key = (settings.data_dir / "owner-api-key").read_text(encoding="utf-8").strip()
        http = await stack.enter_async_context(
            aiohttp.ClientSession(
                f"http://127.0.0.1:{settings.api.http_port}",
                headers={"Authorization": f"Bearer {key}"},
                raise_for_status=True,
            )
        )
        yield Installation(
            settings,
            pool,
            http,
            bus,
            models,
            answers,
            PostgresCounts(admin, logs / "postgres.log"),
            NatsCounts(nats, http),
            embedder,
            services,
            processes,
            objects,
        )


async def _nobody(document_id: int) -> None:
    """Wakes nobody: no document holds files."""


async def _add_documents(settings: Settings) -> None:
    """Brings in the documents, as the ingestor does."""
    database = await Database.connect(settings.postgres.url.get_secret_value())
    objects, vectors = ObjectStore(settings.s3), VectorIndex(settings.qdrant.url, "secret")
    embeddings = EmbeddingClient(settings.embedding.url)
    pool = database.pool
    connector = await rows.connector(pool, type="file", status="active", scope="org", user_id=1)
    worker = await rows.new_worker(pool)
    async with Extractor(1) as extractor:
        indexes = Indexes(pool, vectors)
        disk, members = DiskSpace(DiskSettings()), Members(pool, objects, _nobody)
        processor = Processor(pool, objects, indexes, embeddings, extractor, minilm_tokenizer, disk, members)
        for name, text in _DOCUMENTS.items():
            values = {"title": name, "signature": name, "size_bytes": len(text), "source_id": name}
            row = await rows.document(pool, connector_id=connector["id"], **values)
            await objects.put(original_key(row["id"], name), text.encode())
            await processor.process(row["id"], worker)
    await embeddings.close()
    await vectors.close()
    await objects.close()
    await database.close()
