"""Requests for runs: which of them this worker gets, and when it looks for runs that were requested from nobody."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, Protocol, TypeVar
from uuid import UUID

import structlog
from nats.aio.msg import Msg

from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.messaging import (
    AGENTS_ASKED,
    AGENTS_SLOTS,
    RUNS_REQUESTED,
    Bus,
    Subscription,
    assigned_subject,
)
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import AgentSlots, RunAssigned, RunRequested

log = structlog.get_logger(__name__)

Claimed = TypeVar("Claimed")
Begun_co = TypeVar("Begun_co", covariant=True)

_GROUP = "agents"
"""Each request reaches one of the workers that are in this queue group."""
_SECOND_LOOK_SECONDS = 0.5
"""Delay of the one further attempt at a run that could not be claimed, and is not held back."""


class Assignments(Protocol[Begun_co]):
    """What a worker does with runs that were claimed for it."""

    @property
    def id(self) -> UUID:
        """The worker's id."""
        ...

    @property
    def runs_per_person(self) -> int:
        """The maximum number of active root runs of one person."""
        ...

    @property
    def may_begin(self) -> bool:
        """Whether it begins runs now."""
        ...

    async def begin(self, run_id: UUID) -> Begun_co | None:
        """Begins a run; None if it has begun already, or is no longer this worker's."""
        ...

    async def give_back(self, run_id: UUID) -> None:
        """Returns a run to the queue, unless it has begun."""
        ...


class RunRequests(Generic[Claimed]):
    """Gets requests while the worker has free slots; each claimed run holds a slot until it has been executed.

    A request that reaches nobody is lost: the run stays queued. So a worker without a free slot leaves the queue group,
    and others get the requests. With the next free slot it claims what is next in turn, and returns to the group when
    nothing is. Whoever enters the group looks for runs that nobody has looked at.

    It announces its free slots to the API, which then assigns runs to this worker that it need not claim (see
    `echomind_lib.runs.assignment`).
    """

    def __init__(
        self,
        bus: Bus,
        *,
        slots: int,
        claim: Callable[[UUID | None], Awaitable[tuple[Claimed | None, bool]]],
        execute: Callable[[Claimed], Awaitable[None]],
        overlooked: Callable[[], Awaitable[list[UUID]]],
        assignments: "Assignments[Claimed]",
    ) -> None:
        """Prepares it.

        Args:
            bus: The connection to NATS.
            slots: Maximum number of concurrent runs.
            claim: Claims a run, preferably the given one; returns it, and whether a later attempt at the given one may
                succeed although nobody requests it again.
            execute: Executes a claimed run; never raises.
            overlooked: Returns runs that may be claimed and whose requests may be lost.
            assignments: What becomes of runs that were claimed for this worker when their questions were stored.
        """
        self._assignments = assignments
        self._bus = bus
        self._free = slots
        self._claim = claim
        self._execute = execute
        self._overlooked = overlooked
        self._subscription: Subscription | None = None
        self._must_look = False
        self._announced = 0
        self._changed = asyncio.Event()
        self._tasks = asyncio.TaskGroup()

    @property
    def are_served(self) -> bool:
        """Whether the worker is in the queue group."""
        return self._subscription is not None

    async def serve(self) -> None:
        """Executes runs until cancelled; runs in progress are then cancelled and awaited."""
        # Runs may have been requested while this worker was not connected.
        with self._bus.on_reconnect(self.look):
            async with self._tasks:
                assigned = await self._bus.subscribe(assigned_subject(self._assignments.id), self._on_assigned)
                asked = await self._bus.subscribe(AGENTS_ASKED, self._on_asked)
                try:
                    while True:
                        await self._look()
                        await self._changed.wait()
                        self._changed.clear()
                finally:
                    await self._leave()
                    await asked.close()
                    await assigned.close()

    async def _look(self) -> None:
        """Claims what waits for a free slot, and enters or leaves the queue group accordingly."""
        if not self.are_served:
            while self._free and await self._begin(None):
                pass
            if self._free:
                self._subscription = await self._bus.subscribe(RUNS_REQUESTED, self._on_request, _GROUP)
                await self._bus.flush()  # all runs whose requests have not reached this worker are stored now
                self._must_look = True
                await self._announce()
        if self._must_look and self.are_served:
            self._must_look = False
            await self._claim_overlooked()
        if self._free == 0:
            await self._leave()
        elif self._announced == 0 and self._assignments.may_begin:
            await self._announce()

    async def _claim_overlooked(self) -> None:
        try:
            run_ids = await self._overlooked()
        except DATABASE_FAILURES as error:
            log.warning("overlooked runs could not be read, the sweep finds them", error=repr(error))
            return
        for run_id in run_ids:
            if self._free == 0:
                return
            await self._begin(run_id)

    async def _leave(self) -> None:
        if (subscription := self._subscription) is None:
            return
        self._subscription = None
        await self._announce()
        await subscription.close()
        # Requests on their way here are dropped: whoever is left in the group claims what is next in turn.
        await self._bus.publish(RUNS_REQUESTED, RunRequested())

    async def _begin(self, run_id: UUID | None) -> bool:
        """Claims a run and begins to execute it; returns whether there was one."""
        self._free -= 1
        claimed = None
        try:
            claimed, _ = await self._try_claim(run_id)
        finally:
            if claimed is None:
                self._free += 1
        if claimed is not None:
            self._tasks.create_task(self._finish(claimed))
        return claimed is not None

    async def _finish(self, claimed: Claimed) -> None:
        try:
            await self._execute(claimed)
        finally:
            self._release()

    async def _on_request(self, message: Msg) -> None:
        text = RunRequested.FromString(message.data).run_id
        self._request(UUID(text) if text else None, is_first=True)

    def _request(self, run_id: UUID | None, *, is_first: bool) -> None:
        if self._free == 0:
            self._must_look = True
            self._changed.set()
            return
        self._free -= 1
        if self._free == 0:
            self._changed.set()
        self._tasks.create_task(self._answer(run_id, is_first=is_first))

    async def _answer(self, run_id: UUID | None, *, is_first: bool) -> None:
        """Executes the requested run, or the next in turn, with a slot that is taken already."""
        try:
            claimed, may_retry = await self._try_claim(run_id)
            if may_retry and is_first:
                self._tasks.create_task(self._retry(run_id))
            if claimed is not None:
                await self._announce()
                await self._execute(claimed)
        finally:
            self._release()

    # -- runs that were claimed for this worker --------------------------------------------------------------------
    async def _on_asked(self, _message: Msg) -> None:
        await self._announce()

    async def _announce(self, received: str = "") -> None:
        """Announces the free slots, and a run that was received."""
        worker = self._assignments
        free = self._free if self.are_served and worker.may_begin else 0
        self._announced = free
        slots = AgentSlots(worker_id=str(worker.id), free=free, runs_per_person=worker.runs_per_person, run_id=received)
        await self._bus.publish(AGENTS_SLOTS, slots)

    async def _on_assigned(self, message: Msg) -> None:
        text = RunAssigned.FromString(message.data).run_id
        if self._free and self.are_served and self._assignments.may_begin:
            self._free -= 1
            if self._free == 0:
                self._changed.set()
            self._tasks.create_task(self._begin_assigned(UUID(text)))
        else:
            self._tasks.create_task(self._give_back(UUID(text)))
        await self._announce(text)

    async def _begin_assigned(self, run_id: UUID) -> None:
        """Executes an assigned run, with a slot that is taken already."""
        claimed = None
        try:
            claimed = await self._try_begin(run_id)
            if claimed is not None:
                await self._execute(claimed)
        finally:
            self._release()
        if claimed is None:
            await self._announce()  # with the slot that was announced as taken

    async def _try_begin(self, run_id: UUID) -> Claimed | None:
        try:
            return await self._assignments.begin(run_id)
        except DATABASE_FAILURES as error:
            log.warning("run could not be read, the sweep finds it", error=repr(error))
        except Exception:
            log.exception("run could not be read, the sweep finds it")
        return None

    async def _give_back(self, run_id: UUID) -> None:
        try:
            await self._assignments.give_back(run_id)
        except DATABASE_FAILURES as error:
            log.warning("run could not be returned to the queue, the sweep finds it", error=repr(error))

    # -- requests --------------------------------------------------------------------------------------------------
    async def _retry(self, run_id: UUID | None) -> None:
        await asyncio.sleep(_SECOND_LOOK_SECONDS)
        self._request(run_id, is_first=False)

    async def _try_claim(self, run_id: UUID | None) -> tuple[Claimed | None, bool]:
        try:
            return await self._claim(run_id)
        except DATABASE_FAILURES as error:
            log.warning("run could not be claimed, database error", error=repr(error))
        except Exception:
            log.exception("run could not be claimed")
        return None, True

    def _release(self) -> None:
        self._free += 1
        if not self.are_served or self._announced == 0:
            self._changed.set()

    def look(self) -> None:
        """Looks soon for runs whose requests may not have reached any worker."""
        self._must_look = True
        self._changed.set()
