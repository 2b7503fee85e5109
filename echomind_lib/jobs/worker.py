"""The worker of background jobs: claims due jobs, renews their leases, and ends them (see `lease`)."""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Any, Generic, TypeVar
from uuid import UUID

import structlog
from nats.aio.msg import Msg
from prometheus_client import Counter as Metric

from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.db.rejection import data_rejected
from echomind_lib.errors import EchoMindError
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.jobs import lease
from echomind_lib.jobs.kinds import JobKind
from echomind_lib.jobs.lease import LEASE_SECONDS, Job
from echomind_lib.jobs.queue import enqueue
from echomind_lib.jobs.traces import work_traced
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import JobRequested
from echomind_lib.process.retries import retry_after
from echomind_lib.telemetry import spans
from echomind_lib.text import normalized

log = structlog.get_logger(__name__)

Result = TypeVar("Result")

SWEEP_SECONDS = 10.0
"""Interval at which a worker looks for scheduled jobs, and for jobs whose message was lost."""
PATIENCE_SECONDS = 5.0
"""How long a job waits for a busy worker, after which it is done beside the other work."""
_LOOKS_SECONDS = 1.0
"""Interval at which a busy worker looks for jobs that have waited as long."""
_FAULT = "Something went wrong in EchoMind; the log of the service that did it says more."
_JOBS = Metric("echomind_jobs_total", "Attempts at background jobs.", ["kind", "outcome"])


class JobFailedError(Exception):
    """An attempt at a job failed."""

    def __init__(self, message: str, *, retryable: bool, retry_after: float | None = None) -> None:
        """Describes it.

        Args:
            message: The reason, shown to users.
            retryable: Whether another attempt may succeed.
            retry_after: Minimum delay in seconds before the next attempt.
        """
        super().__init__(message)
        self.message = message
        self.retryable = retryable
        self.retry_after = retry_after


class JobHandler(ABC, Generic[Result]):
    """Executes the jobs of one kind. An attempt may be repeated, so `work` must be idempotent."""

    kind: JobKind

    @abstractmethod
    async def work(self, job: Job) -> Result:
        """Executes a job. Cancelled when its lease is lost, or when the worker stops.

        Raises:
            JobFailedError: It failed. Any `EchoMindError` fails the attempt, too; retryable ones are retried.
        """

    async def completed(self, transaction: LogTransaction, job: Job, result: Result) -> None:
        """Stores the result of a job in the transaction that completes it."""

    async def failed(self, transaction: LogTransaction, job: Job, reason: str) -> None:
        """As `completed`, for a job that failed permanently. `reason` is shown to users."""


class JobWorker:
    """Executes jobs of some kinds, several at a time."""

    def __init__(
        self,
        events: EventLog,
        handlers: Sequence[JobHandler[Any]],
        *,
        concurrency: int,
        sweep_seconds: float = SWEEP_SECONDS,
        lease_seconds: float = LEASE_SECONDS,
        is_busy: Callable[[], bool] = lambda: False,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        """Prepares it.

        Args:
            events: The database and the bus; a job ends together with the events of its end.
            handlers: Handlers, by kind.
            concurrency: Jobs at a time.
            sweep_seconds: Interval between sweeps for jobs without a wake-up.
            lease_seconds: Duration of a lease that is not renewed.
            is_busy: Returns whether the process has work that somebody waits for, and jobs wait meanwhile.
            patience_seconds: How long they wait at most.
        """
        self._is_busy, self._patience_seconds = is_busy, patience_seconds
        self._events, self._pool, self._bus = events, events.pool, events.bus
        self._handlers = {handler.kind.name: handler for handler in handlers}
        self._kinds = [handler.kind for handler in handlers]
        self._concurrency = concurrency
        self._sweep_seconds = sweep_seconds
        self._lease_seconds = lease_seconds
        self._woken = asyncio.Event()
        self._woken.set()
        self._looking = asyncio.Lock()
        # How often each kind was requested; tells whether a recurring job was requested again while it ran.
        self._requests: Counter[str] = Counter()

    async def run(self, worker_id: UUID) -> None:
        """Executes jobs until cancelled; jobs in progress are then released.

        Args:
            worker_id: Its row in `workers`.
        """
        async with AsyncExitStack() as stack:
            for kind in self._kinds:
                await stack.enter_async_context(await self._bus.subscribe(kind.subject, self._on_requested))
            tasks = await stack.enter_async_context(asyncio.TaskGroup())
            tasks.create_task(self._ensure_recurring())
            for _ in range(self._concurrency):
                tasks.create_task(self._work(worker_id))

    async def _on_requested(self, message: Msg) -> None:
        self._requests[message.subject] += 1
        self._woken.set()

    async def _ensure_recurring(self) -> None:
        """Creates the recurring jobs if they do not exist yet."""
        for kind in self._kinds:
            while kind.every is not None:
                try:
                    await enqueue(self._pool, kind)
                    self._woken.set()  # the first look may have been before
                    break
                except DATABASE_FAILURES as error:
                    log.warning("recurring job could not be created", kind=kind.name, error=repr(error))
                    await asyncio.sleep(self._sweep_seconds)

    async def _work(self, worker_id: UUID) -> None:
        while True:
            # One task at a time polls for jobs, and hands over as soon as it has claimed one: the cost of a request
            # does not depend on how many jobs may run concurrently.
            async with self._looking:
                requests, job = await self._next(worker_id)
            try:
                await self._attempt(job)
            except DATABASE_FAILURES as error:
                # The job is claimed again when its lease has expired.
                _note_interruption(error)
            except Exception as error:
                # Its end cannot be stored either. The other jobs of the process must not end with it.
                log.exception("job could not be ended", kind=job.kind, job=job.id, error=repr(error))
            kind = self._handlers[job.kind].kind
            if kind.runs_again and (kind.every is None or self._requests[kind.subject] != requests[kind.subject]):
                self._woken.set()  # the job may have been requested again meanwhile

    async def _next(self, worker_id: UUID) -> tuple[Counter[str], Job]:
        """Waits for the next job, claims it and returns it, with the numbers of requests before the claim."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._sweep_seconds):  # `wait_for` may swallow a cancellation (Python 3.11)
                    await self._woken.wait()
            self._woken.clear()  # before the claim, so that a request that arrives during the claim is not lost
            requests = self._requests.copy()
            waits = self._patience_seconds if self._is_busy() else 0.0
            try:
                job = await lease.claim(
                    self._pool, self._kinds, worker_id, lease_seconds=self._lease_seconds, waits=waits
                )
            except DATABASE_FAILURES as error:
                _note_interruption(error)
                continue
            if waits:  # there may be jobs that have not waited long enough
                asyncio.get_running_loop().call_later(_LOOKS_SECONDS, self._woken.set)
            if job is not None:
                if not job.is_last:
                    self._woken.set()
                return requests, job

    async def _attempt(self, job: Job) -> None:
        """Makes one attempt at a job.

        Raises:
            OSError: Like all `DATABASE_FAILURES`: the outcome could not be stored.
        """
        handler = self._handlers[job.kind]
        if not handler.kind.may_attempt(job.attempt):
            await self._fail(handler, job, f"It was interrupted {job.attempt - 1} times.")
            return
        if spans.recorder is None or handler.kind.every is not None:
            work = asyncio.create_task(handler.work(job))
        else:
            work = asyncio.create_task(work_traced(handler.work, job, self._pool))
        renewal = asyncio.create_task(self._renew(job, work))
        try:
            result = await work
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is None or not task.cancelling():
                _note(job, "lost")
                return
            # If the release fails, the job is claimed once this worker has left.
            with suppress(*DATABASE_FAILURES):
                await lease.release(self._pool, job)
            raise
        except Exception as error:  # noqa: BLE001 - handlers may raise anything, and all of it counts
            await self._on_failure(handler, job, error)
        else:
            await self._complete(handler, job, result)
        finally:
            renewal.cancel()

    async def _complete(self, handler: JobHandler[Any], job: Job, result: object) -> None:
        """Ends a job whose work is done. If its result cannot be stored, the attempt has failed.

        Raises:
            OSError: As for `_attempt`.
        """
        try:
            async with self._events.transaction() as transaction:
                is_held = await lease.complete(transaction.connection, job, again_after=handler.kind.every)
                if is_held:
                    await handler.completed(transaction, job, result)
        except DATABASE_FAILURES:
            raise
        except Exception as error:  # noqa: BLE001 - as for the work
            await self._on_failure(handler, job, error)
        else:
            _note(job, "completed" if is_held else "lost")

    async def _renew(self, job: Job, work: "asyncio.Task[Any]") -> None:
        """Renews the lease of a job while it is executed; cancels the execution if the lease is lost."""
        while True:
            await asyncio.sleep(self._lease_seconds / 3)
            try:
                if not await lease.renew(self._pool, job, lease_seconds=self._lease_seconds):
                    work.cancel()
                    return
            except DATABASE_FAILURES as error:
                # Two more renewals are tried before the lease expires; later writes of the job require the lease.
                log.warning("lease could not be renewed", job=job.id, error=repr(error))

    async def _on_failure(self, handler: JobHandler[Any], job: Job, error: Exception) -> None:
        """Stores the failure of an attempt, and fails the job unless another attempt may succeed."""
        reason, is_retryable = _explain(job, error)
        kind = handler.kind
        if kind.may_attempt(job.attempt + 1) and (is_retryable or kind.every is not None):
            delay = kind.retries.delay(job.attempt, retry_after(error))
            log.warning(
                "job attempt failed, retrying", kind=job.kind, job=job.id, error=repr(error), delay=round(delay)
            )
            await lease.retry(self._pool, job, reason, delay)
            _note(job, "retried")
            return
        await self._fail(handler, job, reason)

    async def _fail(self, handler: JobHandler[Any], job: Job, reason: str) -> None:
        async with self._events.transaction() as transaction:
            if not await lease.fail(transaction.connection, job, reason):
                return
            await handler.failed(transaction, job, reason)
        log.warning("job failed", kind=job.kind, job=job.id, subject=job.subject_id, reason=reason)
        _note(job, "failed")
        await self._bus.bury(handler.kind.subject, JobRequested(job_id=job.id), "JobFailed")


def _note_interruption(error: Exception) -> None:
    """Logs that the database failed.

    Raises:
        CancelledError: The failed rollback of a transaction has replaced the cancellation by its own exception.
    """
    if (task := asyncio.current_task()) is not None and task.cancelling():
        raise asyncio.CancelledError from error
    log.warning("jobs interrupted, database error", error=repr(error))


def _explain(job: Job, error: Exception) -> tuple[str, bool]:
    """Returns the reason of a failed attempt, for users, and whether another attempt may succeed."""
    if isinstance(error, JobFailedError | EchoMindError):
        return normalized(error.message), error.retryable
    if (rejected := data_rejected(error)) is not None:
        log.error("job result cannot be stored", kind=job.kind, job=job.id, error=repr(error))
        return str(rejected), False
    if isinstance(error, DATABASE_FAILURES):
        return "A server that EchoMind needs did not answer.", True
    log.error("job failed with an unexpected exception", kind=job.kind, job=job.id, exc_info=error)
    return _FAULT, True


def _note(job: Job, outcome: str) -> None:
    _JOBS.labels(job.kind, outcome).inc()
