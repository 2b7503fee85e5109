"""How much one caller may ask for: requests a second, streams at once, guesses at passwords.

Kept in the process: with several replicas a caller gets so much of each.
"""

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from echomind_lib.errors import DependencyUnavailableError, OverloadedError

REQUESTS_PER_SECOND = 500.0
REQUESTS_AT_ONCE = 2000.0
STREAMS_AT_ONCE = 2000

_MOST_BUCKETS = 100_000


class TokenBuckets:
    """For each key a bucket that holds `capacity` tokens and gets `rate` a second; each request takes one."""

    def __init__(self, rate: float, capacity: float) -> None:
        self._rate = rate
        self._capacity = capacity
        self._buckets: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()

    def take(self, key: Hashable) -> None:
        """Takes a token.

        Raises:
            OverloadedError: There is none; its metadata says when there will be.
        """
        now = time.monotonic()
        left, since = self._buckets.pop(key, (self._capacity, now))
        left = min(self._capacity, left + (now - since) * self._rate)
        allowed = left >= 1
        self._buckets[key] = (left - 1 if allowed else left, now)
        if len(self._buckets) > _MOST_BUCKETS:
            self._buckets.popitem(last=False)
        if not allowed:
            seconds = math.ceil((1 - left) / self._rate)
            raise OverloadedError(f"Too many requests: try again in {seconds} s.", retry_after_seconds=seconds)

    def give_back(self, key: Hashable) -> None:
        """Fills a key's bucket again, as after a right password."""
        self._buckets.pop(key, None)


class Limits:
    """The limits of signed-in callers, and the end of their streams when the process stops."""

    def __init__(self) -> None:
        self._requests = TokenBuckets(REQUESTS_PER_SECOND, REQUESTS_AT_ONCE)
        self._streams: Counter[int] = Counter()
        self._open: set[asyncio.Timeout] = set()
        self._stopping = False

    def take(self, user_id: int) -> None:
        """Counts a request.

        Raises:
            OverloadedError: The user asks too much.
        """
        self._requests.take(user_id)

    @asynccontextmanager
    async def stream(self, user_id: int) -> AsyncIterator[None]:
        """The life of a stream, which `end_streams` ends early.

        Raises:
            OverloadedError: The user has too many.
            DependencyUnavailableError: The process stops; the caller is to connect again.
        """
        if self._streams[user_id] >= STREAMS_AT_ONCE:
            raise OverloadedError("Too many open streams: close some first.", retry_after_seconds=5)
        if self._stopping:
            raise _stopped()
        self._streams[user_id] += 1
        scope = asyncio.timeout(None)
        try:
            async with scope:
                self._open.add(scope)
                yield
        except TimeoutError:
            if not scope.expired():
                raise
            raise _stopped() from None
        finally:
            self._open.discard(scope)
            self._streams[user_id] -= 1
            if not self._streams[user_id]:
                del self._streams[user_id]

    def end_streams(self) -> None:
        """Ends all streams, each with an error that tells its reader to connect again, and lets none begin."""
        self._stopping = True
        for scope in self._open:
            scope.reschedule(asyncio.get_running_loop().time())


def _stopped() -> DependencyUnavailableError:
    return DependencyUnavailableError("EchoMind is being stopped: connect again.", dependency="api")
