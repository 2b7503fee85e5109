"""Buckets of tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_api import token_buckets
from echomind_api.token_buckets import TokenBuckets
from echomind_lib.errors import OverloadedError


class Clock:
    """A clock that tests move."""

    now = 1000.0


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("echomind_api.token_buckets.time.monotonic", lambda: clock.now)
    return clock


def test_a_bucket_allows_its_capacity_and_then_its_rate(clock: Clock) -> None:
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
        patch.setattr("echomind_api.token_buckets.time.monotonic", lambda: clock.now)
        buckets = TokenBuckets(rate, capacity)
        for requests, wait in enumerate(waits, 1):
            clock.now += wait
            try:
                buckets.take("a")
            except OverloadedError as error:
                clock.now += int(error.metadata["retry_after_seconds"])
                buckets.take("a")  # the delay that the error names is enough
            assert requests <= capacity + rate * (clock.now - Clock.now) + 1e-6


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_buckets, "_MAX_BUCKETS", 10)
    buckets = TokenBuckets(1, 1)
    for key in range(100):
        buckets.take(key)
    assert len(buckets._buckets) == 10
