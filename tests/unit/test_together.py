"""Calls that begin in the same turn of the event loop are one, and nobody waits for another turn's."""

import asyncio
from collections.abc import Sequence
from contextvars import ContextVar

import pytest

from echomind_lib.process.together import Together


class Server:
    """Doubles numbers, and keeps what it is asked for in one call."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.open = asyncio.Event()
        self.open.set()
        self.calls: asyncio.Queue[None] = asyncio.Queue()
        self.is_left = asyncio.Event()

    async def double(self, numbers: Sequence[int]) -> list[int]:
        self.asked.append(list(numbers))
        self.calls.put_nowait(None)
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.is_left.set()
            raise
        if 13 in numbers:
            raise ValueError("no thirteen")
        return [2 * number for number in numbers]


async def test_calls_of_one_turn_are_one() -> None:
    server = Server()
    together = Together(server.double)
    assert await asyncio.gather(*(together.call(number) for number in (1, 2, 3))) == [2, 4, 6]
    assert await together.call(4) == 8
    assert server.asked == [[1, 2, 3], [4]]


async def test_those_that_were_answered_together_stay_together() -> None:
    server = Server()
    together = Together(server.double)

    async def twice(number: int) -> int:
        return await together.call(await together.call(number))

    assert await asyncio.gather(*map(twice, (1, 2))) == [4, 8]
    assert server.asked == [[1, 2], [2, 4]]


async def test_a_later_call_does_not_wait_for_an_earlier_one() -> None:
    server = Server()
    together = Together(server.double)
    server.open.clear()
    first = asyncio.ensure_future(together.call(1))
    await server.calls.get()
    second = asyncio.ensure_future(together.call(2))
    await server.calls.get()
    server.open.set()
    assert (await first, await second) == (2, 4)


async def test_an_error_is_that_of_each() -> None:
    server = Server()
    together = Together(server.double)
    results = await asyncio.gather(together.call(1), together.call(13), return_exceptions=True)
    assert [str(error) for error in results] == ["no thirteen"] * 2
    with pytest.raises(ValueError, match="no thirteen"):
        await together.call(13)
    assert await together.call(2) == 4


async def test_who_leaves_does_not_end_the_call_of_the_others() -> None:
    server = Server()
    together = Together(server.double)
    server.open.clear()
    first, second = (asyncio.ensure_future(together.call(number)) for number in (1, 2))
    await server.calls.get()
    first.cancel()
    await asyncio.wait({first})
    server.open.set()
    assert await second == 4
    assert not server.is_left.is_set()


async def test_a_call_that_nobody_waits_for_ends() -> None:
    server = Server()
    together = Together(server.double)
    server.open.clear()
    calls = [asyncio.ensure_future(together.call(number)) for number in (1, 2)]
    early = asyncio.ensure_future(together.call(3))
    await asyncio.sleep(0)
    early.cancel()
    await server.calls.get()
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    await server.is_left.wait()
    assert server.asked == [[1, 2]]


async def test_a_call_that_is_cancelled_itself_cancels_who_waits() -> None:
    async def cancelled(_: Sequence[int]) -> list[int]:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await Together(cancelled).call(1)


async def test_another_key_neither_waits_nor_fails() -> None:
    server = Server()
    server.open.clear()

    async def make(numbers: Sequence[int]) -> Sequence[int]:
        return await server.double(numbers) if numbers[0] < 20 else numbers

    together = Together(make, key=lambda number: number // 10)
    slow = [asyncio.ensure_future(together.call(number)) for number in (13, 14)]
    assert await asyncio.gather(*map(together.call, (20, 21))) == [20, 21]
    assert await together.call(22) == 22
    server.open.set()
    assert [str(error) for error in await asyncio.gather(*slow, return_exceptions=True)] == ["no thirteen"] * 2
    assert server.asked == [[13, 14]]


async def test_a_joint_call_is_made_in_the_context_of_nobody() -> None:
    person: ContextVar[str] = ContextVar("person", default="nobody")

    async def made_for(requests: Sequence[None]) -> list[str]:
        return [person.get()] * len(requests)

    together = Together(made_for)

    async def ask(name: str) -> str:
        person.set(name)
        return await together.call(None)

    def begin(*names: str) -> list[asyncio.Future[str]]:
        return [asyncio.ensure_future(ask(name)) for name in names]

    assert await asyncio.gather(*begin("ann", "bob")) == ["nobody", "nobody"]
    assert await asyncio.gather(*begin("ann")) == ["ann"]
    # Who leaves before the call begins has no part in it.
    first, second = begin("ann", "bob")
    await asyncio.sleep(0)
    first.cancel()
    assert await second == "bob"
