"""Deletion of the events of runs that ended long ago."""

import asyncio
from datetime import datetime, timedelta
from typing import Final

import structlog
from prometheus_client import Counter
from sqlalchemy import ColumnElement, delete, func, select, tuple_

from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.db.models import ChatSession, Run
from echomind_lib.db.models.runs import SessionEvent

_SWEEP_SECONDS: Final = 24 * 3600.0
_SESSIONS: Final = 500
"""Conversations that one statement looks through."""
_BATCH: Final = 2_000
"""Events that one transaction deletes."""

_PRUNED: Final = Counter("echomind_run_events_pruned_total", "Events of ended runs deleted because of their age.")

log = structlog.get_logger(__name__)


class EventRetention:
    """Deletes events of runs that ended some days ago, except the last event of each run.

    Messages, steps, tool calls and citations have tables of their own and stay. A stream that continues before a
    deleted event gets a gap, and then the run's final event.
    """

    def __init__(self, database: Database, days: int) -> None:
        """Stores the setting.

        Args:
            database: The database of the events.
            days: Days for which events are kept after their run has ended; 0 keeps them forever.
        """
        self._database = database
        self._days = days

    async def run(self) -> None:
        """Sweeps at once and then once a day, until it is cancelled."""
        while self._days:
            try:
                await self.sweep()
            except DATABASE_FAILURES as error:
                log.warning("events of ended runs were not pruned", error=repr(error))
            await asyncio.sleep(_SWEEP_SECONDS)

    async def sweep(self) -> int:
        """Deletes old events in small transactions, each of one conversation, and returns their number."""
        total, last = 0, 0
        while self._days and (window := await self._window(last)):
            first, last = last, window
            for session_id in await self._prunable(first, last):
                total += await self._prune(session_id)
        if total:
            log.info("events of ended runs were deleted, as their time is over", count=total, days=self._days)
        return total

    async def _window(self, after: int) -> int | None:
        """Returns the last of the next conversations that may have such events; None if there are none."""
        old = (
            select(ChatSession.id)
            .where(ChatSession.id > after, ChatSession.creation_date < self._cutoff)
            .order_by(ChatSession.id)
            .limit(_SESSIONS)
            .subquery()
        )
        async with self._database.session() as session:
            last: int | None = await session.scalar(select(func.max(old.c.id)))
            return last

    async def _prunable(self, after: int, last: int) -> list[int]:
        """Returns the conversations of a window that have events to delete."""
        found = (
            select(SessionEvent.chat_session_id)
            .join(Run, Run.id == SessionEvent.run_id)
            .where(SessionEvent.chat_session_id > after, SessionEvent.chat_session_id <= last, *self._is_old)
            .distinct()
            .order_by(SessionEvent.chat_session_id)
        )
        async with self._database.session() as session:
            return list(await session.scalars(found))

    async def _prune(self, session_id: int) -> int:
        """Deletes the old events of a conversation, in batches, so that its writers never wait for long."""
        total = 0
        while True:
            old = (
                select(SessionEvent.chat_session_id, SessionEvent.id)
                .join(Run, Run.id == SessionEvent.run_id)
                .where(SessionEvent.chat_session_id == session_id, *self._is_old)
                .order_by(SessionEvent.id)
                .limit(_BATCH)
            )
            key = tuple_(SessionEvent.chat_session_id, SessionEvent.id)
            removal = delete(SessionEvent).where(key.in_(old)).returning(SessionEvent.id)
            async with self._database.session() as session:
                removed = len((await session.scalars(removal)).all())
            _PRUNED.inc(removed)
            total += removed
            if removed < _BATCH:
                return total

    @property
    def _cutoff(self) -> ColumnElement[datetime]:
        return func.now() - timedelta(days=self._days)

    @property
    def _is_old(self) -> tuple[ColumnElement[bool], ...]:
        return (
            SessionEvent.kind != "final",
            SessionEvent.creation_date < self._cutoff,
            Run.completed_at < self._cutoff,
        )
