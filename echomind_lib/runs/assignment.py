"""Assignment: the statement that stores a question also claims its run, for an agent that has a free slot.

This saves the claim, which is a transaction of its own. The conditions are those of a claim of a named run, so that the
order of the queue stays what it is (see `queue`); a run for which they do not hold is queued.

- Agents announce their free slots, and each run that they receive, to all replicas of the API (`agents.slots`). What a
  replica knows may be old: an agent without a free slot returns the run to the queue.
- The agent receives the run on a subject of its own (`runs.assigned.{worker}`). If it does not announce it within a
  second, the replica returns the run to the queue, and assigns nothing to the agent until it announces slots again,
  for which the replica asks. Where a claim is refused, the replica looks whether the agent is alive.
- If the replica dies before it has sent the message, the agent's sweep finds a run that it has not begun; if the agent
  dies, others find the run of a dead worker.

Whoever takes a run over raises its attempt, so that a late agent writes nothing (see `fence`). Agents of an earlier
release announce nothing, and get no run assigned.
"""

import asyncio
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn
from uuid import UUID

import structlog
from nats.aio.msg import Msg
from sqlalchemy import Uuid, bindparam, select

from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.db.models.work import Worker
from echomind_lib.db.statements import Query
from echomind_lib.events.log import EventLog
from echomind_lib.messaging import AGENTS_ASKED, AGENTS_SLOTS, assigned_subject
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import AgentSlots, AgentSlotsAsked, RunAssigned
from echomind_lib.runs.recovery import return_assigned
from echomind_lib.telemetry import spans

log = structlog.get_logger(__name__)

ANNOUNCE_TIMEOUT_SECONDS: Final = 1.0
"""Time within which an agent has to announce a run that was assigned to it."""
_WORKER: Final = Query(select(Worker.id).where(Worker.id == bindparam("worker_id", type_=Uuid)), UUID)


class _Agent:
    """An agent as it has announced itself."""

    def __init__(self, worker_id: UUID) -> None:
        self.worker_id = worker_id
        self.announced = 0
        self.limit = 0
        self.assigned = 0
        """Runs that were assigned to it since, and that it has not announced yet."""

    @property
    def free(self) -> int:
        """Returns how many runs may be assigned to it."""
        return self.announced - self.assigned


class Reservation:
    """A slot of an agent for the run of a question that is being stored."""

    def __init__(self, agents: "Agents", agent: _Agent, skip: int) -> None:
        self._agents, self._agent = agents, agent
        self._run_id: UUID | None = None
        self.values: dict[str, Any] = {
            "worker_id": agent.worker_id,
            "free": agent.free,
            "limit": agent.limit,
            "skip": skip,
        }
        """Parameters of the statement that claims."""

    @property
    def is_claimed(self) -> bool:
        """Returns whether a run was claimed with it."""
        return self._run_id is not None

    def claim(self, run_id: UUID) -> None:
        """Records that a run was claimed with it, which the agent has to announce from now on."""
        self._run_id = run_id
        self._agents.expect(self._agent.worker_id, run_id)

    def release(self) -> None:
        """Records that the run was queued, which may be because the agent is dead."""
        self._agents.check(self._agent.worker_id)

    async def send(self) -> None:
        """Sends the run to the agent."""
        assert self._run_id is not None
        await self._agents.send(self._agent.worker_id, self._run_id)


class Agents:
    """The agents that runs may be assigned to, as one replica of the API knows them; none before `run`."""

    def __init__(self, event_log: EventLog, *, timeout: float = ANNOUNCE_TIMEOUT_SECONDS) -> None:
        """Prepares it.

        Args:
            event_log: The event log.
            timeout: Seconds within which an agent has to announce a run that was assigned to it.
        """
        self._log, self._timeout = event_log, timeout
        self._agents: dict[UUID, _Agent] = {}
        self._being_stored = Counter[int]()
        self._expected: dict[UUID, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> NoReturn:
        """Listens to agents until cancelled."""
        bus = self._log.bus
        async with await bus.subscribe(AGENTS_SLOTS, self._on_slots):
            with bus.on_reconnect(self._forget):
                try:
                    await bus.publish(AGENTS_ASKED, AgentSlotsAsked())
                    await asyncio.Event().wait()
                finally:
                    self._agents.clear()
        raise AssertionError  # an event that nobody sets

    @contextmanager
    def reserve(self, user_id: int) -> Iterator[Reservation | None]:
        """Reserves a slot for a run of a person while its question is stored; None if no agent is known to have one.

        The agent with the most free slots is chosen.
        """
        agent = max(self._agents.values(), key=lambda each: each.free, default=None)
        if agent is None or agent.free < 1 or not self._log.bus.is_ready:
            yield None
            return
        reservation = Reservation(self, agent, self._being_stored[user_id])
        agent.assigned += 1
        self._being_stored[user_id] += 1
        try:
            yield reservation
        finally:
            self._being_stored[user_id] -= 1
            if not self._being_stored[user_id]:
                del self._being_stored[user_id]
            if not reservation.is_claimed:
                agent.assigned -= 1

    def expect(self, worker_id: UUID, run_id: UUID) -> None:
        """Returns a run to the queue unless the agent that it was claimed for announces it."""
        loop = asyncio.get_running_loop()
        self._expected[run_id] = loop.call_later(self._timeout, self._give_up, worker_id, run_id)

    async def send(self, worker_id: UUID, run_id: UUID) -> None:
        """Sends a run to the agent that it was claimed for."""
        subject = assigned_subject(worker_id)
        if spans.recorder is not None:
            spans.sending(subject)
        await self._log.bus.publish(subject, RunAssigned(run_id=str(run_id)))

    def check(self, worker_id: UUID) -> None:
        """Forgets an agent if it is dead."""
        self._begin(self._check(worker_id))

    async def _check(self, worker_id: UUID) -> None:
        try:
            if await _WORKER.fetch_one(self._log.pool, worker_id=worker_id) is None:
                self._agents.pop(worker_id, None)
        except DATABASE_FAILURES as error:
            log.warning("agent could not be read, the next refused claim repeats it", error=repr(error))

    async def _on_slots(self, message: Msg) -> None:
        slots = AgentSlots.FromString(message.data)
        worker_id = UUID(slots.worker_id)
        agent = self._agents.get(worker_id)
        if agent is None:
            agent = self._agents[worker_id] = _Agent(worker_id)
        agent.announced, agent.limit = slots.free, slots.runs_per_person
        if slots.run_id and (timer := self._expected.pop(UUID(slots.run_id), None)) is not None:
            timer.cancel()
            agent.assigned = max(0, agent.assigned - 1)

    def _give_up(self, worker_id: UUID, run_id: UUID) -> None:
        """Takes a run back from an agent that has not announced it."""
        self._begin(self._return(worker_id, run_id))

    async def _return(self, worker_id: UUID, run_id: UUID) -> None:
        # After this process has stalled, its timers fire before it handles the announcements that have arrived
        # meanwhile: the answer to a flush comes after them.
        await self._log.bus.flush()
        if self._expected.pop(run_id, None) is None:
            return
        self._agents.pop(worker_id, None)
        try:
            if await return_assigned(self._log, worker_id, run_id):
                log.warning("run returned to the queue, its agent does not answer", run_id=str(run_id))
        except DATABASE_FAILURES as error:
            log.warning("run could not be returned to the queue, a sweep finds it", error=repr(error))
        await self._ask()  # an agent that has lost only the message answers

    def _forget(self) -> None:
        """Forgets all agents, whose announcements may have been missed, and asks for them."""
        self._agents.clear()
        self._begin(self._ask())

    async def _ask(self) -> None:
        await self._log.bus.publish(AGENTS_ASKED, AgentSlotsAsked())

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
