"""Limits of callers: requests, concurrent calls and streams.

Those of every caller protect the process, and are kept in it: with several replicas a caller gets so much of each.
Those of quotas and of API keys are counted by `shared_limits`, for all replicas together.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

from echomind_api.calls.shared_limits import SharedLimits
from echomind_api.token_buckets import TokenBuckets
from echomind_lib.access import Principal
from echomind_lib.contract import CallContext
from echomind_lib.errors import DependencyUnavailableError, EchoMindError, OverloadedError

REQUESTS_PER_SECOND = 500.0
REQUESTS_AT_ONCE = 2000.0
STREAMS_AT_ONCE = 2000
CALLS_AT_ONCE = 256
"""Concurrent unary calls of one user: each may hold a message or a part of a file in memory."""


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

    def __init__(self, shared: SharedLimits) -> None:
        self._shared = shared
        self._requests = TokenBuckets(REQUESTS_PER_SECOND, REQUESTS_AT_ONCE)
        self._calls: Counter[int] = Counter()
        self._streams: Counter[int] = Counter()
        self._open: set[Stream] = set()
        self._stopping = False

    @property
    def streams(self) -> list[Stream]:
        """Returns all open streams."""
        return list(self._open)

    async def take(self, principal: Principal) -> None:
        """Counts a request.

        Raises:
            OverloadedError: The caller, or a limit that binds them or their key, has no request left.
        """
        self._requests.take(principal.user_id)
        if principal.rates:
            await self._shared.take(principal.rates)

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
            OverloadedError: The caller, or a limit that binds them or their key, has too many streams.
            StoppingError: The process is stopping.
            EchoMindError: The error that ended the stream from outside.
        """
        user_id = call.principal.user_id
        if self._streams[user_id] >= STREAMS_AT_ONCE:
            raise OverloadedError("Too many open streams: close some first.", retry_after_seconds=5)
        if self._stopping:
            raise StoppingError
        self._streams[user_id] += 1
        stream, counted = Stream(call), []
        try:
            async with stream.scope:
                # Before it is counted, so that it can be ended from outside while it waits for that.
                self._open.add(stream)
                if call.principal.rates:
                    counted = await self._shared.open_stream(call.principal.rates)
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
            if counted:
                await self._shared.close_stream(counted)

    def end_streams(self) -> None:
        """Ends all streams with an error that tells clients to reconnect, and refuses new ones."""
        self._stopping = True
        for stream in self.streams:
            stream.end(StoppingError())
