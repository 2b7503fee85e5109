"""Limits of requests and streams that all replicas count together, in the database.

They cost nothing where a caller has none. Requests are taken from the count of the minute in batches, of which a
replica uses up what it has before it asks again; what it does not use in the minute is lost. Open streams are leases of
the replica, which it extends: those of a replica that dies expire by themselves.
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

import structlog
from sqlalchemy import (
    ARRAY,
    Double,
    Integer,
    Interval,
    Text,
    Uuid,
    any_,
    bindparam,
    column,
    delete,
    func,
    select,
    update,
)

from echomind_lib.access.principal import Rates
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.db.models.quotas import RequestCount, StreamLease
from echomind_lib.db.statements import Command, Query
from echomind_lib.errors import OverloadedError

LEASE_SECONDS: Final = 30.0
"""How long the streams of a replica count that has died."""
_RENEW_SECONDS: Final = 10.0
_BATCHES: Final = 50
"""A replica takes so small a part of a minute's requests at a time."""
_KEPT: Final = timedelta(hours=1)
"""How long counts of nobody's use are kept: a replica that was cut off may still extend its leases."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Granted:
    subject: str
    granted: int
    seconds: float


@dataclass(slots=True)
class _Batch:
    maximum: int | None
    """The limit that it was taken of, which may have changed."""
    left: int
    until: float
    """When its minute ends, of the monotonic clock."""


_SUBJECTS: Final = bindparam("subjects", type_=ARRAY(Text))
_MAXIMA: Final = bindparam("maxima", type_=ARRAY(Integer))
_REPLICA: Final = bindparam("replica_id", type_=Uuid)
_LEASE: Final = bindparam("lease", type_=Interval)
_taken = func.take_requests(_SUBJECTS, _MAXIMA, bindparam("batches", type_=ARRAY(Integer))).table_valued(
    column("subject", Text), column("granted", Integer), column("seconds", Double), name="taken"
)
_TAKE: Final = Query(select(_taken.c.subject, _taken.c.granted, _taken.c.seconds), _Granted)
_OPEN: Final = Query(select(func.open_stream(_REPLICA, _SUBJECTS, _MAXIMA, _LEASE, type_=Text)), str)
_mine = StreamLease.replica_id == _REPLICA
_CLOSE: Final = Command(
    update(StreamLease).where(_mine, StreamLease.subject == any_(_SUBJECTS)).values(streams=StreamLease.streams - 1)
)
_RENEW: Final = Command(
    update(StreamLease).where(_mine, StreamLease.streams > 0).values(expires_at=func.now() + _LEASE)
)
_FORGET_STREAMS: Final = Command(delete(StreamLease).where(StreamLease.expires_at < func.now() - _KEPT))
_FORGET_REQUESTS: Final = Command(delete(RequestCount).where(RequestCount.minute < func.now() - _KEPT))


class SharedLimits:
    """The limits of requests and streams, as one replica counts them with the others."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._replica_id: UUID = uuid4()
        self._batches: dict[str, _Batch] = {}
        self._taking = asyncio.Lock()
        self._leased: Counter[str] = Counter()
        """Streams of this replica, by subject."""
        self._unclosed: list[list[str]] = []
        """Subjects of streams that have ended while the database did not answer."""

    async def take(self, rates: Sequence[Rates]) -> None:
        """Counts a request.

        Raises:
            OverloadedError: A limit has no request left in this minute; then it counts for none.
        """
        limited = [each for each in rates if each.requests_per_minute is not None]
        if any(self._left(each) < 1 for each in limited):
            # One at a time, so that requests that come together use up one batch before they take another.
            async with self._taking:
                if lacking := [each for each in limited if self._left(each) < 1]:
                    await self._refill(lacking)
                self._use(limited)
        else:
            self._use(limited)

    async def open_stream(self, rates: Sequence[Rates]) -> list[str]:
        """Counts a stream, and returns for whom, which `close_stream` needs.

        Raises:
            OverloadedError: A limit has as many open streams as it allows.
        """
        limited = {each.subject: each for each in rates if each.streams is not None}
        if not limited:
            return []
        full = await _OPEN.fetch_one(
            self._database.pool,
            replica_id=self._replica_id,
            subjects=list(limited),
            maxima=[each.streams for each in limited.values()],
            lease=timedelta(seconds=LEASE_SECONDS),
        )
        if full is not None:
            limit = limited[full]
            raise OverloadedError(
                f"{limit} limit of {limit.streams} open streams at a time is reached: close some first.",
                retry_after_seconds=5,
            )
        self._leased.update(list(limited))
        return list(limited)

    async def close_stream(self, subjects: list[str]) -> None:
        """Counts a stream no longer."""
        self._leased -= Counter(subjects)
        try:
            # Whatever ends the stream meanwhile, it is counted down.
            await asyncio.shield(_CLOSE.execute(self._database.pool, replica_id=self._replica_id, subjects=subjects))
        except DATABASE_FAILURES as error:
            self._unclosed.append(subjects)
            log.warning("an ended stream still counts for its limits", error=repr(error))

    async def run(self) -> None:
        """Extends the leases of open streams, and deletes old counts, until it is cancelled."""
        forgotten_at = 0.0
        while True:
            try:
                await self.renew()
                if (now := time.monotonic()) - forgotten_at >= _KEPT.total_seconds():
                    for forget in (_FORGET_STREAMS, _FORGET_REQUESTS):
                        await forget.execute(self._database.pool)
                    forgotten_at = now
            except DATABASE_FAILURES as error:
                log.warning("leases of streams are extended later", error=repr(error))
            await asyncio.sleep(_RENEW_SECONDS)

    async def renew(self) -> None:
        """Extends the leases of open streams once."""
        while self._unclosed:
            await _CLOSE.execute(self._database.pool, replica_id=self._replica_id, subjects=self._unclosed[-1])
            self._unclosed.pop()
        if self._leased:
            lease = timedelta(seconds=LEASE_SECONDS)
            await _RENEW.execute(self._database.pool, replica_id=self._replica_id, lease=lease)

    def _use(self, limited: Sequence[Rates]) -> None:
        for each in limited:
            self._batches[each.subject].left -= 1

    def _left(self, limit: Rates) -> int:
        batch = self._batches.get(limit.subject)
        if batch is None or batch.until <= time.monotonic() or batch.maximum != limit.requests_per_minute:
            return 0
        return batch.left

    async def _refill(self, lacking: Sequence[Rates]) -> None:
        """Takes a batch for each limit.

        Raises:
            OverloadedError: One of them has no request left; then none is taken.
        """
        maxima = [each.requests_per_minute or 0 for each in lacking]
        granted = await _TAKE.fetch_all(
            self._database.pool,
            subjects=[each.subject for each in lacking],
            maxima=maxima,
            batches=[max(1, maximum // _BATCHES) for maximum in maxima],
        )
        limits = {each.subject: each for each in lacking}
        for each in granted:
            if not each.granted:
                limit, seconds = limits[each.subject], max(1, math.ceil(each.seconds))
                raise OverloadedError(
                    f"{limit} limit of {limit.requests_per_minute} requests a minute is used up: try again in "
                    f"{seconds} s.",
                    retry_after_seconds=seconds,
                )
        now = time.monotonic()
        for each in granted:
            limit = limits[each.subject]
            self._batches[each.subject] = _Batch(limit.requests_per_minute, each.granted, now + each.seconds)
