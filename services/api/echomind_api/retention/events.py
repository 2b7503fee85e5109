"""Deletion of the events of runs that ended long ago."""

from typing import Final

from prometheus_client import Counter
from sqlalchemy import ColumnElement, delete, func, select, tuple_
from typing_extensions import override

from echomind_api.retention.expiry import ExpiredQuery, Expiry
from echomind_lib.db.models import ChatSession, Run
from echomind_lib.db.models.runs import SessionEvent

_SESSIONS: Final = 500
"""Conversations that one statement looks through."""
_BATCH: Final = 2_000
"""Events that one transaction deletes."""

_PRUNED: Final = Counter("echomind_run_events_pruned_total", "Events of ended runs deleted because of their age.")


class EventExpiry(Expiry):
    """Events of runs that ended some days ago, without the last event of each run.

    Messages, steps, tool calls and citations have tables of their own and stay. A stream that continues before a
    deleted event gets a gap, and then the run's final event.
    """

    @override
    def expired(self) -> ExpiredQuery:
        return select(SessionEvent.creation_date).join(Run, Run.id == SessionEvent.run_id).where(*self._is_old)

    @override
    async def _sweep(self) -> int:
        """Deletes old events in small transactions, each of one conversation, and returns their number."""
        total, last = 0, 0
        while window := await self._window(last):
            first, last = last, window
            for session_id in await self._prunable(first, last):
                total += await self._prune(session_id)
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
    def _is_old(self) -> tuple[ColumnElement[bool], ...]:
        return (
            SessionEvent.kind != "final",
            SessionEvent.creation_date < self._cutoff,
            Run.completed_at < self._cutoff,
            ~func.is_held(Run.user_id, Run.chat_session_id),
        )
