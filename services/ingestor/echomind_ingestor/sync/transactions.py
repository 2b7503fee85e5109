"""The transactions of a sync: each requires the job's lease, and a connector that may be synced."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from echomind_ingestor.sync import syncs
from echomind_lib.jobs import Job


class SyncStoppedError(Exception):
    """The connector was paused, disabled or removed, or another worker has the sync."""


@asynccontextmanager
async def fenced(pool: asyncpg.Pool, job: Job, connector_id: int) -> AsyncIterator[PoolConnectionProxy]:
    """A transaction that pausing or removing the connector comes before or after.

    Raises:
        SyncStoppedError: The connector may not be synced any more, or not by this worker.
    """
    async with pool.acquire() as connection, connection.transaction():
        if await syncs.GUARD.fetch_one(connection, **job.fence, connector_id=connector_id) is None:
            raise SyncStoppedError
        yield connection
