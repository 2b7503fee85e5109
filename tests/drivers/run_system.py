"""A session whose runs are worked on, controlled and lost in any order, and the rules that always hold.

Every write goes through the functions that the product uses, also those of workers that lost their run long ago.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final
from uuid import UUID

import asyncpg

from echomind_lib.db.words import RunStatus, StepAction
from echomind_lib.errors import RunActiveError
from echomind_lib.events.log import EventLog
from echomind_lib.events.replay import read_events
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs import finish, lease, parents, steps, sub_runs
from echomind_lib.runs.controls import move_run
from echomind_lib.runs.fence import LeaseLostError, RunLease
from echomind_lib.runs.finish import Answer, Ending
from echomind_lib.runs.inputs import approve, provide_input
from echomind_lib.runs.states import TRANSITIONS, is_final, run_status
from echomind_lib.runs.steps import NewResult, NewToolCall
from tests.factories.questions import ask
from tests.factories.rows import new_worker
from tests.factories.run_writes import new_step, new_sub_run

WORKERS: Final = 2
_CALL: Final = "call-1"


class RunSystem:
    """One session with its runs, and workers that may think that they have them."""

    def __init__(self, log: EventLog, user_id: int) -> None:
        self.log, self.pool, self.user_id = log, log.pool, user_id
        self.session_id: int | None = None
        self.workers: list[UUID] = []
        self.held: list[RunLease] = []
        """All that was ever taken, also what was lost since."""
        self.statuses: dict[UUID, RunStatus] = {}
        self.ended: dict[UUID, Any] = {}

    async def begin(self) -> None:
        for _ in range(WORKERS):
            self.workers.append(await new_worker(self.pool))
        await self.send()

    async def runs(self, *statuses: str) -> list[UUID]:
        rows = await self.pool.fetch(
            "SELECT id FROM runs WHERE chat_session_id = $1 AND (status = ANY($2) OR $2 = '{}') ORDER BY id",
            self.session_id,
            list(statuses),
        )
        return [row["id"] for row in rows]

    # -- what people do --------------------------------------------------------------------------------------------
    async def send(self) -> None:
        active = await self.pool.fetchval(
            "SELECT count(*) FROM runs WHERE chat_session_id = $1 AND parent_run_id IS NULL AND completed_at IS NULL",
            self.session_id,
        )
        try:
            sent = await ask(self.log, self.user_id, self.session_id)
        except RunActiveError:
            assert active == 1
        else:
            waited = sent.run_id in self.statuses
            assert active == (1 if waited else 0)
            self.session_id = sent.chat_session_id

    async def move(self, number: int, target: RunStatus) -> None:
        if runs := await self.runs():
            await move_run(self.log, runs[number % len(runs)], target)

    async def give_input(self, number: int) -> None:
        if runs := await self.runs():
            await provide_input(self.log, runs[number % len(runs)], self.user_id, "This.")

    async def decide(self, number: int, approved: bool) -> None:
        if runs := await self.runs():
            await approve(self.log, runs[number % len(runs)], self.user_id, "", approved, "")

    # -- what workers do -------------------------------------------------------------------------------------------
    async def take(self, number: int, worker: int) -> None:
        runs = await self.runs("queued", "running")
        if runs and (taken := await lease.claim(self.log, runs[number % len(runs)], self.workers[worker])):
            self.held.append(taken)

    async def write(self, number: int, work: Any) -> None:
        """A write of a worker, which may have lost the run: then nothing changes."""
        if not self.held:
            return
        taken = self.held[number % len(self.held)]
        before = await self.pool.fetchrow("SELECT status, attempt FROM runs WHERE id = $1", taken.run_id)
        assert before is not None
        may = before["status"] == "running" and before["attempt"] == taken.attempt
        if not may:
            state = await self._state(taken.run_id)
            try:
                await work(taken)
            except LeaseLostError:
                assert await self._state(taken.run_id) == state
                return
            raise AssertionError(f"a worker without the run wrote: {before['status']}, attempt {taken.attempt}")
        await work(taken)

    async def record(self, number: int, action: StepAction) -> None:
        async def work(taken: RunLease) -> None:
            if await self._open_step(taken.run_id) is not None:
                await self._touch(taken)
                return
            approval = "required" if action == "call_tool" else None
            call = NewToolCall(_CALL, action, {}, "pending", approval=approval)  # type: ignore[arg-type]
            await steps.record_step(self.log, taken, new_step(action=action, tool_calls=[call]), [])

        await self.write(number, work)

    async def delegate(self, number: int) -> None:
        async def work(taken: RunLease) -> None:
            step = await self._open_step(taken.run_id)
            if step is None or step["action"] != "delegate" or step["external_task_id"] or taken.run.depth >= 3:
                await self._touch(taken)
                return
            await sub_runs.start(self.log, taken, step["id"], [new_sub_run(_CALL)], untrusted=False)

        await self.write(number, work)

    async def settle(self, number: int) -> None:
        """Records the result of the open call when there is one to be had; waits for it otherwise."""

        async def work(taken: RunLease) -> None:
            step = await self._open_step(taken.run_id)
            if step is None:
                await self._touch(taken)
                return
            child = step["external_task_id"] and (await sub_runs.read_ended(self.pool, taken.run_id)).get(
                UUID(step["external_task_id"])
            )
            if step["call_status"] not in ("pending", "running"):
                await steps.close_step(self.log, taken, step["id"], "", [])
            elif child or step["approval"] == "granted":
                result = NewResult(_CALL, "completed", "Result.")
                await steps.record_result(self.log, taken, step["id"], result, [], completes_step=True)
            elif step["external_task_id"]:
                await self._leave(taken, "waiting_for_children")
            elif step["action"] != "delegate":
                kind = "APPROVAL" if step["approval"] == "required" else "CLARIFICATION"
                pending = {"kind": f"PENDING_INPUT_KIND_{kind}", "toolCalls": [{"toolCallId": _CALL}]}
                await self._leave(taken, "waiting_for_input", pending)
            else:  # its sub-agent is not started
                await self._touch(taken)

        await self.write(number, work)

    async def pause(self, number: int) -> None:
        await self.write(number, lambda taken: self._leave(taken, "paused"))

    async def retry(self, number: int) -> None:
        await self.write(number, lambda taken: lease.retry(self.log, taken, "Again"))

    async def finish(self, number: int, status: RunStatus) -> None:
        async def work(taken: RunLease) -> None:
            await finish.finish(self.log, taken, Answer("So.", 1), Ending(status, "Over"))

        await self.write(number, work)

    async def die(self, worker: int) -> None:
        await self.pool.execute("DELETE FROM workers WHERE id = $1", self.workers[worker])

    async def come_back(self, worker: int) -> None:
        await self.pool.execute(
            "INSERT INTO workers (id, service, host) VALUES ($1, 'agent', 'test') ON CONFLICT DO NOTHING",
            self.workers[worker],
        )

    async def sweep(self) -> None:
        await parents.queue_settled(self.log, 100)
        for run_id in await sub_runs.orphans(self.pool, 100):
            await move_run(self.log, run_id, "cancelled")

    # -- what always holds -----------------------------------------------------------------------------------------
    async def check(self) -> None:
        rows = await self.pool.fetch("SELECT * FROM runs WHERE chat_session_id = $1", self.session_id)
        for row in rows:
            before, now = self.statuses.get(row["id"]), row["status"]
            if before is not None and before != now:
                # One action may change a run's state twice, through an intermediate state.
                direct = now in TRANSITIONS[before]
                assert direct or any(now in TRANSITIONS[middle] for middle in TRANSITIONS[before]), (before, now)
            self.statuses[row["id"]] = now
            if is_final(now):
                assert row["completed_at"] is not None
                assert self.ended.setdefault(row["id"], row["final_output"]) == row["final_output"]
            else:
                assert row["completed_at"] is None
            assert (row["pending_input"] is not None) == (now == "waiting_for_input")
        active = [row for row in rows if row["parent_run_id"] is None and not is_final(row["status"])]
        assert len(active) <= 1
        # A settled run was queued by the action that settled it, without a sweep.
        assert await parents.settled_runs(self.pool, 1) == []
        await self._check_events([row["id"] for row in rows])

    async def _check_events(self, runs: Sequence[UUID]) -> None:
        assert self.session_id is not None
        events = await read_events(self.pool, self.session_id, 0, 10_000)
        assert all(first.id < two.id for first, two in pairwise(events))
        for run_id in runs:
            finals = [event for event in events if event.run_id == str(run_id) and event.HasField("finished")]
            assert len(finals) == is_final(self.statuses[run_id])
            if finals:
                assert finals[0].finished.status == run_status(self.statuses[run_id])

    async def to_the_end(self) -> None:
        """Whatever has happened, a living worker and a sweep bring every run to its end."""
        await self.come_back(0)
        await self.die(1)
        for _ in range(200):
            await self.sweep()
            for run_id in await self.runs("paused"):
                await move_run(self.log, run_id, "queued")
            for run_id in await self.runs("waiting_for_input"):
                await provide_input(self.log, run_id, self.user_id, "This.")
                await approve(self.log, run_id, self.user_id, "", True, "")
            for run_id in await self.runs("running"):
                await self._bring_on(run_id)
            for run_id in await self.runs("queued"):
                if taken := await lease.claim(self.log, run_id, self.workers[0]):
                    self.held.append(taken)
            await self.check()
            if not await self.runs("queued", "running", "waiting_for_input", "waiting_for_children", "paused"):
                return
        raise AssertionError(f"some runs never end: {self.statuses}")

    async def _bring_on(self, run_id: UUID) -> None:
        if taken := await lease.claim(self.log, run_id, self.workers[0]):
            self.held.append(taken)
        index = max(
            (number for number, held in enumerate(self.held) if held.run_id == run_id),
            key=lambda number: self.held[number].attempt,
        )
        step = await self._open_step(run_id)
        if step is None:
            await self.finish(index, "completed")
        elif step["action"] == "delegate" and not step["external_task_id"] and self.held[index].run.depth >= 3:
            await self.finish(index, "failed")
        else:
            await self.delegate(index)
            await self.settle(index)

    async def _leave(self, taken: RunLease, status: RunStatus, pending: dict[str, Any] | None = None) -> None:
        event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS)
        event.status.status = run_status(status)
        try:
            await lease.release(self.log, taken, status, content="", seconds=1.0, events=[event], pending_input=pending)
        except lease.ControlPendingError as error:
            if error.control == "cancel":
                await finish.finish(self.log, taken, Answer("So.", 1), Ending("cancelled", "Cancelled"))
            else:
                await lease.release(
                    self.log,
                    taken,
                    "paused" if error.control == "pause" else "queued",
                    content="",
                    seconds=1.0,
                    events=[event],
                )

    async def _touch(self, taken: RunLease) -> None:
        """A write without effect, by which a worker finds out that it has lost the run."""
        await lease.record_events(self.log, taken, [SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS)])

    async def _open_step(self, run_id: UUID) -> asyncpg.Record | None:
        return await self.pool.fetchrow(
            "SELECT steps.id, action, approval, external_task_id, tool_calls.status AS call_status FROM steps "
            "JOIN tool_calls ON step_id = steps.id WHERE run_id = $1 AND steps.status = 'running'",
            run_id,
        )

    async def _state(self, run_id: UUID) -> Any:
        """Returns all that a write of a run could change."""
        tables = await self.pool.fetch(
            """
            SELECT (SELECT jsonb_agg(runs) FROM runs WHERE id = $1),
                (SELECT jsonb_agg(steps ORDER BY id) FROM steps WHERE run_id = $1),
                (SELECT jsonb_agg(call ORDER BY call.id) FROM tool_calls AS call JOIN steps ON steps.id = step_id
                 WHERE run_id = $1),
                (SELECT count(*) FROM runs WHERE parent_run_id = $1),
                (SELECT count(*) FROM run_events WHERE run_id = $1),
                (SELECT jsonb_agg(message ORDER BY message.id) FROM chat_messages AS message WHERE run_id = $1)
            """,
            run_id,
        )
        return [tuple(row) for row in tables]
