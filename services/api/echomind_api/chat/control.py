"""Pausing, resuming and cancelling runs: in the database first, then on the wire."""

from uuid import UUID

import asyncpg

from echomind_lib.db.words import RunStatus
from echomind_lib.messaging import RUNS_REQUESTED, Bus, control_subject
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2 as pb
from echomind_lib.runs.events import announce
from echomind_lib.runs.sending import move_run

_CONTROLS = {"cancelled": pb.CONTROL_CANCEL, "paused": pb.CONTROL_PAUSE}


class Controls:
    """Moves runs on people's behalf."""

    def __init__(self, pool: asyncpg.Pool, bus: Bus) -> None:
        self._pool = pool
        self._bus = bus

    async def move(self, run_id: UUID, target: RunStatus) -> bool:
        """Cancels (`cancelled`), pauses (`paused`) or resumes (`queued`) a run; False when its state forbids it."""
        done = await move_run(self._pool, run_id, target)
        if done is None:
            return False
        await announce(self._bus, done.stored)
        if done.worker_must_act:
            message = pb.ControlRequested(run_id=str(run_id), control=_CONTROLS[target])
            await self._bus.publish(control_subject(run_id), message)
        elif target == "queued":
            await self._bus.wake(RUNS_REQUESTED, pb.RunRequested(run_id=str(run_id)))
        return True
