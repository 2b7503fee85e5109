"""Entries of the audit log whose time is over."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select
from typing_extensions import override

from echomind_api.retention.expiry import COUNTED, ExpiredQuery, Expiry, Preview
from echomind_lib.db.models import AuditSeal


class AuditExpiry(Expiry):
    """Sealed entries, by the time of the newest one under their seal. The seals stay."""

    @override
    def expired(self) -> ExpiredQuery:
        """Returns the query for the seals whose entries are removed, as the function `remove_audit_entries` finds."""
        has_entries = AuditSeal.ids.is_not(None)
        first_kept = (
            select(func.min(AuditSeal.number))
            .where(has_entries, AuditSeal.last_entry_at >= self._cutoff)
            .scalar_subquery()
        )
        return select(AuditSeal.last_entry_at, AuditSeal.count).where(
            has_entries, func.coalesce(AuditSeal.number < first_kept, True)
        )

    @override
    async def preview(self) -> Preview:
        if not self._days:
            return Preview()
        found = self.expired().subquery()
        async with self._database.session() as session:
            total = func.coalesce(func.sum(found.c.count), 0)
            row = (await session.execute(select(total, func.min(found.c.last_entry_at)))).one()
        return Preview(min(row[0], COUNTED), row[0] > COUNTED, row[1])

    @override
    async def _sweep(self) -> int:
        total = 0
        while True:
            async with self._database.session() as session:
                before = datetime.now(UTC) - timedelta(days=self._days)
                removed = await session.scalar(select(func.remove_audit_entries(before))) or 0
            total += removed
            if not removed:
                return total
