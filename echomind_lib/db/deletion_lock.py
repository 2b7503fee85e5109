"""The lock between backups and the deletion of stored data.

A backup copies the files and chunks to which the rows of its snapshot refer. What a row referred to at that moment must
therefore not be deleted before the backup has ended. Deletions hold the lock shared, a backup holds it alone;
PostgreSQL releases it when its holder dies.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final
from weakref import WeakKeyDictionary

import asyncpg
from sqlalchemy import func, select

from echomind_lib.db.statements import Query

_KEY: Final = 0x6563_6270
"""`ecbp`: the key of the advisory lock."""
_TRY_SHARED: Final = Query(select(func.pg_try_advisory_xact_lock_shared(_KEY)), bool)
_TRY_ALONE: Final = Query(select(func.pg_try_advisory_lock(_KEY)), bool)
_ALONE: Final = Query(select(func.pg_advisory_lock(_KEY).is_(None)), bool)
_HOLDERS: Final = 2
"""At most so many batches at once hold a connection of a pool, and fewer than it has connections: each batch needs
another one, for which all would wait."""
_holders: Final = WeakKeyDictionary[asyncpg.Pool, asyncio.Semaphore]()


@asynccontextmanager
async def deletion_lock(pool: asyncpg.Pool) -> AsyncIterator[bool]:
    """Holds the lock for one batch of deletions, which must take less than a minute.

    Yields:
        Whether the batch may be deleted now; False while a backup is being made or waits for other deletions. Delete it
        later then.
    """
    holders = _holders.get(pool)
    if holders is None:
        holders = _holders[pool] = asyncio.Semaphore(max(1, min(_HOLDERS, pool.get_max_size() - 1)))
    async with holders, pool.acquire() as connection, connection.transaction():
        (may_delete,) = await _TRY_SHARED.fetch_all(connection)
        yield may_delete


async def try_hold_deletions(connection: asyncpg.Connection) -> bool:
    """Prevents deletions until the connection is closed, unless some are in progress; returns whether it does."""
    (is_held,) = await _TRY_ALONE.fetch_all(connection)
    return is_held


async def hold_deletions(connection: asyncpg.Connection) -> None:
    """As `try_hold_deletions`, and waits for deletions in progress; no new ones begin meanwhile."""
    await _ALONE.fetch_all(connection)
