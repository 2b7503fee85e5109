"""Controlling runs on people's behalf: in the database first, then on the wire."""

from uuid import UUID

import asyncpg

from echomind_api.conversations.exclusions import discard_step
from echomind_lib.db.words import RunStatus
from echomind_lib.events.log import EventLog
from echomind_lib.runs.controls import move_run
from echomind_lib.runs.inputs import approve, provide_input

_ACTIVE_ROOTS = """
SELECT id FROM runs
WHERE user_id = $1 AND parent_run_id IS NULL
    AND status IN ('queued', 'running', 'waiting_for_input', 'waiting_for_children', 'paused')
"""


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
        """Cancels all runs of a person; what is started meanwhile is left to the agents' sweep."""
        for row in await self._log.pool.fetch(_ACTIVE_ROOTS, user_id):
            await self.move(row["id"], "cancelled")

    async def provide_input(self, run_id: UUID, user_id: int, content: str, request_id: str) -> bool:
        """Answers what a run asks; False when it asks nothing, or `request_id` was used before."""
        try:
            return await provide_input(self._log, run_id, user_id, content, request_id) is not None
        except asyncpg.UniqueViolationError:
            return False

    async def approve(self, run_id: UUID, user_id: int, tool_call_id: str, approved: bool, comment: str) -> bool:
        """Allows or declines tool calls; False when no such call waits."""
        return await approve(self._log, run_id, user_id, tool_call_id, approved, comment)

    async def discard_step(self, run_id: UUID, step_number: int, user_id: int, *, discarded: bool) -> bool:
        """Leaves a step out of later prompts, or puts it back; False when its run is at work or over."""
        return await discard_step(self._log.pool, self._log.bus, run_id, step_number, user_id, discarded=discarded)
