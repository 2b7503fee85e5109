"""The end of entries of the audit log that are older than the settings say."""

import asyncio
from typing import Final

import structlog

from echomind_lib.db.database import DATABASE_FAILURES, Database

_SWEEP_SECONDS: Final = 3600.0
_BATCH: Final = 10_000

# The trigger that keeps the log append-only looks for this setting of the transaction.
_PERMIT = "SET LOCAL echomind.retention = 'audit_log'"
_DELETE = """
    WITH removed AS (
        DELETE FROM audit_log WHERE id IN (
            SELECT id FROM audit_log WHERE creation_date < now() - make_interval(days => $1)
            ORDER BY creation_date LIMIT $2 FOR UPDATE SKIP LOCKED
        ) RETURNING id
    )
    SELECT count(*) FROM removed
"""

log = structlog.get_logger(__name__)


class AuditRetention:
    """Removes entries whose time is over."""

    def __init__(self, database: Database, days: int) -> None:
        """Keeps the setting.

        Args:
            database: Where the log is.
            days: How long entries are kept; 0: for good.
        """
        self._pool = database.pool
        self._days = days

    async def run(self) -> None:
        """Sweeps at once and then once an hour, until it is cancelled."""
        while self._days:
            try:
                await self.sweep()
            except DATABASE_FAILURES as error:
                log.warning("the audit log was not swept", error=repr(error))
            await asyncio.sleep(_SWEEP_SECONDS)

    async def sweep(self) -> int:
        """Removes what is too old, in batches. Returns how many entries that were."""
        total = 0
        while self._days:
            async with self._pool.acquire() as connection, connection.transaction():
                await connection.execute(_PERMIT)
                removed: int = await connection.fetchval(_DELETE, self._days, _BATCH)
            total += removed
            if removed < _BATCH:
                break
        if total:
            log.info("entries of the audit log were removed, as their time is over", count=total, days=self._days)
        return total
