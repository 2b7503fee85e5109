"""Steps and tool calls of runs that ended long ago."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import delete, exists, func, select
from sqlalchemy.orm import aliased
from typing_extensions import override

from echomind_api.retention.expiry import ExpiredQuery, Expiry
from echomind_lib.db.models import Run, Step

_RUNS: Final = 200
"""Runs whose steps one transaction deletes."""
_NIL: Final = UUID(int=0)


class StepExpiry(Expiry):
    """Steps of ended runs with their tool calls; none of a conversation in which a run is active.

    Runs, messages, events and citations have tables of their own and stay.
    """

    @override
    def expired(self) -> ExpiredQuery:
        return select(Run.completed_at).join(Step, Step.run_id == Run.id).where(*self._is_old)

    @override
    async def _sweep(self) -> int:
        total, last = 0, _NIL
        while runs := await self._window(last):
            last = runs[-1]
            old = select(Run.id).where(Run.id.in_(runs), *self._is_old)
            async with self._database.session() as session:
                removal = delete(Step).where(Step.run_id.in_(old)).returning(Step.id)
                total += len((await session.scalars(removal)).all())
        return total

    async def _window(self, after: UUID) -> Sequence[UUID]:
        """Returns the next runs that began before the rule's time and have steps."""
        has_steps = exists().where(Step.run_id == Run.id)
        query = select(Run.id).where(Run.id > after, Run.id < self._end, has_steps).order_by(Run.id).limit(_RUNS)
        async with self._database.session() as session:
            return (await session.scalars(query)).all()

    @property
    def _end(self) -> UUID:
        """The id of a run that would have begun at the rule's time: ids are UUIDv7, ordered by time."""
        before = datetime.now(UTC) - timedelta(days=self._days)
        return UUID(int=max(0, int(before.timestamp() * 1000)) << 80)  # a rule may reach back to before 1970

    @property
    def _is_old(self) -> tuple[Any, ...]:
        other = aliased(Run)
        is_active = exists(
            select(other.id).where(other.chat_session_id == Run.chat_session_id, other.completed_at.is_(None))
        )
        return (
            Run.id < self._end,
            Run.completed_at < self._cutoff,
            ~is_active,
            ~func.is_held(Run.user_id, Run.chat_session_id),
        )
