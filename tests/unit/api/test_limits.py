"""Limits of callers."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_api.calls import limits
from echomind_api.calls.limits import Limits, TokenBuckets
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.errors import DependencyUnavailableError, OverloadedError, UnauthenticatedError


class Clock:
    """A clock that tests move."""

    now = 1000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("echomind_api.calls.limits.time.monotonic", lambda: clock.now)
    return clock


def test_a_bucket_gives_what_it_holds_and_then_its_rate(clock: Clock) -> None:
    buckets = TokenBuckets(rate=0.5, capacity=3)
    for _ in range(3):
        buckets.take("a")
    with pytest.raises(OverloadedError) as caught:
        buckets.take("a")
    assert caught.value.metadata == {"retry_after_seconds": "2"}
    buckets.take("b")
    clock.now += 2
    buckets.take("a")
    with pytest.raises(OverloadedError):
        buckets.take("a")
    buckets.refund("a")
    buckets.take("a")
    for _ in range(5):
        buckets.refund("b")
    for _ in range(3):
        buckets.take("b")
    with pytest.raises(OverloadedError):
        buckets.take("b")


def test_a_charge_never_owes_more_than_the_bucket_holds(clock: Clock) -> None:
    buckets = TokenBuckets(rate=1, capacity=2, what="wrong keys")
    for _ in range(50):
        buckets.charge("a")
    with pytest.raises(OverloadedError, match="Too many wrong keys: try again in 1 s"):
        buckets.require("a")
    clock.now += 1
    buckets.require("a")
    buckets.require("a")


@given(st.lists(st.floats(0, 5), max_size=60), st.floats(0.1, 3), st.integers(1, 10))
def test_never_more_than_capacity_and_rate_allow(waits: list[float], rate: float, capacity: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        clock = Clock()
        patch.setattr("echomind_api.calls.limits.time.monotonic", lambda: clock.now)
        buckets = TokenBuckets(rate, capacity)
        for taken, wait in enumerate(waits, 1):
            clock.now += wait
            try:
                buckets.take("a")
            except OverloadedError as error:
                clock.now += int(error.metadata["retry_after_seconds"])
                buckets.take("a")  # the delay that is told is enough
            assert taken <= capacity + rate * (clock.now - Clock.now) + 1e-6


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_MOST_BUCKETS", 10)
    buckets = TokenBuckets(1, 1)
    for key in range(100):
        buckets.take(key)
    assert len(buckets._buckets) == 10


def call(user_id: int = 1) -> CallContext:
    return CallContext(principal=Principal(user_id))


async def test_streams_are_counted_for_each_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STREAMS_AT_ONCE", 2)
    given = Limits()
    async with given.stream(call()), given.stream(call()), given.stream(call(2)):
        with pytest.raises(OverloadedError):
            async with given.stream(call()):
                pass
    async with given.stream(call()):
        pass
    assert not given._streams


async def test_all_streams_end_with_a_reason_when_the_process_stops() -> None:
    given = Limits()
    begun = asyncio.Event()

    async def stream() -> None:
        async with given.stream(call()):
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(stream())
    await begun.wait()
    given.end_streams()
    with pytest.raises(DependencyUnavailableError, match="connect again"):
        await task
    with pytest.raises(DependencyUnavailableError):
        async with given.stream(call()):
            pass


async def test_one_stream_ends_with_the_first_error_that_it_is_given() -> None:
    given = Limits()
    begun = asyncio.Event()

    async def stream() -> None:
        async with given.stream(call(1)):
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(stream())
    await begun.wait()
    async with given.stream(call(2)):
        (ended,) = [one for one in given.streams if one.call.principal.user_id == 1]
        ended.end(UnauthenticatedError("first"))
        ended.end(UnauthenticatedError("second"))
        with pytest.raises(UnauthenticatedError, match="first"):
            await task
        assert len(given.streams) == 1


async def test_a_time_out_within_a_stream_stays_one() -> None:
    with pytest.raises(TimeoutError):
        async with Limits().stream(call()):
            raise TimeoutError


async def test_who_looks_at_a_stream_may_come_too_late_to_end_it() -> None:
    given = Limits()
    async with given.stream(call()):
        (stream,) = given.streams
    stream.end(UnauthenticatedError("revoked"))
    assert stream.error is None
