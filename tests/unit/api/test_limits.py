"""Limits of callers."""

import asyncio
from typing import cast

import pytest

from echomind_api.calls import limits
from echomind_api.calls.limits import Limits
from echomind_api.calls.shared_limits import SharedLimits
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.errors import DependencyUnavailableError, OverloadedError, UnauthenticatedError


def unshared() -> Limits:
    """Returns limits of callers who share none with other replicas, so that no database is asked."""
    return Limits(cast("SharedLimits", None))


def call(user_id: int = 1) -> CallContext:
    return CallContext(principal=Principal(user_id))


async def test_streams_are_counted_for_each_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "STREAMS_AT_ONCE", 2)
    given = unshared()
    async with given.stream(call()), given.stream(call()), given.stream(call(2)):
        with pytest.raises(OverloadedError):
            async with given.stream(call()):
                pass
    async with given.stream(call()):
        pass
    assert not given._streams


async def test_all_streams_end_with_a_reason_when_the_process_stops() -> None:
    given = unshared()
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
    given = unshared()
    begun = asyncio.Event()

    async def stream() -> None:
        async with given.stream(call(1)):
            begun.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(stream())
    await begun.wait()
    async with given.stream(call(2)):
        (ended,) = [stream for stream in given.streams if stream.call.principal.user_id == 1]
        ended.end(UnauthenticatedError("first"))
        ended.end(UnauthenticatedError("second"))
        with pytest.raises(UnauthenticatedError, match="first"):
            await task
        assert len(given.streams) == 1


async def test_a_time_out_within_a_stream_stays_one() -> None:
    with pytest.raises(TimeoutError):
        async with unshared().stream(call()):
            raise TimeoutError


async def test_who_looks_at_a_stream_may_come_too_late_to_end_it() -> None:
    given = unshared()
    async with given.stream(call()):
        (stream,) = given.streams
    stream.end(UnauthenticatedError("revoked"))
    assert stream.error is None
