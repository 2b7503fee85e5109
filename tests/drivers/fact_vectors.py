"""A way to let the vectors of memories and knowledge follow their rows in tests of the gateway."""

from collections.abc import Awaitable, Callable

import asyncpg
import pytest_asyncio

from echomind_api.main import Gateway
from echomind_ingestor.facts.indexing import FactIndexing
from echomind_lib.jobs import INDEX_FACTS, enqueue, lease
from echomind_lib.learned.facts import FactVectors
from tests.drivers.gateway import Process
from tests.factories.rows import new_worker

Follow = Callable[[], Awaitable[None]]


@pytest_asyncio.fixture
async def follow(gateway: Gateway, process: Process, pool: asyncpg.Pool) -> Follow:
    """Lets the vectors follow the rows, as the ingestor does."""
    parts = gateway.parts.dependencies
    indexing = FactIndexing(pool, FactVectors(pool, parts.vectors, parts.embeddings))
    worker_id = await new_worker(pool)

    async def work() -> None:
        await enqueue(pool, INDEX_FACTS)
        job = await lease.claim(pool, [INDEX_FACTS], worker_id)
        assert job is not None
        await indexing.work(job)
        await lease.complete(pool, job, again_after=0)

    return work
