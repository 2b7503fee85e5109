"""The retry policy: delays within their bounds, as many attempts as allowed, and errors as they were raised."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.errors import OverloadedError
from echomind_lib.jobs import CHANGE_DOCUMENTS, CONNECTOR_SCOPE, DOCUMENT_READERS, JobKind
from echomind_lib.process.retries import BACKGROUND, RetryPolicy, retry_after

AT_ONCE = RetryPolicy(first=0.0, attempts=3)


class AwayError(Exception):
    """The server is away."""


class Server:
    """Fails so many times, then answers with the number of calls."""

    def __init__(self, failures: int, error: Exception | None = None) -> None:
        self.calls = 0
        self._failures, self._error = failures, error or AwayError()

    async def call(self) -> int:
        self.calls += 1
        if self.calls <= self._failures:
            raise self._error
        return self.calls


@given(st.integers(1, 10_000), st.floats(0, 1000))
def test_delays_grow_to_the_longest_and_respect_the_server(attempt: int, asked: float) -> None:
    whole = min(2.0 * 3.0 ** (attempt - 1 if attempt < 50 else 50), 180.0)
    delay = BACKGROUND.delay(attempt, asked)
    assert max(whole / 2, asked) <= delay <= max(whole, asked)


async def test_a_call_is_repeated_until_it_succeeds() -> None:
    assert await AT_ONCE.call(Server(2).call, lambda error: isinstance(error, AwayError)) == 3


async def test_the_last_error_is_raised_as_it_is() -> None:
    server = Server(3)
    with pytest.raises(AwayError):
        await AT_ONCE.call(server.call, lambda _: True)
    assert server.calls == 3


async def test_what_lasts_is_not_repeated() -> None:
    server = Server(1, ValueError())
    with pytest.raises(ValueError, match=r"^$"):
        await AT_ONCE.call(server.call, lambda error: isinstance(error, AwayError))
    assert server.calls == 1


async def test_no_attempt_begins_after_the_time_is_over() -> None:
    server = Server(9)
    with pytest.raises(AwayError):
        await RetryPolicy(first=60.0, longest=60.0, seconds=10.0).call(server.call, lambda _: True)
    assert server.calls == 1


def test_what_an_error_asks_for() -> None:
    assert retry_after(OverloadedError("Too many.", retry_after_seconds=7)) == 7
    assert retry_after(OverloadedError("Too many.")) == 0
    assert retry_after(AwayError()) == 0
    assert retry_after(None) == 0


@pytest.mark.parametrize("kind", [CHANGE_DOCUMENTS, CONNECTOR_SCOPE, DOCUMENT_READERS], ids=lambda kind: kind.name)
def test_what_nothing_asks_for_again_is_tried_for_a_day(kind: JobKind) -> None:
    hours = sum(kind.retries.delay(attempt) for attempt in range(1, 500) if kind.may_attempt(attempt + 1)) / 3600
    assert 12 < hours < 36
