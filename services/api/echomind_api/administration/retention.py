"""Deletion of expired entries of the audit log."""

import asyncio
from datetime import timedelta
from typing import Final

import structlog
from sqlalchemy import delete, func, select
from sqlalchemy.sql.dml import ReturningDelete

from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.db.models import AuditEntry

_SWEEP_SECONDS: Final = 3600.0
_BATCH: Final = 10_000


log = structlog.get_logger(__name__)


class AuditRetention:
    """Removes entries whose time is over."""

    def __init__(self, database: Database, days: int) -> None:
        """Stores the setting.

        Args:
            database: The database of the log.
            days: Days for which entries are kept; 0 keeps them forever.
        """
        self._database = database
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
        """Deletes expired entries in batches and returns their number."""
        total = 0
        while self._days:
            async with self._database.session() as session:
                # The trigger that keeps the log append-only allows deletions when the transaction has this setting.
                await session.execute(select(func.set_config("echomind.retention", "audit_log", True)))
                removed = len((await session.scalars(self._removal())).all())
            total += removed
            if removed < _BATCH:
                break
        if total:
            log.info("entries of the audit log were removed, as their time is over", count=total, days=self._days)
        return total

    def _removal(self) -> ReturningDelete[int]:
        old = (
            select(AuditEntry.id)
            .where(AuditEntry.creation_date < func.now() - timedelta(days=self._days))
            .order_by(AuditEntry.creation_date)
            .limit(_BATCH)
            .with_for_update(skip_locked=True)
        )
        return delete(AuditEntry).where(AuditEntry.id.in_(old)).returning(AuditEntry.id)
