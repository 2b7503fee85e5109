"""The ingestor worker: takes documents from the queue and repairs what was lost."""

import asyncio
import platform
from uuid import UUID

import asyncpg
import structlog

from echomind_ingestor.processing import STALE_SECONDS, Processor
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.messaging import DOCUMENTS_DELETE, DOCUMENTS_PROCESS, Bus, Consumer, Delivery
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentDelete, DocumentProcess

log = structlog.get_logger(__name__)

_HEARTBEAT_SECONDS = 5.0
_SWEEP_SECONDS = 10.0
_SWEEP_LIMIT = 500
_WAITING = """
SELECT id FROM documents
WHERE deleted_date IS NULL AND (
    status = 'pending' AND COALESCE(last_update, creation_date) < now() - interval '5 seconds'
    OR status = 'processing' AND last_update < now() - make_interval(secs => $1))
ORDER BY id LIMIT $2
"""
_REMOVED = """
(SELECT id FROM documents WHERE deleted_date IS NOT NULL ORDER BY id LIMIT $1)
UNION
(SELECT documents.id FROM documents JOIN connectors ON connectors.id = documents.connector_id
 WHERE connectors.deleted_date IS NOT NULL LIMIT $1)
"""


class Worker:
    """One ingestor process."""

    def __init__(self, pool: asyncpg.Pool, bus: Bus, processor: Processor, concurrency: int) -> None:
        self._pool = pool
        self._bus = bus
        self._processor = processor
        self._slots = asyncio.Semaphore(concurrency)
        self.id: UUID | None = None

    async def run(self) -> None:
        """Works until it is cancelled; documents that it was at wait for another worker then."""
        self.id = await self._pool.fetchval(
            "INSERT INTO workers (service, host) VALUES ('ingestor', $1) RETURNING id", platform.node()
        )
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._heartbeat())
                tasks.create_task(self._sweep())
                tasks.create_task(self._bus.consume(DOCUMENTS_PROCESS, self._on_process, self._slots))
                tasks.create_task(self._bus.consume(DOCUMENTS_DELETE, self._on_delete, asyncio.Semaphore(1)))
        finally:
            await self._pool.execute("DELETE FROM workers WHERE id = $1", self.id)

    async def _on_process(self, delivery: Delivery) -> None:
        request = DocumentProcess.FromString(delivery.data)
        last_try = delivery.attempt >= DOCUMENTS_PROCESS.max_deliver
        await self._processor.process(request.document_id, last_try=last_try)

    async def _on_delete(self, delivery: Delivery) -> None:
        await self._processor.remove(DocumentDelete.FromString(delivery.data).document_id)

    async def _heartbeat(self) -> None:
        while True:
            await asyncio.sleep(_HEARTBEAT_SECONDS)
            try:
                await self._pool.execute(
                    "INSERT INTO workers (id, service, host) VALUES ($1, 'ingestor', $2) "
                    "ON CONFLICT (id) DO UPDATE SET heartbeat_at = now()",
                    self.id,
                    platform.node(),
                )
            except DATABASE_FAILURES as error:
                log.warning("heartbeat failed", error=repr(error))

    async def _sweep(self) -> None:
        while True:
            try:
                if await self._is_idle(DOCUMENTS_PROCESS):
                    for row in await self._pool.fetch(_WAITING, STALE_SECONDS, _SWEEP_LIMIT):
                        await self._bus.wake(DOCUMENTS_PROCESS, DocumentProcess(document_id=row["id"]))
                if await self._is_idle(DOCUMENTS_DELETE):
                    for row in await self._pool.fetch(_REMOVED, _SWEEP_LIMIT):
                        await self._bus.wake(DOCUMENTS_DELETE, DocumentDelete(document_id=row["id"]))
            except DATABASE_FAILURES as error:
                log.warning("sweep failed", error=repr(error))
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _is_idle(self, consumer: Consumer) -> bool:
        """Whether nothing waits in the queue: only then may a row that waits have lost its message."""
        return await self._bus.waiting(consumer) == 0
