"""The entry point `echomind-ingestor`: the worker, or with `embed` the embedding process."""

import asyncio
import signal
import sys
from contextlib import AsyncExitStack

import structlog

from echomind_lib.config import EmbeddingSettings, Settings
from echomind_lib.telemetry import configure_logging, configure_tracing, serve_health

log = structlog.get_logger(__name__)


async def serve(settings: Settings) -> None:
    """Runs a worker until SIGTERM or SIGINT."""
    from echomind_ingestor.extract import Extractor
    from echomind_ingestor.processing import Processor
    from echomind_ingestor.worker import Worker
    from echomind_lib.db import migrate
    from echomind_lib.db.database import Database
    from echomind_lib.embeddings import EmbeddingClient
    from echomind_lib.embeddings.tokenizer import minilm_tokenizer
    from echomind_lib.messaging import Bus
    from echomind_lib.objects import ObjectStore
    from echomind_lib.vectors import VectorIndex

    async with AsyncExitStack() as stack:
        url = settings.postgres.url.get_secret_value()
        await migrate.check(url)
        database = await stack.enter_async_context(
            await Database.connect(url, application_name="echomind-ingestor", max_size=settings.postgres.pool_size)
        )
        bus = await Bus.connect(settings.nats.url.get_secret_value(), "echomind-ingestor")
        stack.push_async_callback(bus.close)
        objects = ObjectStore(settings.s3)
        stack.push_async_callback(objects.close)
        await objects.ensure_bucket()
        key = settings.qdrant.api_key.get_secret_value() if settings.qdrant.api_key else None
        vectors = VectorIndex(settings.qdrant.url, key)
        stack.push_async_callback(vectors.close)
        embeddings = EmbeddingClient(settings.embedding.url)
        stack.push_async_callback(embeddings.close)
        extractor = await stack.enter_async_context(Extractor(settings.ingestor.extract_processes))
        processor = Processor(database.pool, objects, vectors, embeddings, extractor, minilm_tokenizer())
        worker = asyncio.create_task(Worker(database.pool, bus, processor, settings.ingestor.concurrency).run())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, worker.cancel)

        async def postgres() -> None:
            await database.pool.fetchval("SELECT 1")

        async def nats() -> None:
            if not bus.is_ready:
                raise ConnectionError

        async def embedding() -> None:
            await embeddings.get_model()

        checks = {
            "postgres": postgres,
            "nats": nats,
            "s3": objects.check,
            "qdrant": vectors.check,
            "embedding": embedding,
        }
        health = await serve_health(settings.ingestor.health_port, checks)
        if health is not None:
            stack.push_async_callback(health.cleanup)
        try:
            await worker
        except asyncio.CancelledError:
            log.info("worker stopped")


async def serve_embeddings(settings: EmbeddingSettings) -> None:
    """Runs the embedding process until SIGTERM or SIGINT."""
    from echomind_lib.embeddings.minilm import MiniLm
    from echomind_lib.embeddings.service import serve as serve_embedder

    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    await serve_embedder(MiniLm(threads=settings.threads), settings.url, stopping)


def main() -> None:
    """Runs the ingestor with the settings of the environment."""
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
            uvloop.run(serve_embeddings(settings.embedding))
        else:
            uvloop.run(serve(settings))
    finally:
        stop_tracing()


if __name__ == "__main__":
    main()
