"""Joins calls that begin in the same turn of the event loop."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from contextvars import Context, copy_context
from typing import Generic, TypeVar

_Request = TypeVar("_Request")
_Result = TypeVar("_Result")


class Together(Generic[_Request, _Result]):
    """Makes the calls with the same key that begin in the same turn of the event loop as one.

    The searches of one step begin together. As the answer of a joint call wakes all that wait for it, they stay
    together from call to call. A call that begins alone waits for nothing, and is made in the context of its caller, a
    joint one in an empty context: it belongs to nobody's trace.
    """

    def __init__(
        self,
        make: Callable[[Sequence[_Request]], Awaitable[Sequence[_Result]]],
        *,
        key: Callable[[_Request], Hashable] = lambda _: None,
    ) -> None:
        """Initializes it.

        Args:
            make: Makes one call for one or more requests; returns the result of each, in their order. Its error is
                raised for each of them.
            key: Returns what requests must have in common to be made as one; the others neither wait for them nor share
                their error. Without it, all are made as one.
        """
        self._make = make
        self._key = key
        self._waiting: dict[Hashable, list[tuple[_Request, asyncio.Future[_Result], Context]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    async def call(self, request: _Request) -> _Result:
        """Returns the result of a request."""
        loop = asyncio.get_running_loop()
        key = self._key(request)
        waiting = self._waiting.setdefault(key, [])
        if not waiting:
            loop.call_soon(self._begin, key, context=Context())
        future: asyncio.Future[_Result] = loop.create_future()
        waiting.append((request, future, copy_context()))
        return await future

    def _begin(self, key: Hashable) -> None:
        begun = [each for each in self._waiting.pop(key) if not each[1].done()]
        if not begun:
            return
        waiting = [(request, future) for request, future, _ in begun]
        context = begun[0][2] if len(begun) == 1 else Context()
        task = asyncio.create_task(self._settle(waiting), context=context)
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
