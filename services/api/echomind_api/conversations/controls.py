"""Controlling runs on people's behalf: in the database first, then on the wire."""

from uuid import UUID

import asyncpg

from echomind_api.conversations.exclusions import discard_step
from echomind_lib.db.words import RunStatus
from echomind_lib.events.log import publish
from echomind_lib.messaging import RUNS_REQUESTED, Bus
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2 as pb
from echomind_lib.runs import sub_runs
from echomind_lib.runs.controls import approve, move_run, provide_input, publish_controls

_ACTIVE_ROOTS = """
SELECT id FROM runs
WHERE user_id = $1 AND parent_run_id IS NULL
    AND status IN ('queued', 'running', 'waiting_for_input', 'waiting_for_children', 'paused')
"""
_PARENT = "SELECT parent_run_id FROM runs WHERE id = $1"


class Controls:
    """Moves runs on people's behalf."""

    def __init__(self, pool: asyncpg.Pool, bus: Bus) -> None:
        self._pool = pool
        self._bus = bus

    async def move(self, run_id: UUID, target: RunStatus) -> bool:
        """Cancels (`cancelled`), pauses (`paused`) or resumes (`queued`) a run with the runs below it.

        Returns:
            Whether the run's state allowed it.
        """
        done = await move_run(self._pool, run_id, target)
        await publish_controls(self._bus, done, target)
        if done and target == "cancelled":
            await self._wake_parent(run_id)
        return bool(done)

    async def cancel_all(self, user_id: int) -> None:
        """Cancels all runs of a person; what is started meanwhile is left to the agents' sweep."""
        for row in await self._pool.fetch(_ACTIVE_ROOTS, user_id):
            await self.move(row["id"], "cancelled")

    async def provide_input(self, run_id: UUID, user_id: int, content: str, request_id: str) -> bool:
        """Answers what a run asks; False when it asks nothing, or `request_id` was used before."""
        try:
            done = await provide_input(self._pool, run_id, user_id, content, request_id)
        except asyncpg.UniqueViolationError:
            return False
        if done is not None:
            await publish_controls(self._bus, [done], "queued")
        return done is not None

    async def approve(self, run_id: UUID, user_id: int, tool_call_id: str, approved: bool, comment: str) -> bool:
        """Allows or declines tool calls; False when no such call waits."""
        done = await approve(self._pool, run_id, user_id, tool_call_id, approved, comment)
        if done is not None:
            # A run that still waits for another decision is not queued; the wake-up finds nothing to do.
            await publish_controls(self._bus, [done], "queued")
        return done is not None

    async def discard_step(self, run_id: UUID, step_number: int, user_id: int, *, discarded: bool) -> bool:
        """Leaves a step out of later prompts, or puts it back; False when its run is at work or over."""
        return await discard_step(self._pool, self._bus, run_id, step_number, user_id, discarded=discarded)

    async def _wake_parent(self, run_id: UUID) -> None:
        """A parent may have waited for nothing but the run that was cancelled."""
        parent = await self._pool.fetchval(_PARENT, run_id)
        if parent is not None and (stored := await sub_runs.wake(self._pool, parent)) is not None:
            await publish(self._bus, stored)
            await self._bus.wake(RUNS_REQUESTED, pb.RunRequested(run_id=str(parent)))
