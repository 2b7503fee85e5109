"""Lets the passages of a connector follow a change of its scope.

Who may read is PostgreSQL's word, so what is not shared any more is hidden at once. What is newly shared is found once
its passages carry the scope, which is seen to here: by a row of `background_jobs`, written in the transaction of the
change, carried out right after it, and again by whichever replica finds it when that did not happen.
"""

import asyncio
from typing import Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy import func
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_lib.access import scope_name
from echomind_lib.db import models as rows
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.errors import EchoMindError
from echomind_lib.vectors import VectorIndex

KIND: Final = "connector.scope"
_SWEEP_SECONDS = 15.0
_LONGEST_WAIT = 300.0

# `run_after` is also how long the job is this worker's.
_TAKE = """
    UPDATE background_jobs SET status = 'running', worker_id = $1, attempt = attempt + 1,
        run_after = now() + interval '10 minutes'
    WHERE id = (
        SELECT id FROM background_jobs
        WHERE kind = $2 AND status IN ('pending', 'running') AND run_after <= now()
        ORDER BY run_after, id LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING id, subject_id, attempt
"""
# Nothing when it was asked for again meanwhile: it is pending once more then.
_FINISH = """
    UPDATE background_jobs SET status = $3, error = $4, run_after = now() + make_interval(secs => $5)
    WHERE id = $1 AND worker_id = $2 AND status = 'running'
"""

log = structlog.get_logger(__name__)


class Scopes:
    """Asks for the jobs and carries them out."""

    def __init__(self, database: Database, vectors: VectorIndex) -> None:
        self._pool = database.pool
        self._vectors = vectors
        self._worker_id: UUID = uuid4()

    @staticmethod
    async def ask(session: AsyncSession, connector_id: int) -> None:
        """Asks for a connector's passages to follow, in the transaction of its change; call `run_due` after it."""
        job = insert(rows.BackgroundJob).values(
            kind=KIND, subject_id=str(connector_id), unique_key=f"{KIND}:{connector_id}"
        )
        again = {"status": "pending", "run_after": func.now(), "attempt": 0, "error": None}
        await session.execute(job.on_conflict_do_update(index_elements=["unique_key"], set_=again))

    async def run(self) -> None:
        """Carries out what other processes have left, until it is cancelled."""
        while True:
            try:
                await self.run_due()
            except DATABASE_FAILURES as error:
                log.warning("changes of scopes could not be looked for", error=repr(error))
            await asyncio.sleep(_SWEEP_SECONDS)

    async def run_due(self) -> None:
        """Carries out the jobs that are due. What fails is tried again later."""
        while job := await self._pool.fetchrow(_TAKE, self._worker_id, KIND):
            status, message, wait = "completed", None, 0.0
            try:
                await self._follow(int(job["subject_id"]))
            except EchoMindError as error:
                log.warning("passages do not carry their scope yet", connector=job["subject_id"], error=repr(error))
                status, message, wait = "pending", error.message, min(2.0 ** job["attempt"], _LONGEST_WAIT)
            await self._pool.execute(_FINISH, job["id"], self._worker_id, status, message, wait)

    async def _follow(self, connector_id: int) -> None:
        connector = await self._pool.fetchrow(
            "SELECT scope, user_id, scope_id FROM connectors WHERE id = $1 AND deleted_date IS NULL", connector_id
        )
        if connector is None:
            return
        payload = {"scope": scope_name(connector["scope"], connector["user_id"], connector["scope_id"])}
        for index in await self._pool.fetch(
            "SELECT collection, model_dimension FROM embedding_models WHERE deleted_date IS NULL"
        ):
            await self._vectors.ensure(index["collection"], index["model_dimension"])
            await self._vectors.set_payload(index["collection"], payload, {"connector_id": connector_id})
