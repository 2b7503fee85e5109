"""A worker of jobs whose work a test says."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import UUID

from typing_extensions import override

from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.jobs import Job, JobHandler, JobKind, JobWorker
from echomind_lib.process.retries import RetryPolicy

AT_ONCE = RetryPolicy(first=0.01, longest=0.01, attempts=3)
PATIENCE = 60.0


class Recorder(JobHandler[str]):
    """Does what a test says and notes how jobs end."""

    kind = JobKind(name="recorded", retries=AT_ONCE)

    def __init__(self, work: Callable[[Job], Awaitable[str]]) -> None:
        self._work = work
        self.ended: list[tuple[str, str]] = []

    @override
    async def work(self, job: Job) -> str:
        return await self._work(job)

    @override
    async def completed(self, transaction: LogTransaction, job: Job, result: str) -> None:
        self.ended.append(("completed", result))

    @override
    async def failed(self, transaction: LogTransaction, job: Job, reason: str) -> None:
        self.ended.append(("failed", reason))


class Recurring(Recorder):
    """Does it again after a moment."""

    kind = JobKind(name="recurring", retries=AT_ONCE, every=0.01)


@asynccontextmanager
async def working(events: EventLog, worker_id: UUID, *handlers: JobHandler[Any], **options: Any) -> AsyncIterator[None]:
    """A worker, for the length of a block."""
    worker = JobWorker(events, handlers, **{"concurrency": 2, "sweep_seconds": 0.05} | options)
    task = asyncio.create_task(worker.run(worker_id))
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def until(events: EventLog, condition: str, *values: object) -> None:
    """Waits until a query gives true."""
    async with asyncio.timeout(PATIENCE):
        while not await events.pool.fetchval(condition, *values):  # noqa: ASYNC110 - the database does not tell
            await asyncio.sleep(0.01)
