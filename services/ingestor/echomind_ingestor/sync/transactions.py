"""The transactions of a sync: each requires the job's lease, and an active connector."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from echomind_ingestor.sync import syncs
from echomind_ingestor.sync.syncs import ActiveSync
from echomind_lib.jobs import Job


class SyncStoppedError(Exception):
    """The sync was cancelled, its connector paused, disabled or removed, or another worker has claimed the sync."""


@asynccontextmanager
async def fenced(pool: asyncpg.Pool, job: Job, sync: ActiveSync) -> AsyncIterator[PoolConnectionProxy]:
    """Opens a transaction that is serialized with pausing or removing the connector.

    Raises:
        SyncStoppedError: The sync may not continue, or not by this worker.
    """
    async with pool.acquire() as connection, connection.transaction():
        row = {"sync_id": sync.id, "connector_id": sync.connector_id}
        if await syncs.GUARD.fetch_one(connection, **job.fence, **row) is None:
            raise SyncStoppedError
        yield connection
