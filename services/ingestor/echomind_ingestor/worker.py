"""The ingestor worker: processes documents, executes background jobs, and sweeps for lost documents."""

import asyncio
from collections.abc import Sequence

import asyncpg
import structlog

from echomind_ingestor.pipeline.claims import ANY_UNFINISHED, DROP, STRANDED, WAIT_FOR_ROOM, WAITING
from echomind_ingestor.pipeline.processing import WAITING_FOR_ROOM, Processor
from echomind_ingestor.sync.source_tests import SourceTests
from echomind_ingestor.turns import Turns
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.jobs import JobWorker
from echomind_lib.messaging import (
    DOCUMENT_CHANGED,
    DOCUMENTS_BACKGROUND,
    DOCUMENTS_PROCESS,
    SOURCES_TEST,
    Bus,
    Consumer,
    Delivery,
)
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentChanged, DocumentProcess
from echomind_lib.process.disk import DiskSpace
from echomind_lib.runtime import Membership
from echomind_lib.telemetry import names, spans

log = structlog.get_logger(__name__)

_SWEEP_SECONDS = 10.0
_SWEEP_LIMIT = 500


class Worker:
    """One ingestor process."""

    def __init__(
        self,
        *,
        pool: asyncpg.Pool,
        bus: Bus,
        processor: Processor,
        jobs: Sequence[JobWorker],
        membership: Membership,
        disk: DiskSpace,
        source_tests: SourceTests,
        concurrency: int,
    ) -> None:
        """Stores its dependencies.

        Args:
            pool: The database.
            bus: The queue.
            processor: Processor of one document.
            jobs: Workers of background jobs, each of kinds that do not wait for those of another one.
            membership: Its membership among the workers.
            disk: The disk on which documents are stored.
            source_tests: Tests of sources.
            concurrency: Maximum number of concurrent documents of each queue.
        """
        self._pool = pool
        self._bus = bus
        self._processor = processor
        self._jobs = jobs
        self._concurrency = concurrency
        self._turns = Turns()
        self._membership = membership
        self._disk = disk
        self._source_tests = source_tests
        # A list, as a message may be delivered twice.
        self._active: list[int] = []

    async def run(self) -> None:
        """Processes work until cancelled; unfinished documents and jobs are then released to other workers."""
        async with (
            self._membership,
            await self._bus.subscribe(SOURCES_TEST, self._source_tests.answer, "ingestors"),
            asyncio.TaskGroup() as tasks,
        ):
            tasks.create_task(self._membership.run())
            tasks.create_task(self._sweep())
            tasks.create_task(self._processor.watch())
            for jobs in self._jobs:
                tasks.create_task(jobs.run(self._membership.id))
            for queue, on_delivery in (
                (DOCUMENTS_PROCESS, self._on_process),
                (DOCUMENTS_BACKGROUND, self._on_background),
            ):
                tasks.create_task(self._bus.consume(queue, on_delivery, asyncio.Semaphore(self._concurrency)))

    async def _on_process(self, delivery: Delivery) -> None:
        async with self._turns.first():
            await self._process(DOCUMENTS_PROCESS, delivery)

    async def _on_background(self, delivery: Delivery) -> None:
        async with self._turns.background():
            await self._process(DOCUMENTS_BACKGROUND, delivery)

    async def _process(self, queue: Consumer, delivery: Delivery) -> None:
        request = DocumentProcess.FromString(delivery.data)
        if self._disk.is_low:
            # The document stays pending; the sweep publishes it again when there is disk space.
            await WAIT_FOR_ROOM.execute(self._pool, document_id=request.document_id, message=WAITING_FOR_ROOM)
            return
        # Added before the claim: the sweep regards a claimed document that is not listed here as dropped.
        self._active.append(request.document_id)
        try:
            if spans.recorder is None:
                await self._processor.process(request.document_id, self._membership.id)
            else:
                await self._process_traced(queue, delivery, request.document_id)
        finally:
            self._active.remove(request.document_id)
            await self._bus.publish(DOCUMENT_CHANGED, DocumentChanged(document_id=request.document_id))

    async def _process_traced(self, queue: Consumer, delivery: Delivery, document_id: int) -> None:
        """Processes a document as a part of the trace of the call that stored it."""
        subject = queue.subject
        attributes: dict[str, spans.Value] = {
            names.MESSAGING_SYSTEM: "nats",
            names.MESSAGING_DESTINATION: subject,
            names.DOCUMENT: str(document_id),
        }
        with spans.entered(spans.continued_or_new(delivery.headers, f"process {subject}", "consumer", attributes)):
            await self._processor.process(document_id, self._membership.id)

    async def _sweep(self) -> None:
        while True:
            try:
                if await ANY_UNFINISHED.fetch_one(self._pool):
                    await DROP.execute(self._pool, worker=self._membership.id, active=self._active)
                    if not self._disk.is_low:
                        await self._wake()
            except DATABASE_FAILURES as error:
                log.warning("sweep failed", error=repr(error))
            await self._membership.departure(_SWEEP_SECONDS)

    async def _wake(self) -> None:
        for document_id in await STRANDED.fetch_all(self._pool, limit=_SWEEP_LIMIT):
            await self._bus.wake(DOCUMENTS_BACKGROUND, DocumentProcess(document_id=document_id))
        # A waiting document can have lost its message only if the queues are empty.
        if await self._bus.waiting(DOCUMENTS_PROCESS) == 0 == await self._bus.waiting(DOCUMENTS_BACKGROUND):
            for document_id in await WAITING.fetch_all(self._pool, limit=_SWEEP_LIMIT):
                await self._bus.wake(DOCUMENTS_BACKGROUND, DocumentProcess(document_id=document_id))
