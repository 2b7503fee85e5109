"""Waiting for a server that is away for a moment: it restarts, or is asked for too much at once."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from echomind.cli.client import ApiError, ConnectionLostError, NotRunningError

PATIENCE_SECONDS = 60.0
"""How long a server may be away: a restart takes a few seconds."""
_FIRST_PAUSE_SECONDS = 0.1
_LONGEST_PAUSE_SECONDS = 2.0
_PASSING = frozenset({"UNAVAILABLE", "ABORTED", "RESOURCE_EXHAUSTED"})
"""Codes after which the same call may succeed."""

Result = TypeVar("Result")


class RetryPolicy:
    """Counts how long a server has been away, and pauses ever longer between two attempts."""

    def __init__(self, seconds: float = PATIENCE_SECONDS) -> None:
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        """The server is there."""
        self._away_since: float | None = None
        self._pause = _FIRST_PAUSE_SECONDS

    async def wait(self, problem: Exception) -> None:
        """Pauses before the next attempt.

        Raises:
            Exception: The problem, when it does not pass by waiting or has lasted too long.
        """
        if not is_passing(problem):
            raise problem
        now = time.monotonic()
        self._away_since = now if self._away_since is None else self._away_since
        if now - self._away_since > self._seconds:
            raise problem
        await asyncio.sleep(self._asked_for(problem) or self._pause)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE_SECONDS)

    @staticmethod
    def _asked_for(problem: Exception) -> float:
        """Seconds that the server wants to be left alone; 0 when it does not say."""
        try:
            return float(problem.metadata["retry_after_seconds"]) if isinstance(problem, ApiError) else 0.0
        except (KeyError, ValueError):
            return 0.0


def is_passing(problem: Exception) -> bool:
    """Whether the same call may succeed a moment later."""
    if isinstance(problem, ApiError):
        return problem.code in _PASSING
    return isinstance(problem, ConnectionLostError | NotRunningError)


async def patiently(call: Callable[[], Awaitable[Result]], seconds: float = PATIENCE_SECONDS) -> Result:
    """Makes a call that may be repeated, again and again while the server is away for a moment.

    Raises:
        Exception: What the call raises, when it does not pass by waiting or has lasted longer than `seconds`.
    """
    patience = RetryPolicy(seconds)
    while True:
        try:
            return await call()
        except (ApiError, ConnectionLostError, NotRunningError) as error:
            await patience.wait(error)
