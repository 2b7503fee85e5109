"""The background jobs of syncs: one starts due syncs, one executes a connector's sync."""

from dataclasses import dataclass
from typing import Final

import asyncpg
from sqlalchemy import Integer, and_, bindparam, case, exists, func, null, or_, select
from sqlalchemy.dialects.postgresql import insert
from typing_extensions import override

from echomind_ingestor.sync import syncs
from echomind_ingestor.sync.outcomes import after_failure, ending
from echomind_ingestor.sync.slices import SyncResources, SyncSlice
from echomind_lib.db.models import BackgroundJob, Connector, ConnectorSync
from echomind_lib.db.statements import Command, Query
from echomind_lib.events.log import LogTransaction
from echomind_lib.jobs import SCHEDULE_SYNCS, SYNC_CONNECTOR, Job, JobHandler, enqueue, wake
from echomind_lib.messaging import Bus

_TOGETHER: Final = 100
"""Maximum number of syncs started in one transaction."""

_has_sync = exists().where(ConnectorSync.connector_id == Connector.id, ConnectorSync.status.in_(syncs.ACTIVE))
_is_due = and_(
    Connector.next_sync_at.is_not(None),
    Connector.next_sync_at <= func.now(),
    Connector.paused_at.is_(None),
    Connector.status != "disabled",
    Connector.deleted_date.is_(None),
    ~_has_sync,
)
_due = (
    select(Connector.id, Connector.state)
    .where(_is_due)
    .order_by(Connector.next_sync_at)
    .limit(bindparam("limit", type_=Integer))
    .with_for_update(skip_locked=True)
    .cte("due")
)
_BEGIN: Final = Command(
    insert(ConnectorSync)
    .from_select(
        ["connector_id", "kind"],
        select(_due.c.id, case((_due.c.state["cursor"].as_string().is_(null()), "full"), else_="incremental")),
    )
    .on_conflict_do_nothing()
)
"""Starts syncs of due connectors without an active sync."""
_has_job = exists().where(
    BackgroundJob.unique_key == func.concat(f"{SYNC_CONNECTOR.name}:", ConnectorSync.connector_id),
    BackgroundJob.status.in_(["pending", "running"]),
)
_waits = and_(ConnectorSync.status.in_(["pending", "running"]), ~_has_job)
_WITHOUT_JOB: Final = Query(
    select(ConnectorSync.connector_id)
    .where(_waits)
    .order_by(ConnectorSync.id)
    .limit(bindparam("limit", type_=Integer)),
    int,
)
"""Selects connectors whose syncs have no job yet: those that users have requested or confirmed."""
_ANY: Final = Query(select(or_(exists().where(_is_due), exists().where(_waits)).label("are_any")), bool)
"""Selects whether there is a sync to start or to request a job for."""


class SyncSchedule(JobHandler[None]):
    """Starts the syncs of connectors that are due, and requests jobs for waiting ones."""

    kind = SCHEDULE_SYNCS

    def __init__(self, pool: asyncpg.Pool, bus: Bus) -> None:
        self._pool = pool
        self._bus = bus

    @override
    async def work(self, job: Job) -> None:
        await self.run()

    async def run(self) -> int:
        """Returns the number of syncs for which a job was requested."""
        if not await _ANY.fetch_one(self._pool):
            return 0
        async with self._pool.acquire() as connection, connection.transaction():
            await _BEGIN.execute(connection, limit=_TOGETHER)
            waiting = await _WITHOUT_JOB.fetch_all(connection, limit=_TOGETHER)
            for connector_id in waiting:
                await enqueue(connection, SYNC_CONNECTOR, connector_id)
        if waiting:
            await wake(self._bus, SYNC_CONNECTOR)
        return len(waiting)


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceResult:
    """The state of a sync after a slice.

    Attributes:
        again: Seconds after which it continues; None if it has ended or waits for a user.
    """

    again: float | None


class Syncs(JobHandler[SliceResult]):
    """Executes a slice of a connector's sync."""

    kind = SYNC_CONNECTOR

    def __init__(self, resources: SyncResources) -> None:
        self._resources = resources

    @override
    async def work(self, job: Job) -> SliceResult:
        sync = await syncs.FIND.fetch_one(self._resources.pool, connector_id=int(job.subject_id))
        if sync is None:
            return SliceResult(again=None)
        return SliceResult(again=await SyncSlice(self._resources, job, sync).run())

    @override
    async def completed(self, transaction: LogTransaction, job: Job, result: SliceResult) -> None:
        if result.again is not None:
            await enqueue(transaction.connection, SYNC_CONNECTOR, job.subject_id, after=result.again)

    @override
    async def failed(self, transaction: LogTransaction, job: Job, reason: str) -> None:
        sync = await syncs.FIND.fetch_one(transaction.connection, connector_id=int(job.subject_id))
        if sync is None:
            return
        await syncs.FAIL.execute(
            transaction.connection,
            **ending(sync, "failed", sync.state.get("cursor"), error_kind="internal", error=reason),
            after=after_failure("internal", sync),
        )
