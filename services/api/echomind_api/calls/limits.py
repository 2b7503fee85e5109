"""Limits of one caller, and of their API key: requests, concurrent calls and streams.

Kept in the process: with several replicas a caller gets so much of each.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from echomind_api.token_buckets import TokenBuckets
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.errors import DependencyUnavailableError, EchoMindError, OverloadedError

REQUESTS_PER_SECOND = 500.0
REQUESTS_AT_ONCE = 2000.0
STREAMS_AT_ONCE = 2000
CALLS_AT_ONCE = 256
"""Concurrent unary calls of one user: each may hold a message or a part of a file in memory."""
_MINUTE = 60.0


class StoppingError(DependencyUnavailableError):
    """The process is stopping; the caller should reconnect."""

    def __init__(self) -> None:
        super().__init__("EchoMind is being stopped: connect again.", dependency="api")


class Stream:
    """An open stream, which can be ended from outside."""

    def __init__(self, call: CallContext) -> None:
        self.call = call
        self.scope = asyncio.timeout(None)
        self.error: EchoMindError | None = None
        """The error that ended it."""
        self.is_over = False

    def end(self, error: EchoMindError) -> None:
        """Ends it, wherever it is, with an error for its reader. The first error counts, none when it is over."""
        if self.error is None and not self.is_over:
            self.error = error
            self.scope.reschedule(asyncio.get_running_loop().time())


class Limits:
    """The limits of signed-in callers, and their streams, which can be ended from outside."""

    def __init__(self) -> None:
        self._requests = TokenBuckets(REQUESTS_PER_SECOND, REQUESTS_AT_ONCE)
        # Of each key a minute, of which a request takes the longer the fewer it may send in a minute.
        self._of_keys = TokenBuckets(1.0, _MINUTE, "requests with this API key")
        self._calls: Counter[int] = Counter()
        self._streams: Counter[int] = Counter()
        self._streams_of_keys: Counter[int] = Counter()
        self._open: set[Stream] = set()
        self._stopping = False

    @property
    def streams(self) -> list[Stream]:
        """Returns all open streams."""
        return list(self._open)

    def take(self, principal: Principal) -> None:
        """Counts a request.

        Raises:
            OverloadedError: The user, their key or a key that it was made with exceeds the rate limit.
        """
        if not principal.rates:
            self._requests.take(principal.user_id)
            return
        limits = [
            (each.api_key_id, _MINUTE / each.requests_per_minute)
            for each in principal.rates
            if each.requests_per_minute is not None
        ]
        # A request that one of them refuses counts for none.
        for key_id, seconds in limits:
            self._of_keys.require(key_id, seconds)
        self._requests.take(principal.user_id)
        for key_id, seconds in limits:
            self._of_keys.charge(key_id, seconds)

    @contextmanager
    def call(self, user_id: int) -> Iterator[None]:
        """The life of a call that is no stream.

        Raises:
            OverloadedError: The user has too many at the same time.
        """
        if self._calls[user_id] >= CALLS_AT_ONCE:
            raise OverloadedError(
                f"You have {CALLS_AT_ONCE} calls at the same time, which is the limit: wait for some to end.",
                retry_after_seconds=1,
            )
        self._calls[user_id] += 1
        try:
            yield
        finally:
            self._calls[user_id] -= 1
            if not self._calls[user_id]:
                del self._calls[user_id]

    @asynccontextmanager
    async def stream(self, call: CallContext) -> AsyncIterator[None]:
        """Context of a stream, which counts it and can end it from outside.

        Raises:
            OverloadedError: The user, their key or a key that it was made with has too many streams.
            StoppingError: The process is stopping.
            EchoMindError: The error that ended the stream from outside.
        """
        user_id = call.principal.user_id
        if self._streams[user_id] >= STREAMS_AT_ONCE:
            raise OverloadedError("Too many open streams: close some first.", retry_after_seconds=5)
        limited = []
        for each in call.principal.rates:
            if each.streams is None:
                continue
            if self._streams_of_keys[each.api_key_id] >= each.streams:
                raise OverloadedError(
                    f"The API key has {each.streams} open streams, which is its limit: close some first.",
                    retry_after_seconds=5,
                )
            limited.append(each.api_key_id)
        if self._stopping:
            raise StoppingError
        self._streams[user_id] += 1
        self._streams_of_keys.update(limited)
        stream = Stream(call)
        try:
            async with stream.scope:
                self._open.add(stream)
                yield
        except TimeoutError:
            if stream.error is None:
                raise
            raise stream.error from None
        finally:
            stream.is_over = True
            self._open.discard(stream)
            self._streams[user_id] -= 1
            if not self._streams[user_id]:
                del self._streams[user_id]
            if limited:
                self._streams_of_keys -= Counter(limited)

    def end_streams(self) -> None:
        """Ends all streams with an error that tells clients to reconnect, and refuses new ones."""
        self._stopping = True
        for stream in self.streams:
            stream.end(StoppingError())
