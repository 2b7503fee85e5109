"""The retry policy: delays between attempts, and when to give up.

Calls are repeated by tenacity; work stored in the database (jobs, documents) stores when its next attempt is due.
Both use these delays: exponential, with jitter, and never shorter than the server's `Retry-After`.
"""

import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from tenacity import RetryCallState
    from tenacity.stop import stop_base

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

    async def call(
        self, function: Callable[[], Awaitable[T]], is_transient: Callable[[BaseException], bool], *, name: str = ""
    ) -> T:
        """Calls a function until it succeeds, fails permanently, or the policy ends it.

        Args:
            function: What is called for each attempt.
            is_transient: Whether the same call may succeed later.
            name: Name of the call, for the log; nothing is logged without it.

        Raises:
            Exception: The exception of the last attempt.
        """
        began = time.monotonic()
        # Nearly every call succeeds at once: it takes no controller, which costs 60 calls of Python functions.
        try:
            return await function()
        except Exception as failure:
            if not is_transient(failure):
                raise
            first: Exception | None = failure
        import tenacity  # slow to import, and rarely needed

        async def attempt() -> T:
            nonlocal first
            if first is not None:
                failure, first = first, None
                raise failure
            return await function()

        limits: list[stop_base] = []
        if self.attempts is not None:
            limits.append(tenacity.stop_after_attempt(self.attempts))
        if self.seconds is not None:
            limits.append(tenacity.stop_before_delay(self.seconds - (time.monotonic() - began)))
        controller = tenacity.AsyncRetrying(
            wait=lambda state: self.delay(state.attempt_number, retry_after(_failure(state))),
            stop=tenacity.stop_any(*limits),
            retry=tenacity.retry_if_exception(is_transient),
            before_sleep=_logged(name) if name else None,
            reraise=True,
        )
        result: T = await controller(attempt)
        return result


def _failure(state: "RetryCallState") -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _logged(name: str) -> "Callable[[RetryCallState], None]":
    """Returns what logs that a call is repeated."""
    import structlog  # slow to import, and API clients, which retry too, do not log

    log = structlog.get_logger(__name__)
    return lambda state: log.info(
        "retrying", call=name, delay=round(state.upcoming_sleep, 2), error=str(_failure(state))
    )


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
PATIENT: Final = replace(BACKGROUND, attempts=500)
"""Background work that nothing asks for again, and that waits for a server. Retries continue for about a day."""
