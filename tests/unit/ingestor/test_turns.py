"""Documents that a person waits for go first, and never stop the others."""

import asyncio
from contextlib import AsyncExitStack

from echomind_ingestor.turns import Turns


class _Work:
    """Documents that are processed until they are told to end."""

    def __init__(self) -> None:
        self._turns = Turns()
        self._ends: dict[str, AsyncExitStack] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    async def add(self, name: str, *, is_first: bool = False) -> None:
        turn = self._turns.first() if is_first else self._turns.background()

        async def start() -> None:
            ends = AsyncExitStack()
            await ends.enter_async_context(turn)
            self._ends[name] = ends

        self._tasks[name] = asyncio.create_task(start())
        await _settle()

    async def end(self, name: str) -> None:
        await self._ends.pop(name).aclose()
        await _settle()

    async def cancel(self, name: str) -> None:
        self._tasks[name].cancel()
        await _settle()

    @property
    def active(self) -> set[str]:
        return set(self._ends)


async def _settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_without_uploads_others_are_processed_together() -> None:
    work = _Work()
    for name in ("a", "b", "c"):
        await work.add(name)
    assert work.active == {"a", "b", "c"}


async def test_beside_uploads_one_other_is_processed_at_a_time() -> None:
    work = _Work()
    await work.add("upload", is_first=True)
    for name in ("a", "b", "c"):
        await work.add(name)
    assert work.active == {"upload", "a"}
    await work.add("second upload", is_first=True)
    await work.end("a")
    assert work.active == {"upload", "second upload", "b"}
    await work.end("upload")
    assert work.active == {"second upload", "b"}
    await work.end("second upload")
    assert work.active == {"b", "c"}


async def test_an_upload_starts_beside_what_is_in_progress() -> None:
    work = _Work()
    for name in ("a", "b"):
        await work.add(name)
    await work.add("upload", is_first=True)
    await work.add("c")
    await work.end("a")
    assert work.active == {"upload", "b"}
    await work.end("b")
    assert work.active == {"upload", "c"}


async def test_a_cancelled_one_gives_up_its_turn() -> None:
    work = _Work()
    await work.add("upload", is_first=True)
    for name in ("a", "b", "c"):
        await work.add(name)
    await work.cancel("b")
    await work.end("a")
    assert work.active == {"upload", "c"}
