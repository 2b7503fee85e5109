"""Controlling runs on people's behalf: in the database first, then on the wire."""

from typing import Final
from uuid import UUID

import asyncpg
from sqlalchemy import Integer, bindparam, select

from echomind_api.conversations.exclusions import exclude_step
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.db.words import ACTIVE_RUN_STATUSES, RunStatus
from echomind_lib.events.log import EventLog
from echomind_lib.runs.controls import move_run
from echomind_lib.runs.inputs import approve, provide_input

_ACTIVE_ROOTS: Final = Query(
    select(Run.id).where(
        Run.user_id == bindparam("user_id", type_=Integer),
        Run.parent_run_id.is_(None),
        Run.status.in_(ACTIVE_RUN_STATUSES),
    ),
    UUID,
)


class Controls:
    """Moves runs on people's behalf."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    async def move(self, run_id: UUID, target: RunStatus) -> bool:
        """Cancels (`cancelled`), pauses (`paused`) or resumes (`queued`) a run with the runs below it.

        Returns:
            Whether the run's state allowed it.
        """
        return await move_run(self._log, run_id, target)

    async def cancel_all(self, user_id: int) -> None:
        """Cancels all runs of a user; runs started in the meantime are cancelled by the agents' sweep."""
        for run_id in await _ACTIVE_ROOTS.fetch_all(self._log.pool, user_id=user_id):
            await self.move(run_id, "cancelled")

    async def provide_input(self, run_id: UUID, user_id: int, content: str, request_id: str) -> bool:
        """Answers the request of a run; returns False if there is none, or `request_id` was used before."""
        try:
            return await provide_input(self._log, run_id, user_id, content, request_id) is not None
        except asyncpg.UniqueViolationError:
            return False

    async def approve(self, run_id: UUID, user_id: int, tool_call_id: str, approved: bool, comment: str) -> bool:
        """Approves or denies tool calls; False when no such call waits."""
        return await approve(self._log, run_id, user_id, tool_call_id, approved, comment)

    async def exclude_step(self, run_id: UUID, step_number: int, user_id: int, *, excluded: bool) -> bool:
        """Excludes a step from later prompts, or includes it again; False when its run is at work or over."""
        return await exclude_step(self._log, run_id, step_number, user_id, excluded=excluded)
