"""How much work waits, measured when Prometheus asks: agents and ingestors are scaled by it."""

from typing import Final

import asyncpg
from prometheus_client import Gauge
from sqlalchemy import func, select

from echomind_lib.db.models import Document, Run
from echomind_lib.db.statements import Query

_QUEUED_RUNS: Final = Gauge("echomind_runs_queued", "Runs that wait for an agent.")
_PENDING_DOCUMENTS: Final = Gauge("echomind_documents_pending", "Documents that wait for an ingestor.")
_RUNS: Final = Query(select(func.count()).where(Run.status == "queued"), int)
_DOCUMENTS: Final = Query(
    select(func.count()).where(Document.status == "pending", Document.deleted_date.is_(None)), int
)


async def measure_queues(pool: asyncpg.Pool) -> None:
    """Updates the measurements.

    Raises:
        OSError: Like all `DATABASE_FAILURES`: the database does not respond.
    """
    (runs,) = await _RUNS.fetch_all(pool)
    (documents,) = await _DOCUMENTS.fetch_all(pool)
    _QUEUED_RUNS.set(runs)
    _PENDING_DOCUMENTS.set(documents)
