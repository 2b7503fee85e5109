"""The end of a full listing: what it has not seen is removed, in batches of which each is a transaction."""

from typing import Final

import asyncpg

from echomind_ingestor.sync import listing, syncs
from echomind_ingestor.sync.syncs import ActiveSync
from echomind_ingestor.sync.transactions import fenced
from echomind_lib.db.batches import in_batches
from echomind_lib.jobs import REMOVE_DOCUMENTS, Job, enqueue, wake
from echomind_lib.messaging import Bus

BATCH: Final = 1000
"""Documents removed per transaction; files within them are removed with them."""


async def remove_unseen(pool: asyncpg.Pool, bus: Bus, job: Job, sync: ActiveSync, started: int) -> int:
    """Removes the documents that a listing has not seen, before the transaction that ends the sync.

    The seen items stay stored until that transaction, so an interrupted removal is continued by whoever continues the
    sync. What was removed counts at once, so that a removal that was confirmed, or needed no confirmation, needs none
    for its rest.

    Args:
        pool: The database.
        bus: Bus to wake the job that deletes the documents' data.
        job: The job whose lease every transaction requires.
        sync: The sync.
        started: The sync in which the listing started.

    Returns:
        The number of documents.

    Raises:
        SyncStoppedError: The worker no longer holds the sync, or it has ended.
    """
    last = 0

    async def remove(limit: int) -> int:
        nonlocal last
        async with fenced(pool, job, sync) as connection:
            unseen = await listing.UNSEEN.fetch_all(
                connection, connector_id=sync.connector_id, listing=started, after=last, limit=limit
            )
            if not unseen:
                return 0
            removed = await listing.REMOVE.execute(connection, ids=unseen)
            await syncs.COUNT.execute(connection, sync_id=sync.id, pages=0, seen=0, added=0, updated=0, removed=removed)
            await enqueue(connection, REMOVE_DOCUMENTS)
        await wake(bus, REMOVE_DOCUMENTS)
        last = unseen[-1]
        return len(unseen)

    return await in_batches(remove, BATCH)
