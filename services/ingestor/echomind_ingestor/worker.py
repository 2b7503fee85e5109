"""The ingestor worker: takes documents from the queue and repairs what was lost."""

import asyncio

import asyncpg
import structlog

from echomind_ingestor.pipeline.processing import WAITING_FOR_ROOM, Processor
from echomind_ingestor.pipeline.removal import Removal
from echomind_ingestor.pipeline.sweep import Sweep
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.disk import DiskSpace
from echomind_lib.jobs import JobWorker
from echomind_lib.messaging import DOCUMENTS_DELETE, DOCUMENTS_PROCESS, Bus, Consumer, Delivery
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentProcess
from echomind_lib.runtime import Membership

log = structlog.get_logger(__name__)

_SWEEP_SECONDS = 10.0
_SWEEP_LIMIT = 500
# Documents whose wake-up may be lost.
_WAITING = """
SELECT id FROM documents
WHERE deleted_date IS NULL AND status = 'pending'
    AND COALESCE(last_update, creation_date) < now() - interval '5 seconds'
ORDER BY id LIMIT $1
"""
# Documents of workers that are no more, whose messages are not delivered again for a while.
_STRANDED = """
SELECT id FROM documents
WHERE deleted_date IS NULL AND status = 'processing'
    AND NOT EXISTS (SELECT FROM workers WHERE workers.id = documents.worker_id)
ORDER BY id LIMIT $1
"""
# Documents that this worker dropped because the database failed it.
_DROP = """
UPDATE documents SET status = 'pending', processing_session = NULL, worker_id = NULL
WHERE status = 'processing' AND worker_id = $1 AND id <> ALL($2) AND last_update < now() - interval '5 seconds'
"""
_WAIT_FOR_ROOM = """
UPDATE documents SET status_message = $2 WHERE id = $1 AND status = 'pending' AND status_message IS DISTINCT FROM $2
"""


class Worker:
    """One ingestor process."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        bus: Bus,
        processor: Processor,
        removal: Removal,
        sweep: Sweep,
        jobs: JobWorker,
        membership: Membership,
        disk: DiskSpace,
        concurrency: int,
    ) -> None:
        """Takes what its work needs.

        Args:
            pool: The database.
            bus: The queue.
            processor: What processes one document.
            removal: What clears removed documents away.
            sweep: What finds leftovers.
            jobs: What does background jobs.
            membership: Its place among the workers.
            disk: The disk that documents are stored on.
            concurrency: Documents at the same time.
        """
        self._pool = pool
        self._bus = bus
        self._processor = processor
        self._removal = removal
        self._leftovers = sweep
        self._jobs = jobs
        self._slots = asyncio.Semaphore(concurrency)
        self._membership = membership
        self._disk = disk
        # A message may be delivered twice.
        self._active: list[int] = []

    async def run(self) -> None:
        """Works until it is cancelled; documents that it was at wait for another worker then."""
        async with self._membership, asyncio.TaskGroup() as tasks:
            tasks.create_task(self._membership.run())
            tasks.create_task(self._sweep())
            tasks.create_task(self._processor.watch())
            tasks.create_task(self._removal.work())
            tasks.create_task(self._leftovers.work())
            tasks.create_task(self._jobs.run(self._membership.id))
            tasks.create_task(self._bus.consume(DOCUMENTS_PROCESS, self._on_process, self._slots))
            tasks.create_task(self._bus.consume(DOCUMENTS_DELETE, self._on_delete, asyncio.Semaphore(1)))

    async def _on_process(self, delivery: Delivery) -> None:
        request = DocumentProcess.FromString(delivery.data)
        if self._disk.is_low:
            # The row waits; the sweep wakes it when there is room.
            await self._pool.execute(_WAIT_FOR_ROOM, request.document_id, WAITING_FOR_ROOM)
            return
        # Before it is claimed: what is claimed and not among these was dropped.
        self._active.append(request.document_id)
        try:
            await self._processor.process(request.document_id, self._membership.id)
        finally:
            self._active.remove(request.document_id)

    async def _on_delete(self, _: Delivery) -> None:
        self._removal.wake()

    async def _sweep(self) -> None:
        while True:
            try:
                await self._pool.execute(_DROP, self._membership.id, self._active)
                if not self._disk.is_low:
                    await self._wake()
            except DATABASE_FAILURES as error:
                log.warning("sweep failed", error=repr(error))
            await self._membership.departure(_SWEEP_SECONDS)

    async def _wake(self) -> None:
        for row in await self._pool.fetch(_STRANDED, _SWEEP_LIMIT):
            await self._bus.wake(DOCUMENTS_PROCESS, DocumentProcess(document_id=row["id"]))
        if await self._is_idle(DOCUMENTS_PROCESS):
            for row in await self._pool.fetch(_WAITING, _SWEEP_LIMIT):
                await self._bus.wake(DOCUMENTS_PROCESS, DocumentProcess(document_id=row["id"]))

    async def _is_idle(self, consumer: Consumer) -> bool:
        """Whether nothing waits in the queue: only then may a row that waits have lost its message."""
        return await self._bus.waiting(consumer) == 0
