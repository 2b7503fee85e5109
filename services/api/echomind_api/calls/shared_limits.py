"""Limits of requests and streams that all replicas count together, in the database.

They cost nothing where a caller has none. Requests are taken from the count of the minute in batches, of which a
replica uses up what it has before it asks again; what it does not use in the minute is lost. When the minute has no
more, the replica refuses by itself until the next one. Open streams are leases of the replica, which writes how many
it has, never by how many they change, so that each writing rights what a failed one may have left; those of a replica
that dies expire by themselves.
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4
from weakref import WeakValueDictionary

import structlog
from sqlalchemy import (
    ARRAY,
    Double,
    Integer,
    Interval,
    Text,
    Uuid,
    bindparam,
    column,
    delete,
    func,
    select,
)
from sqlalchemy.dialects.postgresql import insert

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
    is_last: bool
    """Whether the minute has no more."""
    until: float
    """When its minute ends, of the monotonic clock."""


class _Locks:
    """A lock for each subject, for as long as somebody holds it or waits for it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def held(self, subjects: Iterable[str]) -> AsyncIterator[None]:
        """Context in which the subjects are locked."""
        async with AsyncExitStack() as stack:
            # In their order, so that nobody waits in a circle.
            for subject in sorted(subjects):
                await stack.enter_async_context(self._locks.setdefault(subject, asyncio.Lock()))
            yield


_SUBJECTS: Final = bindparam("subjects", type_=ARRAY(Text))
_COUNTS: Final = bindparam("counts", type_=ARRAY(Integer))
_MAXIMA: Final = bindparam("maxima", type_=ARRAY(Integer))
_REPLICA: Final = bindparam("replica_id", type_=Uuid)
_LEASE: Final = bindparam("lease", type_=Interval)
_taken = func.take_requests(_SUBJECTS, _MAXIMA, bindparam("batches", type_=ARRAY(Integer))).table_valued(
    column("subject", Text), column("granted", Integer), column("seconds", Double), name="taken"
)
_TAKE: Final = Query(select(_taken.c.subject, _taken.c.granted, _taken.c.seconds), _Granted)
_OPEN: Final = Query(select(func.open_stream(_REPLICA, _SUBJECTS, _COUNTS, _MAXIMA, _LEASE, type_=Text)), str)
_given = (
    func.unnest(_SUBJECTS, _COUNTS)
    .table_valued(column("subject", Text), column("streams", Integer), name="given")
    .render_derived()
)
_leases = insert(StreamLease).from_select(
    ["subject", "replica_id", "streams", "expires_at"],
    select(_given.c.subject, _REPLICA, _given.c.streams, func.now() + _LEASE).order_by(_given.c.subject),
)
_WRITE: Final = Command(
    _leases.on_conflict_do_update(
        index_elements=["subject", "replica_id"],
        set_={"streams": _leases.excluded.streams, "expires_at": _leases.excluded.expires_at},
    )
)
_FORGET_STREAMS: Final = Command(delete(StreamLease).where(StreamLease.expires_at < func.now() - _KEPT))
_FORGET_REQUESTS: Final = Command(delete(RequestCount).where(RequestCount.minute < func.now() - _KEPT))


class SharedLimits:
    """The limits of requests and streams, as one replica counts them with the others."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._replica_id: UUID = uuid4()
        self._batches: dict[str, _Batch] = {}
        self._taking = _Locks()
        self._leased: Counter[str] = Counter()
        """Streams of this replica, by subject."""
        self._leasing = _Locks()
        """Held while leases are written, so that no writing overtakes another."""

    async def take(self, rates: Sequence[Rates]) -> None:
        """Counts a request.

        Raises:
            OverloadedError: A limit has no request left in this minute; then it counts for none.
        """
        limited = [each for each in rates if each.requests_per_minute is not None]
        while lacking := self._lacking(limited):
            # One at a time, so that requests that come together use up one batch before they take another.
            async with self._taking.held(each.subject for each in lacking):
                if lacking := self._lacking(lacking):
                    await self._refill(lacking)
        for each in limited:
            self._batches[each.subject].left -= 1

    async def open_stream(self, rates: Sequence[Rates]) -> list[str]:
        """Counts a stream, and returns for whom, which `close_stream` needs.

        Raises:
            OverloadedError: A limit has as many open streams as it allows.
        """
        limited = {each.subject: each for each in rates if each.streams is not None}
        if not limited:
            return []
        subjects = list(limited)
        async with self._leasing.held(subjects):
            full = await _OPEN.fetch_one(
                self._database.pool,
                replica_id=self._replica_id,
                subjects=subjects,
                counts=[self._leased[each] + 1 for each in subjects],
                maxima=[each.streams for each in limited.values()],
                lease=timedelta(seconds=LEASE_SECONDS),
            )
            if full is not None:
                limit = limited[full]
                raise OverloadedError(
                    f"{limit} limit of {limit.streams} open streams at a time is reached: close some first.",
                    retry_after_seconds=5,
                )
            self._leased.update(subjects)
        return subjects

    async def close_stream(self, subjects: list[str]) -> None:
        """Counts a stream no longer."""
        self._leased -= Counter(subjects)
        # Whatever ends the stream meanwhile, others learn of it at once.
        await asyncio.shield(self._write_closed(subjects))

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
        if self._leased:
            await self._write(list(self._leased))

    async def _write(self, subjects: Sequence[str]) -> None:
        async with self._leasing.held(subjects):
            await _WRITE.execute(
                self._database.pool,
                replica_id=self._replica_id,
                subjects=subjects,
                counts=[self._leased[each] for each in subjects],
                lease=timedelta(seconds=LEASE_SECONDS),
            )

    async def _write_closed(self, subjects: Sequence[str]) -> None:
        try:
            await self._write(subjects)
        except DATABASE_FAILURES as error:
            log.warning("an ended stream may still count for its limits, until its lease ends", error=repr(error))

    def _lacking(self, limited: Sequence[Rates]) -> list[Rates]:
        """Returns the limits of which a batch must be taken first.

        Raises:
            OverloadedError: One of them is used up.
        """
        now, lacking = time.monotonic(), []
        for each in limited:
            batch = self._batches.get(each.subject)
            if batch is None or batch.until <= now or batch.maximum != each.requests_per_minute:
                lacking.append(each)
            elif batch.left < 1 and batch.is_last:
                seconds = max(1, math.ceil(batch.until - now))
                raise OverloadedError(
                    f"{each} limit of {each.requests_per_minute} requests a minute is used up: try again in "
                    f"{seconds} s.",
                    retry_after_seconds=seconds,
                )
            elif batch.left < 1:
                lacking.append(each)
        return lacking

    async def _refill(self, lacking: Sequence[Rates]) -> None:
        """Takes a batch for each limit, or none where one of them is used up."""
        maxima = [each.requests_per_minute or 0 for each in lacking]
        batches = [max(1, maximum // _BATCHES) for maximum in maxima]
        subjects = [each.subject for each in lacking]
        granted = await _TAKE.fetch_all(self._database.pool, subjects=subjects, maxima=maxima, batches=batches)
        asked = dict(zip(subjects, zip(maxima, batches, strict=True), strict=True))
        is_refused, now = any(not each.granted for each in granted), time.monotonic()
        for each in granted:
            maximum, batch = asked[each.subject]
            if not is_refused or not each.granted:
                is_last = each.granted < batch
                self._batches[each.subject] = _Batch(maximum, each.granted, is_last, now + each.seconds)
