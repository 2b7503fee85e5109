"""The health of an installation's components."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from sqlalchemy import ColumnElement, ColumnExpressionArgument, String, column, func, select, table
from sqlalchemy.ext.asyncio import AsyncSession

from echomind_api.assistants.server_states import read_server_states
from echomind_api.auth.addresses import Proxies
from echomind_lib.db import models as rows
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.jobs.dead import IS_DEAD
from echomind_lib.models import public
from echomind_lib.process.disk import DiskSpace
from echomind_lib.runtime.membership import HEARTBEAT_SECONDS
from echomind_lib.telemetry import Check

Version = Callable[[], Awaitable[str]]

_PART_SECONDS: Final = 3.0
_DATABASE: Final = "postgres"
_LATE: Final = timedelta(seconds=2 * HEARTBEAT_SECONDS)
_OVERDUE: Final = timedelta(seconds=60)
"""A queue is degraded if its oldest item has waited longer than this and no worker claims it."""
_FAILED_RUNS: Final = timedelta(hours=24)
_REVISION: Final = select(column("version_num", String)).select_from(table("alembic_version"))
_SEVERITY: Final = (public.HealthStatus.OK, public.HealthStatus.DEGRADED, public.HealthStatus.FAILED)
_SERVICES: Final = {"runs": "agent", "documents": "ingestor"}
"""The services that process each queue; both process jobs."""


class HealthReader:
    """Checks the servers, the workers, the queues and the disk."""

    def __init__(
        self,
        database: Database,
        disk: DiskSpace,
        checks: Mapping[str, Check],
        versions: Mapping[str, Version],
        version: str,
        proxies: Proxies,
    ) -> None:
        """Stores what to check.

        Args:
            database: The database.
            disk: The watched disk.
            checks: Name and check of each part that the gateway needs.
            versions: Functions that return versions, by the name of the server; a server need not have one.
            version: EchoMind's own.
            proxies: The named proxies, which remember others.
        """
        self._database = database
        self._disk = disk
        self._checks = checks
        self._versions = versions
        self._version = version
        self._proxies = proxies

    async def read(self) -> public.SystemHealth:
        """Returns the current health within three seconds; components may be reported as not responding."""
        checks = asyncio.gather(*(self._part(name, check) for name, check in self._checks.items()))
        parts, stored = await asyncio.gather(checks, self._stored())
        if stored is None:
            # The database can pass its check and still be too slow for these queries: report it as slow.
            stored = _Stored()
            parts = [_slow(part) if part.name == _DATABASE else part for part in parts]
        parts += _unnamed(self._proxies)
        disk = _disk(self._disk)
        statuses = [part.status for part in parts] + [worker.status for worker in stored.workers]
        statuses += [queue.status for queue in stored.queues] + ([disk.status] if disk else [])
        statuses += [server.status for server in stored.servers]
        return public.SystemHealth(
            status=max(statuses, key=_SEVERITY.index),
            parts=parts,
            workers=stored.workers,
            queues=stored.queues,
            disk=disk,
            mcp_servers=stored.servers,
            version=self._version,
            schema_revision=stored.revision,
            checked_at=datetime.now(UTC),
        )

    async def _stored(self) -> "_Stored | None":
        """Returns the state that is stored in the database; None if the queries time out."""
        try:
            async with asyncio.timeout(_PART_SECONDS), self._database.session() as session:
                workers = await _workers(session)
                return _Stored(
                    workers=workers,
                    queues=await _queues(session, {worker.service for worker in workers}),
                    servers=await read_server_states(session),
                    revision=await session.scalar(_REVISION) or "",
                )
        except DATABASE_FAILURES:
            return None

    async def _part(self, name: str, check: Check) -> public.PartHealth:
        begin = time.perf_counter()
        try:
            async with asyncio.timeout(_PART_SECONDS):
                await check()
                milliseconds = (time.perf_counter() - begin) * 1000
                version = await self._versions[name]() if name in self._versions else ""
        except Exception as error:  # noqa: BLE001 - whatever it is, the part does not work
            message = f"It did not answer within {_PART_SECONDS:.0f} seconds."
            if not isinstance(error, TimeoutError):
                message = f"It answered with an error ({type(error).__name__}). The gateway's log has more."
            return public.PartHealth(name=name, status=public.HealthStatus.FAILED, message=message)
        return public.PartHealth(
            name=name, status=public.HealthStatus.OK, version=version, latency_ms=round(milliseconds, 1)
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Stored:
    """The installation's state as stored in the database."""

    workers: list[public.WorkerHealth] = field(default_factory=list)
    queues: list[public.QueueHealth] = field(default_factory=list)
    servers: list[public.McpServerHealth] = field(default_factory=list)
    revision: str = ""


def _unnamed(proxies: Proxies) -> list[public.PartHealth]:
    """Returns the proxy as a component if it is not named; otherwise nothing, as it works."""
    if not (addresses := proxies.unnamed()):
        return []
    message = (
        f"Requests come through {', '.join(addresses)}, which is not named in ECHOMIND_API__TRUSTED_PROXIES: everybody "
        "behind it counts as one address, so the wrong passwords, keys and links of one person lock all of them out. "
        "If it is your proxy, name it there."
    )
    return [public.PartHealth(name="proxy", status=public.HealthStatus.DEGRADED, message=message)]


def _slow(part: public.PartHealth) -> public.PartHealth:
    """Returns a component that responds as too slow; one that does not respond is returned unchanged."""
    if part.status is not public.HealthStatus.OK:
        return part
    message = f"It did not say within {_PART_SECONDS:.0f} seconds how workers and queues are."
    return part.model_copy(update={"status": public.HealthStatus.DEGRADED, "message": message})


async def _workers(session: AsyncSession) -> list[public.WorkerHealth]:
    query = select(rows.Worker, rows.Worker.heartbeat_at < func.now() - _LATE).order_by(
        rows.Worker.service, rows.Worker.started_at
    )
    return [
        public.WorkerHealth(
            id=str(row.id),
            service=row.service.removeprefix("echomind-"),
            host=row.host,
            started_at=row.started_at,
            heartbeat_at=row.heartbeat_at,
            status=public.HealthStatus.DEGRADED if is_late else public.HealthStatus.OK,
        )
        for row, is_late in (await session.execute(query)).all()
    ]


async def _queues(session: AsyncSession, services: set[str]) -> list[public.QueueHealth]:
    run, document, job = rows.Run, rows.Document, rows.BackgroundJob
    now = func.now()
    return [
        # Held-back runs wait for other runs of the same user, not for a worker.
        await _queue(
            session,
            "runs",
            services,
            waiting=((run.status == "queued") & ~run.held_back, run.creation_date),
            running=run.status == "running",
            failed=(run.status == "failed") & (run.completed_at > now - _FAILED_RUNS),
        ),
        await _queue(
            session,
            "documents",
            services,
            waiting=((document.status == "pending") & document.deleted_date.is_(None), document.creation_date),
            running=(document.status == "processing") & document.deleted_date.is_(None),
            failed=(document.status == "failed") & document.deleted_date.is_(None),
        ),
        # Jobs that are scheduled for later are not counted as waiting.
        await _queue(
            session,
            "jobs",
            services,
            waiting=((job.status == "pending") & (job.run_after <= now), job.run_after),
            running=job.status == "running",
            failed=IS_DEAD,
            fails_for_good=True,
        ),
    ]


async def _queue(
    session: AsyncSession,
    name: str,
    services: set[str],
    *,
    waiting: tuple[ColumnElement[bool], ColumnExpressionArgument[datetime]],
    running: ColumnElement[bool],
    failed: ColumnElement[bool],
    fails_for_good: bool = False,
) -> public.QueueHealth:
    """Returns the health of a queue; with `fails_for_good`, what failed needs a person, as nothing repeats it."""
    is_waiting, since = waiting
    count, oldest = (await session.execute(select(func.count(), func.min(since)).where(is_waiting))).one()
    counts = [await session.scalar(select(func.count()).where(condition)) or 0 for condition in (running, failed)]
    has_worker = name not in _SERVICES or _SERVICES[name] in services
    is_overdue = oldest is not None and datetime.now(UTC) - oldest > _OVERDUE and (not has_worker or not counts[0])
    is_degraded = is_overdue or (fails_for_good and counts[1] > 0)
    return public.QueueHealth(
        name=name,
        status=public.HealthStatus.DEGRADED if is_degraded else public.HealthStatus.OK,
        waiting=count,
        running=counts[0],
        failed=counts[1],
        oldest_waiting_since=oldest,
    )


def _disk(space: DiskSpace) -> public.DiskHealth | None:
    use = space.use
    if use is None:
        return None
    return public.DiskHealth(
        status=public.HealthStatus.FAILED if space.is_low else public.HealthStatus.OK,
        folder=str(use.folder),
        free_bytes=use.free,
        total_bytes=use.total,
        reserve_bytes=use.reserve,
    )
