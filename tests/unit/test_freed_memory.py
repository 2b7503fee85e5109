"""A process gives freed memory back when it rests after work, and only then."""

import asyncio
from types import SimpleNamespace

import pytest

from echomind_lib.process import freed_memory
from tests.drivers.tables import for_each

_RESTS = 3
"""Looks after the last work."""


@for_each(
    "seconds, times",
    [
        pytest.param([1.0, 1.1, 1.2], 0, id="it has never worked"),
        pytest.param([1.0, 3.0, 5.0], 1, id="it works to the end and rests afterwards"),
        pytest.param([1.0, 3.0, 3.1, 3.2, 3.3], 1, id="it rests for long"),
        pytest.param([1.0, 3.0, 3.1, 5.0, 5.1], 2, id="it works again"),
    ],
)
async def test_memory_is_released_once_after_each_work(
    seconds: list[float], times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    released: list[None] = []
    looks = 0
    done = asyncio.Event()

    def process_time() -> float:
        nonlocal looks
        looks += 1
        if looks == len(seconds) + _RESTS:
            done.set()
        return seconds[min(looks, len(seconds)) - 1]

    monkeypatch.setattr(freed_memory, "release_freed_memory", lambda: released.append(None))
    monkeypatch.setattr(freed_memory, "time", SimpleNamespace(process_time=process_time))
    releasing = asyncio.create_task(freed_memory.release_after_work(0.001))
    await done.wait()
    releasing.cancel()
    assert len(released) == times
