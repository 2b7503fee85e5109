"""Doing something with many things, a few at a time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def map_bounded(
    work: Callable[[Item], Awaitable[Result]], items: Iterable[Item], *, at_once: int
) -> list[Result]:
    """Runs `work` for each item, at most `at_once` at a time, and returns the results in the order of the items.

    Raises:
        Exception: The first error of the work; active work is cancelled.
    """
    results: dict[int, Result] = {}
    waiting = iter(enumerate(items))

    async def take() -> None:
        for index, item in waiting:
            results[index] = await work(item)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(at_once):
                group.create_task(take())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [results[index] for index in range(len(results))]
