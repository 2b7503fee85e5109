"""Limits that replicas share, with statements that are counted, fail or wait as a test wants."""

import asyncio
from typing import Any, cast

import pytest

from echomind_api.calls import shared_limits
from echomind_api.calls.limits import Limits
from echomind_api.calls.shared_limits import SharedLimits, _Granted
from echomind_lib.access import Principal
from echomind_lib.access.principal import Rates
from echomind_lib.contract import CallContext
from echomind_lib.db.database import Database
from echomind_lib.errors import DependencyUnavailableError, OverloadedError


class Minute:
    """`take_requests` within one minute."""

    def __init__(self) -> None:
        self.taken: dict[str, int] = {}
        self.statements = 0

    async def fetch_all(
        self, _: object, *, subjects: list[str], maxima: list[int], batches: list[int]
    ) -> list[_Granted]:
        self.statements += 1
        await asyncio.sleep(0)
        given = zip(subjects, maxima, batches, strict=True)
        granted = {each: min(batch, maximum - self.taken.get(each, 0)) for each, maximum, batch in given}
        if all(granted.values()):
            for each, number in granted.items():
                self.taken[each] = self.taken.get(each, 0) + number
        return [_Granted(subject=each, granted=number, seconds=3600.0) for each, number in granted.items()]


class Leases:
    """The statements that write leases: they wait for `free`, and then fail after or before they have written."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.free.set()
        self.begun = asyncio.Event()
        self.lost: type[BaseException] | None = None
        self.written: dict[str, int] = {}

    async def _write(self, subjects: list[str], counts: list[int]) -> None:
        self.begun.set()
        await self.free.wait()
        self.written |= dict(zip(subjects, counts, strict=True))
        if self.lost is not None:
            raise self.lost

    async def fetch_one(self, _: object, *, subjects: list[str], counts: list[int], **__: Any) -> None:
        await self._write(subjects, counts)

    async def execute(self, _: object, *, subjects: list[str], counts: list[int], **__: Any) -> int:
        await self._write(subjects, counts)
        return len(subjects)


class NoDatabase:
    pool = None


@pytest.fixture
def shared() -> SharedLimits:
    return SharedLimits(cast("Database", NoDatabase()))


@pytest.fixture
def minute(monkeypatch: pytest.MonkeyPatch) -> Minute:
    given = Minute()
    monkeypatch.setattr(shared_limits, "_TAKE", given)
    return given


@pytest.fixture
def leases(monkeypatch: pytest.MonkeyPatch) -> Leases:
    given = Leases()
    monkeypatch.setattr(shared_limits, "_OPEN", given)
    monkeypatch.setattr(shared_limits, "_WRITE", given)
    return given


@pytest.mark.parametrize(("maximum", "statements"), [(3, 4), (99, 100), (149, 75), (5000, 51)])
async def test_a_limit_causes_few_statements_also_when_it_refuses(
    shared: SharedLimits, minute: Minute, maximum: int, statements: int
) -> None:
    bound = [Rates("user:1", requests_per_minute=maximum)]
    outcomes = await asyncio.gather(*(shared.take(bound) for _ in range(maximum + 300)), return_exceptions=True)
    refused = [each for each in outcomes if isinstance(each, OverloadedError)]
    assert (len(refused), outcomes.count(None)) == (300, maximum)
    assert minute.statements <= statements
    assert refused[-1].message == f"Your limit of {maximum} requests a minute is used up: try again in 3600 s."


async def test_what_refuses_takes_nothing_from_the_other_limits(shared: SharedLimits, minute: Minute) -> None:
    full, other = Rates("user:1", requests_per_minute=1), Rates("organization", requests_per_minute=10)
    await shared.take([full])
    for _ in range(20):
        with pytest.raises(OverloadedError, match="Your limit of 1 requests"):
            await shared.take([other, full])
    assert minute.taken == {"user:1": 1}
    for _ in range(10):
        await shared.take([other])
    # A changed limit is asked for again.
    await shared.take([Rates("user:1", requests_per_minute=2)])


async def test_nobody_waits_for_the_requests_of_another(shared: SharedLimits, minute: Minute) -> None:
    async with shared._taking.held(["user:1"]):
        waiting = asyncio.create_task(shared.take([Rates("user:1", requests_per_minute=9)]))
        await shared.take([Rates("user:2", requests_per_minute=9)])
        assert minute.taken == {"user:2": 1}
    await waiting


@pytest.mark.parametrize("lost", [ConnectionResetError, asyncio.CancelledError])
async def test_a_stream_whose_opening_is_lost_after_it_was_stored_counts_no_longer(
    shared: SharedLimits, leases: Leases, lost: type[BaseException]
) -> None:
    bound = [Rates("user:1", streams=5), Rates("organization", streams=9)]
    opened = await shared.open_stream(bound)
    leases.lost = lost
    with pytest.raises(lost):
        await shared.open_stream(bound)
    assert leases.written == {"user:1": 2, "organization": 2}
    leases.lost = None
    await shared.renew()
    assert leases.written == {"user:1": 1, "organization": 1}
    await shared.close_stream(opened)
    assert leases.written == {"user:1": 0, "organization": 0}
    # Nothing is extended that is not open: what was written last ends with its lease.
    leases.written.clear()
    await shared.renew()
    assert not leases.written


async def test_a_stream_whose_end_is_lost_is_counted_down_once(shared: SharedLimits, leases: Leases) -> None:
    bound = [Rates("user:1", streams=5)]
    opened = [await shared.open_stream(bound) for _ in range(3)]
    leases.lost = ConnectionResetError
    await shared.close_stream(opened[0])
    leases.lost = None
    for _ in range(2):
        await shared.renew()
        assert leases.written == {"user:1": 2}
    await shared.close_stream(opened[1])
    assert leases.written == {"user:1": 1}


async def test_streams_that_end_and_begin_while_leases_are_extended_count_as_they_are(
    shared: SharedLimits, leases: Leases
) -> None:
    bound = [Rates("user:1", streams=5)]
    opened = [await shared.open_stream(bound) for _ in range(2)]
    leases.free.clear()
    changes = [shared.renew(), shared.close_stream(opened[0]), shared.open_stream(bound), shared.renew()]
    tasks = [asyncio.create_task(each) for each in changes]
    await asyncio.sleep(0)
    leases.free.set()
    await asyncio.gather(*tasks)
    assert leases.written == {"user:1": 2}


async def test_a_stream_can_be_ended_while_it_is_being_opened(shared: SharedLimits, leases: Leases) -> None:
    given = Limits(shared)
    principal = Principal(1, rates=(Rates("user:1", streams=5),))
    leases.free.clear()

    async def stream() -> None:
        async with given.stream(CallContext(principal=principal)):
            pytest.fail("it is open although the process stops")

    task = asyncio.create_task(stream())
    await leases.begun.wait()
    given.end_streams()
    with pytest.raises(DependencyUnavailableError, match="connect again"):
        await asyncio.wait_for(task, 10)
    assert not given.streams
    assert not shared._leased
