"""Joins calls that begin in the same turn of the event loop."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

_Request = TypeVar("_Request")
_Result = TypeVar("_Result")


class Together(Generic[_Request, _Result]):
    """Makes the calls that begin in the same turn of the event loop as one.

    The searches of one step begin together. As the answer of a joint call wakes all that wait for it, they stay
    together from call to call. A call that begins alone waits for nothing.
    """

    def __init__(self, make: Callable[[Sequence[_Request]], Awaitable[Sequence[_Result]]]) -> None:
        """Initializes it.

        Args:
            make: Makes one call for one or more requests; returns the result of each, in their order. Its error is
                raised for each of them.
        """
        self._make = make
        self._waiting: list[tuple[_Request, asyncio.Future[_Result]]] = []
        self._tasks: set[asyncio.Task[None]] = set()

    async def call(self, request: _Request) -> _Result:
        """Returns the result of a request."""
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._begin)
        future: asyncio.Future[_Result] = loop.create_future()
        self._waiting.append((request, future))
        return await future

    def _begin(self) -> None:
        waiting = [(request, future) for request, future in self._waiting if not future.done()]
        self._waiting = []
        if not waiting:
            return
        task = asyncio.create_task(self._settle(waiting))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

        def end_if_nobody_waits(_: object) -> None:
            if all(future.cancelled() for _, future in waiting):
                task.cancel()

        for _, future in waiting:
            future.add_done_callback(end_if_nobody_waits)

    async def _settle(self, waiting: Sequence[tuple[_Request, asyncio.Future[_Result]]]) -> None:
        try:
            results = await self._make([request for request, _ in waiting])
        except asyncio.CancelledError:
            for _, future in waiting:
                future.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - it belongs to the callers
            for _, future in waiting:
                if not future.done():
                    future.set_exception(error)
            return
        for (_, future), result in zip(waiting, results, strict=True):
            if not future.done():
                future.set_result(result)
