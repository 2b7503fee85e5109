"""The entry point `echomind-ingestor`: the worker, or with `embed` the embedding process."""

import asyncio
import gc
import signal
import sys
from contextlib import AsyncExitStack
from functools import cache
from pathlib import Path
from typing import Any

from echomind_lib.config import EmbeddingSettings, Settings
from echomind_lib.telemetry import configure_logging, configure_tracing

_JOBS_AT_ONCE = 3
"""Maximum number of concurrent background jobs, so that a long removal delays neither sweeps nor scope changes."""
_LONG_JOBS_AT_ONCE = 1
"""Maximum number of concurrent jobs of kinds that take hours, or of which there are many: others wait for none."""
_SYNCS_AT_ONCE = 3
"""Maximum number of concurrent syncs per process."""
_MAX_BYTES = 200 * 1024 * 1024
"""Maximum size of a synced file."""


async def serve(settings: Settings) -> None:
    """Runs a worker until SIGTERM or SIGINT."""
    gc.disable()  # modules leave no garbage, and searching for it takes a quarter of a second
    from echomind_ingestor.connectors.file.watching import FolderWatches
    from echomind_ingestor.extract import Extractor
    from echomind_ingestor.facts.indexing import FactIndexing
    from echomind_ingestor.indexes.fill import IndexFilling
    from echomind_ingestor.pipeline.changes import ChangesOfDocuments
    from echomind_ingestor.pipeline.descriptions import Describer
    from echomind_ingestor.pipeline.members import Members
    from echomind_ingestor.pipeline.processing import Processor
    from echomind_ingestor.pipeline.removal import Removal
    from echomind_ingestor.pipeline.scopes import ConnectorScopes, DocumentReaders
    from echomind_ingestor.pipeline.sweep import Sweep
    from echomind_ingestor.pipeline.transcription import Transcriber
    from echomind_ingestor.sync.contents import Contents
    from echomind_ingestor.sync.handlers import Syncs, SyncSchedule
    from echomind_ingestor.sync.opening import Sources
    from echomind_ingestor.sync.slices import SyncResources
    from echomind_ingestor.sync.source_tests import SourceTests
    from echomind_ingestor.worker import Worker
    from echomind_lib.documents.changes import DocumentChanges
    from echomind_lib.embeddings.tokenizer import minilm_tokenizer
    from echomind_lib.events.log import EventLog
    from echomind_lib.indexes import Indexes
    from echomind_lib.jobs import JobHandler, JobWorker
    from echomind_lib.learned.facts import FactVectors
    from echomind_lib.messaging.streams import DOCUMENTS_BACKGROUND
    from echomind_lib.network.fetching import AllowedHosts
    from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentProcess
    from echomind_lib.process.disk import DiskSpace
    from echomind_lib.runtime import Membership, connect, run_until_stopped
    from echomind_lib.secrets import Secrets

    gc.freeze()  # what they hold lives as long as the process, so that no later collection searches it
    gc.enable()
    async with (
        connect(settings, "echomind-ingestor") as connections,
        Extractor(settings.ingestor.extract_processes) as extractor,
        AsyncExitStack() as stack,
    ):
        secrets = cache(lambda: Secrets.load(settings.secrets, settings.data_dir))
        pool, objects, vectors = connections.database.pool, connections.objects, connections.vectors
        await objects.ensure_bucket()
        disk = DiskSpace(settings.disk)
        indexes = Indexes(pool, vectors)
        members = Members(
            pool,
            objects,
            lambda document_id: connections.bus.wake(DOCUMENTS_BACKGROUND, DocumentProcess(document_id=document_id)),
        )
        transcriber: Transcriber | None = None
        describer: Describer | None = None
        if settings.transcription.url or settings.description.url:
            from echomind_lib.llms import open_model_session  # here, as most installations have no such server

            http = await stack.enter_async_context(open_model_session())
            transcriber = Transcriber(settings.transcription, http) if settings.transcription.url else None
            describer = Describer(settings.description, http) if settings.description.url else None
        processor = Processor(
            pool,
            objects,
            indexes,
            connections.embeddings,
            extractor,
            minilm_tokenizer,
            disk,
            members,
            transcriber,
            describer,
        )
        membership = Membership(settings.postgres.url.get_secret_value(), "ingestor")
        facts = FactVectors(pool, vectors, connections.embeddings)
        handlers: list[JobHandler[Any]] = [
            ConnectorScopes(pool, indexes),
            DocumentReaders(pool, indexes),
            Removal(pool, objects, indexes),
            Sweep(pool, objects, indexes),
            FactIndexing(pool, facts),
        ]
        long_handlers: list[JobHandler[Any]] = [
            ChangesOfDocuments(DocumentChanges(connections.database, indexes, connections.bus)),
            IndexFilling(pool, indexes, connections.embeddings, facts),
        ]
        sources = Sources(
            pool,
            secrets,
            settings.connectors,
            AllowedHosts(settings.fetch.allowed_hosts),
            max_bytes=_MAX_BYTES,
        )
        resources = SyncResources(
            pool=pool,
            bus=connections.bus,
            sources=sources,
            contents=Contents(objects, max_bytes=_MAX_BYTES),
            disk=disk,
        )
        syncs: list[JobHandler[Any]] = [SyncSchedule(pool, connections.bus), Syncs(resources)]
        worker = Worker(
            pool=pool,
            bus=connections.bus,
            processor=processor,
            jobs=[
                JobWorker(EventLog(pool, connections.bus), kinds, concurrency=at_once)
                for kinds, at_once in (
                    (handlers, _JOBS_AT_ONCE),
                    (long_handlers, _LONG_JOBS_AT_ONCE),
                    (syncs, _SYNCS_AT_ONCE),
                )
            ],
            membership=membership,
            disk=disk,
            source_tests=SourceTests(sources),
            concurrency=settings.ingestor.concurrency,
        )
        checks = {
            "postgres": connections.check_postgres,
            "nats": connections.check_nats,
            "s3": objects.check,
            "qdrant": vectors.check,
            "embedding": connections.check_embedding,
        }
        health = settings.telemetry.host, settings.ingestor.health_port
        async with FolderWatches(pool, settings.connectors.allowed_folders):
            await run_until_stopped(worker.run(), *health, checks, disk)


async def serve_embeddings(settings: EmbeddingSettings, data_dir: Path) -> None:
    """Runs the embedding process until SIGTERM or SIGINT."""
    from echomind_lib.embeddings.embedders import UnknownEmbedderError, built_in
    from echomind_lib.embeddings.service import serve as serve_embedder
    from echomind_lib.process.freed_memory import release_freed_memory

    remembered = data_dir / "embedding-model" if data_dir.is_dir() else None  # noqa: ASYNC240 - before it serves
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    try:
        embedders = built_in(settings.threads, remembered)
        await embedders.get("")
        release_freed_memory()
        await serve_embedder(embedders, settings.url, settings.key, stopping)
    except (ValueError, UnknownEmbedderError) as error:
        raise SystemExit(str(error)) from error


def main() -> None:
    """Runs the ingestor with settings from the environment."""
    settings = Settings()
    embed = sys.argv[1:] == ["embed"]
    if sys.argv[1:] and not embed:
        raise SystemExit("usage: echomind-ingestor [embed]")
    service = "embedding" if embed else "ingestor"
    configure_logging(settings.telemetry, service)
    stop_tracing = configure_tracing(settings.telemetry, service)
    try:
        import uvloop

        if embed:
            uvloop.run(serve_embeddings(settings.embedding, settings.data_dir))
        else:
            uvloop.run(serve(settings))
    finally:
        stop_tracing()


if __name__ == "__main__":
    main()
