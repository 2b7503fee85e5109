"""What is deleted because of its age: the common part of all kinds of data."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, func, select

from echomind_lib.db.database import Database

COUNTED: Final = 100_000
"""How many rows a preview counts."""


ExpiredQuery = Select[*tuple[Any, ...]]
"""A query with a row for each thing that is deleted, and its time as the first column."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be deleted now."""

    count: int = 0
    """At most `COUNTED`."""
    has_more: bool = False
    oldest_at: datetime | None = None
    """Time of the oldest one that was counted; None if there is none."""


class Expiry(ABC):
    """Data of one kind, which is kept for some days."""

    def __init__(self, database: Database, days: int) -> None:
        """Stores the rule.

        Args:
            database: The database.
            days: Days for which it is kept; 0 keeps it forever.
        """
        self._database, self._days = database, days

    @abstractmethod
    def expired(self) -> ExpiredQuery:
        """Returns the query for what is deleted now, a row for each, with its time as the first column."""

    async def sweep(self) -> int:
        """Deletes what is older than the rule says, in small transactions, and returns how much it was."""
        return await self._sweep() if self._days else 0

    @abstractmethod
    async def _sweep(self) -> int: ...

    async def preview(self) -> Preview:
        """Counts what `sweep` would delete now."""
        if not self._days:
            return Preview()
        found = self.expired().limit(COUNTED + 1).subquery()
        async with self._database.session() as session:
            row = (await session.execute(select(func.count(), func.min(next(iter(found.c)))).select_from(found))).one()
        return Preview(min(row[0], COUNTED), row[0] > COUNTED, row[1])

    @property
    def _cutoff(self) -> ColumnElement[datetime]:
        return func.now() - timedelta(days=self._days)
