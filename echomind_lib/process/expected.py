"""Results that are computed before they are asked for, while something else is waited for."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, Generic, TypeVar

_Key = TypeVar("_Key", bound=Hashable)
_Result = TypeVar("_Result")

_SECONDS: Final = 5.0
"""How long a result is kept for whoever will ask for it."""


class Expected(Generic[_Key, _Result]):
    """Results by what they are of, each for one who asks within a few seconds."""

    def __init__(self) -> None:
        self._results: dict[_Key, asyncio.Future[_Result]] = {}

    def begin(self, key: _Key, make: Callable[[], Awaitable[_Result]]) -> None:
        """Begins to compute a result, unless it is expected already.

        Args:
            key: What it is of.
            make: Computes it.
        """
        if key in self._results:
            return
        result = self._results[key] = asyncio.ensure_future(make())
        result.add_done_callback(_mark_retrieved)
        result.get_loop().call_later(_SECONDS, self._forget, key, result)

    async def take(self, key: _Key, make: Callable[[], Awaitable[_Result]]) -> _Result:
        """Returns a result, expected or computed now. An error is that of whoever takes it."""
        result = self._results.pop(key, None)
        # Whoever takes it may be cancelled while the computation is joined with that of others.
        return await (make() if result is None else asyncio.shield(result))

    def cancel(self) -> None:
        """Ends the computations that nobody has taken."""
        for result in self._results.values():
            result.cancel()

    def _forget(self, key: _Key, result: asyncio.Future[_Result]) -> None:
        if self._results.get(key) is result:
            del self._results[key]


def _mark_retrieved(result: asyncio.Future[_Result]) -> None:
    """Marks an error as retrieved: whoever takes the result gets it, and perhaps nobody does."""
    if not result.cancelled():
        result.exception()
