"""The worker: claims and executes runs, applies controls to them, and sweeps for lost runs."""

import asyncio
from functools import partial
from typing import Any
from uuid import UUID

import structlog
from nats.aio.msg import Msg
from prometheus_client import Counter, Gauge

from echomind_agent.evaluation.scores import EvaluationScores
from echomind_agent.execution.attempt import RunAttempt
from echomind_agent.execution.evaluations import EVALUATION_CONCURRENCY, EvaluationRunner
from echomind_agent.execution.notebook_summaries import NotebookSummarizer
from echomind_agent.execution.requests import RunRequests
from echomind_agent.execution.services import Services
from echomind_agent.execution.summarizer import Summarizer
from echomind_agent.execution.titles import TitleWriter
from echomind_agent.execution.traces import run_traced
from echomind_agent.execution.webhooks import WebhookDeliveries
from echomind_agent.learning.handlers import learning_handlers
from echomind_agent.learning.idle_sessions import IDLE_MINUTES
from echomind_agent.tools.listing import ToolListing
from echomind_agent.webhooks import WebhookSender
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.db.rejection import data_rejected
from echomind_lib.jobs import JobHandler, JobWorker
from echomind_lib.messaging import PROGRAMS_CHECK, TOOLS_LIST
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2 as pb
from echomind_lib.process.disk import DiskSpace
from echomind_lib.runs import lease, queue, recovery
from echomind_lib.runtime import Membership
from echomind_lib.telemetry import spans

log = structlog.get_logger(__name__)

_RUNS = Counter("echomind_agent_runs_total", "Attempts at runs that this worker made.")
_ACTIVE = Gauge("echomind_agent_runs_active", "Runs that this worker works on.")

_JOBS_AT_ONCE = 5
"""Maximum number of concurrent background jobs per worker, in addition to runs. One of them sends events for as long as
there are webhooks."""
_BUSY_RUNS = 32
"""With as many runs, jobs wait for a few seconds: they would delay the first words of answers."""
_CLAIMS = 2
"""Attempts at a claim whose person gets a free slot meanwhile."""
SWEEP_SECONDS = 5.0
"""Interval of the sweep."""
_WORDS = {pb.CONTROL_CANCEL: "cancel", pb.CONTROL_PAUSE: "pause", pb.CONTROL_RESUME: "resume"}


class Worker:
    """One agent process."""

    def __init__(
        self,
        services: Services,
        membership: Membership,
        disk: DiskSpace,
        *,
        concurrency: int,
        sweep_seconds: float = SWEEP_SECONDS,
        runs_per_person: int = lease.RUNS_PER_PERSON,
        idle_minutes: float = IDLE_MINUTES,
        evaluation_concurrency: int = EVALUATION_CONCURRENCY,
        webhooks: WebhookSender | None = None,
        scores: EvaluationScores | None = None,
    ) -> None:
        """Initializes the worker without claiming runs.

        Args:
            services: Services for its runs.
            membership: Its membership among the workers.
            disk: The disk on which runs are stored: none is started while it is low.
            concurrency: Maximum number of concurrent runs.
            sweep_seconds: Interval between sweeps for lost work; a run counts as lost after half of it, and jobs are
                looked for after twice of it if no message asks for it.
            runs_per_person: Maximum number of active root runs of one person.
            idle_minutes: Minutes without messages after which a session is idle, and learned from.
            evaluation_concurrency: Maximum number of concurrent questions of evaluations.
            webhooks: Sends events to webhooks; None leaves that to other workers.
            scores: Sends results of evaluations as scores of traces; None for nobody who takes them.
        """
        self._scores = scores
        self._webhooks = webhooks
        self._evaluation_concurrency = evaluation_concurrency
        self._idle_minutes = idle_minutes
        self.runs_per_person = runs_per_person
        """Maximum number of active root runs of one person."""
        # Claims of the next run in turn are serialized: concurrent ones would choose the same slot of a person. While
        # the lock is free, every run that they claimed is in `_active`.
        self._claiming = asyncio.Lock()
        self._sweep_seconds = sweep_seconds
        self._services = services
        self._membership = membership
        self._disk = disk
        self._concurrency = concurrency
        self._requests = RunRequests(
            services.bus,
            slots=concurrency,
            claim=self._claim_requested,
            execute=self._execute,
            overlooked=partial(recovery.overlooked_runs, services.pool),
            assignments=self,
        )
        # Runs that are being claimed by their names, without the lock.
        self._named: set[UUID] = set()
        # Runs that were claimed for this worker, and are being read.
        self._beginning: set[UUID] = set()
        self._active: dict[UUID, RunAttempt] = {}
        self._listens = False

    @property
    def id(self) -> UUID:
        """The worker's id, once it is running."""
        return self._membership.id

    async def check_listening(self) -> None:
        """Returns if the worker serves requests of the API.

        Raises:
            ConnectionError: It does not serve them yet.
        """
        if not self._listens:
            raise ConnectionError

    async def run(self) -> None:
        """Executes runs until cancelled; then releases its runs, which other workers claim immediately."""
        pool, bus = self._services.pool, self._services.bus
        async with self._membership:
            log.info("worker started", worker_id=str(self.id))
            controls = await bus.subscribe("control.*", self._on_control)
            snapshots = await bus.subscribe("snapshot.*", self._on_snapshot)
            listing = ToolListing(pool, self._services.tools, self._services.mcp)
            tools = await bus.subscribe(TOOLS_LIST, listing.answer, "agents")
            programs = await bus.subscribe(PROGRAMS_CHECK, self._services.mcp.programs.answer, "agents")
            self._listens = True
            try:
                async with asyncio.TaskGroup() as tasks:
                    tasks.create_task(self._membership.run())
                    tasks.create_task(self._sweep())
                    handlers: list[JobHandler[Any]] = [
                        Summarizer(pool, self._services.models),
                        TitleWriter(pool, self._services.models),
                        *learning_handlers(
                            self._services.log, self._services.models, self._services.facts, self._idle_minutes
                        ),
                        NotebookSummarizer(self._services.log, self._services.models, self._services.retriever),
                        EvaluationRunner(
                            self._services.log, self._services.models, self._evaluation_concurrency, self._scores
                        ),
                    ]
                    if self._webhooks is not None:
                        handlers.append(WebhookDeliveries(pool, self._webhooks))
                    jobs = JobWorker(
                        self._services.log,
                        handlers,
                        concurrency=_JOBS_AT_ONCE,
                        sweep_seconds=2 * self._sweep_seconds,
                        is_busy=lambda: len(self._active) >= _BUSY_RUNS,
                    )
                    tasks.create_task(jobs.run(self.id))
                    if self._scores is not None:
                        tasks.create_task(self._scores.run())
                    tasks.create_task(self._requests.serve())
            finally:
                await controls.close()
                await snapshots.close()
                await tools.close()
                await programs.close()
                await recovery.release_runs(self._services.log, self.id)

    async def _claim_requested(self, run_id: UUID | None) -> tuple[RunAttempt | None, bool]:
        """Claims a run, preferably the requested one.

        Returns:
            The attempt at the claimed run, and whether the requested one may be claimed a moment later: another claim
            may have locked it.
        """
        if self._disk.is_low:
            return None, False  # the run stays queued; the sweep publishes it again when there is disk space
        attempt, is_held_back = await self._claim(run_id)
        return attempt, run_id is not None and attempt is None and not is_held_back

    async def _execute(self, attempt: RunAttempt) -> None:
        _RUNS.inc()
        _ACTIVE.inc()
        try:
            await self._work_on(attempt)
        finally:
            _ACTIVE.dec()
            # After a lost lease, the run's next attempt may be in this process, too.
            if self._active.get(attempt.run_id) is attempt:
                del self._active[attempt.run_id]

    async def _claim(self, run_id: UUID | None) -> tuple[RunAttempt | None, bool]:
        """Claims a run; if the requested run is held back by its person's other runs, records that.

        Returns:
            The attempt at the claimed run, and whether the requested run was recorded as held back now: then the end
            of one of its person's runs wakes a worker for it.
        """
        event_log, limit = self._services.log, self.runs_per_person
        if run_id is not None and (named := await self._claim_named(run_id)) is not None:
            return named, False
        async with self._claiming:
            for _ in range(_CLAIMS):
                claimed = await lease.claim(event_log, run_id, self.id, limit)
                waits = run_id if claimed is None or claimed.run_id != run_id else None
                is_held_back = None if waits is None else await queue.hold_back(event_log, waits, limit)
                if claimed is not None or is_held_back is not False:
                    break
            attempt = None
            if claimed is not None:
                attempt = self._active[claimed.run_id] = RunAttempt(self._services, claimed)
            return attempt, bool(is_held_back)

    @property
    def may_begin(self) -> bool:
        """Whether it begins runs now: there is disk space."""
        return not self._disk.is_low

    async def begin(self, run_id: UUID) -> RunAttempt | None:
        """Returns the attempt at a run that was claimed for this worker when its question was stored.

        None if it has begun already, or is no longer this worker's.
        """
        if run_id in self._beginning or run_id in self._active:
            return None
        self._beginning.add(run_id)
        try:
            begun = await lease.begin_assigned(self._services.log, run_id, self.id)
            if begun is None:
                return None
            attempt = self._active[run_id] = RunAttempt(self._services, begun)
            return attempt
        finally:
            self._beginning.discard(run_id)

    async def give_back(self, run_id: UUID) -> None:
        """Returns a run that was claimed for this worker to the queue, unless it has begun."""
        if run_id not in self._beginning and run_id not in self._active:
            await recovery.return_assigned(self._services.log, self.id, run_id)

    async def _claim_named(self, run_id: UUID) -> RunAttempt | None:
        """Claims the requested run if its order does not matter: no more runs wait than this worker may start.

        Such claims do not wait for each other: they choose different slots.
        """
        if run_id in self._named or run_id in self._active:
            return None
        skip, free = len(self._named), self._concurrency - len(self._active)
        self._named.add(run_id)
        try:
            claimed = await lease.claim_named(
                self._services.log, run_id, self.id, self.runs_per_person, free=free, skip=skip
            )
            if claimed is None:
                return None
            attempt = self._active[run_id] = RunAttempt(self._services, claimed)
            return attempt
        finally:
            self._named.discard(run_id)

    async def _work_on(self, attempt: RunAttempt) -> None:
        structlog.contextvars.bind_contextvars(run_id=str(attempt.run_id), attempt=attempt.number)
        try:
            await (attempt.run() if spans.recorder is None else run_traced(attempt, self._services.pool))
        except DATABASE_FAILURES as error:
            if (rejected := data_rejected(error)) is not None:
                log.error("run failed, its data cannot be stored", error=repr(error))
                await attempt.fail(rejected)
            else:
                # The sweep finds the run assigned to this worker but not active in it, and queues it again.
                log.warning("run dropped, database error", error=repr(error))
        except Exception:
            log.exception("run failed with an unexpected exception")
            await attempt.fail_internally()

    async def _on_control(self, message: Msg) -> None:
        request = pb.ControlRequested.FromString(message.data)
        if (attempt := self._active.get(UUID(request.run_id))) and (control := _WORDS.get(request.control)):
            attempt.control(control)

    async def _on_snapshot(self, message: Msg) -> None:
        attempt = self._active.get(UUID(message.subject.split(".", 1)[1]))
        if attempt is not None and (snapshot := attempt.snapshot()) is not None:
            await message.respond(snapshot.SerializeToString())

    async def _sweep(self) -> None:
        pool, age = self._services.pool, self._sweep_seconds / 2
        while True:
            try:
                runs = await recovery.open_runs(pool)
                if runs.are_queued_or_running:
                    await self._requeue_dropped(age)
                    if not self._disk.is_low:
                        await queue.promote_goals(pool)
                    if not self._services.bus.is_ready:
                        self._requests.look()
                    elif not self._disk.is_low and self._requests.are_served:
                        await recovery.wake_stranded(self._services.log, age, self.runs_per_person)
                if runs.are_any:
                    await self._apply_lost_controls()
                    await recovery.repair_trees(self._services.log)
            except DATABASE_FAILURES as error:
                log.warning("sweep failed", error=repr(error))
            await self._membership.departure(self._sweep_seconds)

    async def _requeue_dropped(self, age: float) -> None:
        """Queues runs that are assigned to this worker but not active in it.

        This is the case after a failure of the database, and when the message that assigned a run was lost.
        """
        pool = self._services.pool
        async with self._claiming:
            held = await recovery.held_runs(pool, self.id, age)
            begun = self._active.keys() | self._named | self._beginning
            dropped = [run for run in held if run.id not in begun]
        for run in dropped:
            await recovery.requeue(pool, self.id, run, counts=not self._disk.is_low)
            await queue.wake_worker(self._services.log, run.id)

    async def _apply_lost_controls(self) -> None:
        for requested in await recovery.requested_controls(self._services.pool, self._active):
            if attempt := self._active.get(requested.id):
                attempt.control(requested.control_requested)
