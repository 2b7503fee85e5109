"""The lifecycle of a service process: connections, signals, and the health port."""

import asyncio
import signal
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

import structlog

from echomind_lib.config import Settings
from echomind_lib.db import migrate
from echomind_lib.db.database import Database
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.messaging import Bus
from echomind_lib.objects import ObjectStore
from echomind_lib.telemetry import Check, serve_health
from echomind_lib.vectors import VectorIndex

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Connections:
    """The clients that all services use."""

    database: Database
    bus: Bus
    objects: ObjectStore
    vectors: VectorIndex
    embeddings: EmbeddingClient

    async def check_postgres(self) -> None:
        """Returns if the database responds."""
        await self.database.pool.fetchval("SELECT 1")

    async def check_nats(self) -> None:
        """Returns if the connection to NATS is up.

        Raises:
            ConnectionError: It is not.
        """
        if not self.bus.is_ready:
            raise ConnectionError

    async def check_embedding(self) -> None:
        """Returns if the embedding process responds."""
        await self.embeddings.get_model()


@asynccontextmanager
async def connect(settings: Settings, name: str) -> AsyncIterator[Connections]:
    """Opens the connections of a process and closes them at the end of the block.

    Args:
        settings: The settings.
        name: Name sent to the servers, such as `echomind-agent`.

    Raises:
        SchemaError: The database's schema is older than this code.
        ConnectionError: The database cannot be reached.
        DependencyUnavailableError: NATS cannot be reached.
    """
    async with AsyncExitStack() as stack:
        url = settings.postgres.url.get_secret_value()
        await migrate.check(url, wait=settings.postgres.schema_wait_seconds)
        database = await stack.enter_async_context(
            await Database.connect(url, application_name=name, max_size=settings.postgres.pool_size)
        )
        bus = await Bus.connect(settings.nats.url.get_secret_value(), name, replicas=settings.nats.replicas)
        stack.push_async_callback(bus.close)
        objects = ObjectStore(settings.s3)
        stack.push_async_callback(objects.close)
        key = settings.qdrant.api_key
        vectors = VectorIndex(settings.qdrant.url, key.get_secret_value() if key else None)
        stack.push_async_callback(vectors.close)
        embeddings = EmbeddingClient(settings.embedding.url, settings.embedding.key)
        stack.push_async_callback(embeddings.close)
        yield Connections(database, bus, objects, vectors, embeddings)


async def run_until_stopped(
    work: Coroutine[object, object, None], health_host: str, health_port: int, checks: Mapping[str, Check]
) -> None:
    """Runs a process's work until SIGTERM or SIGINT cancels it, and serves its health port.

    Args:
        work: The work; it shuts down cleanly when cancelled.
        health_host: Address of the health port.
        health_port: Port of `/healthz`, `/readyz` and `/metrics`; 0 for none.
        checks: Checks of `/readyz`.
    """
    task = asyncio.create_task(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    health = await serve_health(health_host, health_port, checks)
    try:
        await task
    except asyncio.CancelledError:
        log.info("worker stopped")
    finally:
        if health is not None:
            await health.cleanup()
