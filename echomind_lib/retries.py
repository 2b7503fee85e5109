"""The retry policy: delays between attempts, and when to give up.

Whoever makes a call waits and repeats it; work stored in the database (jobs, documents) stores when its next attempt is
due. Both use these delays: exponential, with jitter, and never shorter than the server's `Retry-After`.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """The delays between attempts.

    Attributes:
        first: Seconds before the second attempt; jitter reduces them by up to half.
        factor: Factor of the delay for each further attempt.
        longest: The longest delay, in seconds.
        attempts: Total number of attempts; None for no limit.
        seconds: No attempt starts later than this many seconds after the first one; None for no limit.
    """

    first: float
    factor: float = 2.0
    longest: float = 30.0
    attempts: int | None = None
    seconds: float | None = None

    def delay(self, attempt: int, asked: float = 0.0) -> float:
        """Returns the seconds to wait after an attempt that failed.

        Args:
            attempt: Number of the attempt, starting at 1.
            asked: The delay in seconds that the server requests.
        """
        delay = min(self.first * self.factor ** min(attempt - 1, 64), self.longest)
        return max(delay * random.uniform(0.5, 1.0), asked)  # noqa: S311 - jitter

    def pause(self, attempt: int, elapsed: float, failure: BaseException) -> float | None:
        """Returns the seconds to wait before the next attempt; None if there is none.

        Args:
            attempt: Number of the attempt that failed, starting at 1.
            elapsed: Seconds since the first attempt began.
            failure: What the attempt failed with.
        """
        if self.attempts is not None and attempt >= self.attempts:
            return None
        delay = self.delay(attempt, retry_after(failure))
        return None if self.seconds is not None and elapsed + delay >= self.seconds else delay

    async def call(self, function: Callable[[], Awaitable[T]], is_transient: Callable[[BaseException], bool]) -> T:
        """Calls a function until it succeeds, fails permanently, or the policy ends it.

        Raises:
            Exception: The exception of the last attempt.
        """
        attempt, began = 1, time.monotonic()
        while True:
            try:
                return await function()
            except Exception as error:
                delay = self.pause(attempt, time.monotonic() - began, error) if is_transient(error) else None
                if delay is None:
                    raise
            await asyncio.sleep(delay)
            attempt += 1


def retry_after(failure: BaseException | None) -> float:
    """Returns the delay in seconds that an error requests; 0 for none."""
    asked = getattr(failure, "retry_after", None)
    if asked is None:
        asked = getattr(failure, "metadata", {}).get("retry_after_seconds")
    try:
        return float(asked or 0.0)
    except ValueError:
        return 0.0


BACKGROUND_ATTEMPTS: Final = 8
BACKGROUND: Final = RetryPolicy(first=2.0, factor=3.0, longest=180.0, attempts=BACKGROUND_ATTEMPTS)
"""Background work: documents, jobs, messages. Retries continue for about ten minutes."""
