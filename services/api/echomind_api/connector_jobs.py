"""What a change of a connector leaves to do in the vector database and among its documents.

Who may read is PostgreSQL's word and holds at once; these jobs let everything else follow. Each is a row of
`background_jobs`, written in the transaction of the change, carried out right after it, and again by whichever replica
finds it when that did not happen.
"""

import asyncio
from typing import Final, Literal
from uuid import UUID, uuid4

import asyncpg
import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.access import scope_name
from echomind_lib.db.database import Database
from echomind_lib.errors import EchoMindError
from echomind_lib.messaging import DOCUMENTS_DELETE, Bus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentDelete
from echomind_lib.vectors import VectorIndex

Kind = Literal["connector.scope", "connector.removal"]

_KINDS: Final[tuple[Kind, ...]] = ("connector.scope", "connector.removal")
_SWEEP_SECONDS = 15.0
_RECHECK_SECONDS = 10
_REMOVAL_BATCH = 2000

_ASK = text("""
    INSERT INTO background_jobs (kind, subject_id, unique_key)
    VALUES (:kind, CAST(:id AS text), :kind || ':' || CAST(:id AS text))
    ON CONFLICT (unique_key) DO UPDATE SET status = 'pending', run_after = now(), attempt = 0, error = NULL
""")
# `run_after` is also how long the job is this worker's.
_TAKE = """
    UPDATE background_jobs SET status = 'running', worker_id = $1, attempt = attempt + 1,
        run_after = now() + interval '10 minutes'
    WHERE id = (
        SELECT id FROM background_jobs
        WHERE kind = ANY($2) AND status IN ('pending', 'running') AND run_after <= now()
        ORDER BY run_after, id LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING id, kind, subject_id, attempt
"""
# Nothing when it was asked for again meanwhile: it is then pending once more.
_FINISH = """
    UPDATE background_jobs SET status = $3, error = $4, run_after = now() + make_interval(secs => $5)
    WHERE id = $1 AND worker_id = $2 AND status = 'running'
"""
_REMOVE = """
    UPDATE documents SET deleted_date = now()
    WHERE id IN (SELECT id FROM documents WHERE connector_id = $1 AND deleted_date IS NULL ORDER BY id LIMIT $2)
    RETURNING id
"""
_BEING_PROCESSED = """
    SELECT EXISTS (
        SELECT FROM documents WHERE connector_id = $1 AND status = 'processing' AND deleted_date IS NULL
    )
"""

log = structlog.get_logger(__name__)


class ConnectorJobs:
    """Asks for and carries out the jobs."""

    def __init__(self, database: Database, vectors: VectorIndex, bus: Bus) -> None:
        self._pool = database.pool
        self._vectors = vectors
        self._bus = bus
        self._worker_id: UUID = uuid4()

    @staticmethod
    async def ask(session: AsyncSession, kind: Kind, connector_id: int) -> None:
        """Asks for a job in the transaction of the change; call `run_due` after it."""
        await session.execute(_ASK, {"kind": kind, "id": connector_id})

    async def run(self) -> None:
        """Carries out what other processes have left, until it is cancelled."""
        while True:
            try:
                await self.run_due()
            except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
                log.warning("connector jobs could not be looked for", error=repr(error))
            await asyncio.sleep(_SWEEP_SECONDS)

    async def run_due(self) -> None:
        """Carries out the jobs that are due. What fails is tried again later."""
        while job := await self._pool.fetchrow(_TAKE, self._worker_id, _KINDS):
            status, error, wait = "completed", None, 0.0
            try:
                work = self._follow_scope if job["kind"] == "connector.scope" else self._remove_documents
                if not await work(int(job["subject_id"])):
                    status, wait = "pending", _RECHECK_SECONDS
            except EchoMindError as failure:
                log.warning("connector job failed", kind=job["kind"], connector=job["subject_id"], error=repr(failure))
                status, error, wait = "pending", failure.message, min(2.0 ** job["attempt"], 300.0)
            await self._pool.execute(_FINISH, job["id"], self._worker_id, status, error, wait)

    async def _follow_scope(self, connector_id: int) -> bool:
        """Writes the connector's scope into its passages. False when some may still come with the scope before."""
        connector = await self._pool.fetchrow(
            "SELECT scope, user_id, scope_id FROM connectors WHERE id = $1 AND deleted_date IS NULL", connector_id
        )
        if connector is None:
            return True
        processing = await self._pool.fetchval(_BEING_PROCESSED, connector_id)
        payload = {"scope": scope_name(connector["scope"], connector["user_id"], connector["scope_id"])}
        for model in await self._pool.fetch(
            "SELECT collection, model_dimension FROM embedding_models WHERE deleted_date IS NULL"
        ):
            await self._vectors.ensure(model["collection"], model["model_dimension"])
            await self._vectors.set_payload(model["collection"], payload, {"connector_id": connector_id})
        return not processing

    async def _remove_documents(self, connector_id: int) -> bool:
        """Marks the documents of a removed connector as removed and has each cleared away."""
        while removed := await self._pool.fetch(_REMOVE, connector_id, _REMOVAL_BATCH):
            for row in removed:
                await self._bus.wake(DOCUMENTS_DELETE, DocumentDelete(document_id=row["id"]))
        return True
