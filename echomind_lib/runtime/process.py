"""The lifecycle of a service process: connections, signals, and the health port."""

import asyncio
import signal
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NoReturn

import asyncpg
import structlog

from echomind_lib.config import Settings
from echomind_lib.db import migrate
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.embeddings.served import ServedModels
from echomind_lib.embeddings.traces import TracedEmbeddingClient
from echomind_lib.messaging import Bus
from echomind_lib.objects import ObjectStore
from echomind_lib.process.disk import DiskSpace
from echomind_lib.process.freed_memory import release_after_work
from echomind_lib.rerankers.active import Rerankers
from echomind_lib.secrets import Secrets
from echomind_lib.telemetry import Check, serve_health, spans
from echomind_lib.vectors import VectorIndex

log = structlog.get_logger(__name__)

_START_POLL_SECONDS = 0.05
_WARM_SECONDS = 240.0


@dataclass(frozen=True, slots=True)
class Connections:
    """The clients that all services use."""

    database: Database
    bus: Bus
    objects: ObjectStore
    vectors: VectorIndex
    embeddings: EmbeddingClient
    rerankers: Rerankers

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
        await may_connect(settings.start_file)
        url = settings.postgres.url.get_secret_value()
        await migrate.check(url, wait=settings.postgres.schema_wait_seconds)
        database = await stack.enter_async_context(
            await Database.connect(url, application_name=name, max_size=settings.postgres.pool_size)
        )
        for care in (keep_warm(database.pool), release_after_work()):
            stack.callback(asyncio.create_task(care).cancel)
        bus = await Bus.connect(settings.nats.url.get_secret_value(), name, replicas=settings.nats.replicas)
        stack.push_async_callback(bus.close)
        objects = ObjectStore(settings.s3)
        stack.push_async_callback(objects.close)
        key = settings.qdrant.api_key
        vectors = VectorIndex(settings.qdrant.url, key.get_secret_value() if key else None)
        stack.push_async_callback(vectors.close)
        client = EmbeddingClient if spans.recorder is None else TracedEmbeddingClient
        secrets = cache(lambda: Secrets.load(settings.secrets, settings.data_dir))
        served = ServedModels(database.pool, secrets)
        embeddings = client(settings.embedding.url, settings.embedding.key, served=served)
        stack.push_async_callback(embeddings.close)
        rerankers = Rerankers(database.pool, secrets)
        stack.push_async_callback(rerankers.close)
        yield Connections(database, bus, objects, vectors, embeddings, rerankers)


async def keep_warm(pool: asyncpg.Pool, every: float = _WARM_SECONDS) -> NoReturn:
    """Uses one connection of a pool at intervals, until cancelled.

    Servers and what lies between close connections that are idle for long. Without this, the first question after a
    pause would wait until a new one is open and the server has planned each statement again.

    Args:
        pool: The pool. It hands out the connection that was used last.
        every: Seconds between uses.
    """
    while True:
        await asyncio.sleep(every)
        with suppress(*DATABASE_FAILURES):  # whoever needs the database notices
            await pool.fetchval("SELECT 1")


async def may_connect(start_file: Path | None) -> None:
    """Returns once a process may connect to servers: when the file exists, if there is one."""
    while start_file is not None and not start_file.exists():  # noqa: ASYNC110, ASYNC240 - a local file
        await asyncio.sleep(_START_POLL_SECONDS)


async def run_until_stopped(
    work: Coroutine[object, object, None],
    health_host: str,
    health_port: int,
    checks: Mapping[str, Check],
    disk: DiskSpace,
) -> None:
    """Runs a process's work until SIGTERM or SIGINT cancels it, and serves its health port.

    Args:
        work: The work; it shuts down cleanly when cancelled.
        health_host: Address of the health port.
        health_port: Port of `/healthz`, `/readyz` and `/metrics`; 0 for none.
        checks: Checks of `/readyz`.
        disk: The disk that `/metrics` measures.
    """
    task = asyncio.create_task(work)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    health = await serve_health(health_host, health_port, checks, disk=disk)
    try:
        await task
    except asyncio.CancelledError:
        log.info("worker stopped")
    finally:
        if health is not None:
            await health.cleanup()
