"""A process's membership among the workers: its row, its two signs of life, and the watch over other workers.

A worker is alive as long as its row exists, and only the watch removes other workers' rows. It uses two signs:

- The lock. A worker holds a session-level advisory lock on a dedicated connection. When the process dies, the kernel
  closes the socket and the server releases the lock, so that all other workers notice within a second.
- The heartbeat, for cases in which the lock is still held: a frozen process, a cut network.

Neither counts just after an outage of the database, as all workers have lost their locks and missed heartbeats then.
Session-level locks need a dedicated server connection: behind PgBouncer, use session pooling, or connect to PostgreSQL
itself in `ECHOMIND_POSTGRES__URL`.
"""

import asyncio
import platform
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Final, NoReturn, Self
from uuid import UUID

import asyncpg
import structlog
from sqlalchemy import (
    ARRAY,
    Boolean,
    ColumnElement,
    ColumnExpressionArgument,
    Double,
    Text,
    Uuid,
    any_,
    bindparam,
    cast,
    delete,
    extract,
    func,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import insert

from echomind_lib.db.database import DATABASE_FAILURES, connect_once
from echomind_lib.db.models.work import Worker
from echomind_lib.db.statements import Command, Query

log = structlog.get_logger(__name__)

WATCH_SECONDS = 0.5
"""Interval of the watch over workers of the same service, which take over from each other. A worker whose lock is free
at two consecutive checks is dead."""
ALONE_SECONDS = 15.0
"""Without another worker of its service for so long, a worker watches only as often as it renews its row."""
HEARTBEAT_SECONDS = 5.0
"""How often a worker renews its row."""
STALE_SECONDS = 15.0
"""A worker with an older heartbeat is frozen or cut off, and has lost its leases."""
GRACE_SECONDS = 5.0
"""No worker is considered dead within this time after an outage, as all of them have to reconnect."""
_SLOW_SECONDS = 2.0
"""A longer response time indicates that the database was frozen."""
_TIMEOUT_SECONDS = 10.0
_RETRY_SECONDS = 0.2

# Within this time the server detects a cut network, and releases the lock.
_KEEPALIVE = {"tcp_keepalives_idle": "5", "tcp_keepalives_interval": "2", "tcp_keepalives_count": "3"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Other:
    """Another worker, with its two signs of life."""

    id: UUID
    service: str
    is_stale: bool
    is_unlocked: bool


def _key(worker_id: ColumnExpressionArgument[UUID]) -> ColumnElement[int]:
    return func.hashtextextended(cast(worker_id, Text), 0)


_WORKER_ID: Final = bindparam("worker_id", type_=Uuid)
_IS_STALE: Final = Worker.heartbeat_at < func.now() - timedelta(seconds=STALE_SECONDS)
# A shared lock for the length of the statement, so that concurrent watchers do not block each other.
_IS_UNLOCKED: Final = func.pg_try_advisory_xact_lock_shared(_key(Worker.id), type_=Boolean)

_NEW_ID: Final = Query(select(func.uuidv7()), UUID)
_UPTIME: Final = Query(select(cast(extract("epoch", func.now() - func.pg_postmaster_start_time()), Double)), float)
_LOCK: Final = Query(select(func.pg_try_advisory_lock(_key(_WORKER_ID))), bool)
_beat = (
    insert(Worker)
    .values(id=_WORKER_ID, service=bindparam("service"), host=bindparam("host"), started_at=func.now())
    .on_conflict_do_update(index_elements=[Worker.id], set_={"heartbeat_at": func.now()})
)
_others = select(Worker.id, Worker.service, _IS_STALE.label("is_stale"), _IS_UNLOCKED.label("is_unlocked")).where(
    Worker.id != _WORKER_ID
)
_BEAT: Final = Command(_beat)
_WATCH: Final = Query(_others, _Other)
_BEAT_AND_WATCH: Final = Query(_others.add_cte(_beat.cte("beat")), _Other)
"""Both in one statement, for a worker without others of its service, which does nothing else here."""
_REMOVE: Final = Query(
    delete(Worker)
    .where(Worker.id == any_(bindparam("dead", type_=ARRAY(Uuid))), or_(_IS_STALE, _IS_UNLOCKED))
    .returning(Worker.id),
    UUID,
)
_LEAVE: Final = Command(delete(Worker).where(Worker.id == _WORKER_ID))


class Membership:
    """One worker's membership. `async with` joins and leaves; `run` has to run meanwhile."""

    def __init__(self, url: str, service: str) -> None:
        """Prepares it.

        Args:
            url: PostgreSQL, as for `Database.connect`.
            service: The service's name, for display.
        """
        self._url = url
        self._service = service
        self._id: UUID | None = None
        self._connection: asyncpg.Connection | None = None
        self._is_locked = False
        self._beaten_at = 0.0
        self._trusted_from = 0.0
        self._present: set[UUID] = set()
        self._unlocked: set[UUID] = set()
        self._departure = asyncio.Event()
        self._alone_from = 0.0

    @property
    def id(self) -> UUID:
        """The worker's id, after it has joined."""
        assert self._id is not None
        return self._id

    async def __aenter__(self) -> Self:
        try:
            connection = await self._connect()
            await self._lock(connection)
            await self._renew(connection)
        except BaseException:
            if self._connection is not None:
                self._connection.terminate()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.leave()

    async def leave(self) -> None:
        """Removes the row and closes the connection, which releases the lock."""
        if self._connection is None:
            return
        try:
            await _LEAVE.execute(self._connection, worker_id=self.id)
            await self._connection.close(timeout=_TIMEOUT_SECONDS)
        except DATABASE_FAILURES as error:
            # Another worker removes the row, as its lock is free.
            log.warning("worker row could not be removed", error=repr(error))
        finally:
            self._connection.terminate()

    async def run(self) -> NoReturn:
        """Maintains the row and the lock and watches the other workers, until cancelled."""
        while True:
            try:
                connection = self._connection or await self._connect()
                await self._lock(connection)
                await self._watch(connection)
                is_alone = asyncio.get_running_loop().time() >= self._alone_from
                await asyncio.sleep(HEARTBEAT_SECONDS if is_alone else WATCH_SECONDS)
            except DATABASE_FAILURES as error:
                log.warning("heartbeat failed", error=repr(error))
                if self._connection is not None:
                    self._connection.terminate()
                self._connection = None
                await asyncio.sleep(_RETRY_SECONDS)

    async def departure(self, seconds: float) -> bool:
        """Waits until another worker has left or died, at most for the given seconds; returns whether one has."""
        try:
            async with asyncio.timeout(seconds):
                await self._departure.wait()
        except TimeoutError:
            return False
        self._departure.clear()
        return True

    async def _connect(self) -> asyncpg.Connection:
        is_first = self._id is None
        connection = await connect_once(
            self._url,
            f"echomind-{self._service}-worker",
            statement_timeout=_TIMEOUT_SECONDS,
            command_timeout=_TIMEOUT_SECONDS,
            settings=_KEEPALIVE,
        )
        self._connection, self._is_locked, self._beaten_at = connection, False, 0.0
        self._unlocked.clear()
        # Workers that start together have joined when the row is first renewed.
        alone = min(ALONE_SECONDS, HEARTBEAT_SECONDS) if is_first else ALONE_SECONDS
        self._alone_from = asyncio.get_running_loop().time() + alone
        uptime = 0.0
        if is_first:
            (self._id,) = await _NEW_ID.fetch_all(connection)
            (uptime,) = await _UPTIME.fetch_all(connection)
        self._trusted_from = asyncio.get_running_loop().time() + max(0.0, GRACE_SECONDS - uptime)
        return connection

    async def _lock(self, connection: asyncpg.Connection) -> None:
        """Acquires the lock unless it is held; the row is renewed after it: a row never exists without its lock."""
        if not self._is_locked:
            # The server may still keep the session of a lost connection, and its lock.
            (self._is_locked,) = await _LOCK.fetch_all(connection, worker_id=self.id)

    async def _renew(self, connection: asyncpg.Connection) -> None:
        """Renews the row."""
        self._beaten_at = asyncio.get_running_loop().time()
        await _BEAT.execute(connection, **self._row)

    @property
    def _row(self) -> dict[str, object]:
        return {"worker_id": self.id, "service": self._service, "host": platform.node()}

    async def _watch(self, connection: asyncpg.Connection) -> None:
        """Renews the row when due, removes the rows of dead workers, and records which workers have left."""
        loop = asyncio.get_running_loop()
        asked = loop.time()
        if not self._beaten_at or asked - self._beaten_at >= HEARTBEAT_SECONDS:
            others = await _BEAT_AND_WATCH.fetch_all(connection, **self._row)
            self._beaten_at = asked
        else:
            others = await _WATCH.fetch_all(connection, worker_id=self.id)
        now = loop.time()
        if now - asked > _SLOW_SECONDS:
            self._trusted_from = now + GRACE_SECONDS
        if any(other.service == self._service for other in others):
            self._alone_from = now + ALONE_SECONDS
        seen = {other.id for other in others}
        unlocked = {other.id for other in others if other.is_unlocked}
        dead = {other.id for other in others if other.is_stale} | (unlocked & self._unlocked)
        self._unlocked = unlocked
        present = set(seen)
        if dead and now >= self._trusted_from:
            for worker_id in await _REMOVE.fetch_all(connection, dead=list(dead)):
                log.warning("worker is dead", worker_id=str(worker_id))
                present.discard(worker_id)
        if (self._present | seen) - present:
            self._departure.set()
        self._present = present
