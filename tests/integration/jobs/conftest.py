"""What the tests of this folder share."""

from collections.abc import AsyncIterator
from uuid import UUID

import pytest_asyncio

from echomind_lib.db.database import Database
from echomind_lib.events.log import EventLog
from echomind_lib.messaging import Bus
from tests.factories.rows import new_worker


@pytest_asyncio.fixture(loop_scope="session")
async def events(database: Database, nats_url: str) -> AsyncIterator[EventLog]:
    """An empty database and a bus."""
    bus = await Bus.connect(nats_url, "test")
    yield EventLog(database.pool, bus)
    await bus.close()


@pytest_asyncio.fixture(loop_scope="session")
async def worker_id(database: Database) -> UUID:
    """A worker that is alive."""
    found: UUID = await new_worker(database.pool)
    return found
