"""Finds idle sessions, so that other jobs learn from them."""

from typing import Final

import asyncpg
from typing_extensions import override

from echomind_lib.jobs import FIND_IDLE_SESSIONS, Job, JobHandler
from echomind_lib.learned.sessions import find_idle_sessions
from echomind_lib.messaging import Bus

IDLE_MINUTES: Final = 10.0
"""Default minutes without messages after which a session is idle."""


class IdleSessions(JobHandler[None]):
    """Requests extraction jobs for idle sessions."""

    kind = FIND_IDLE_SESSIONS

    def __init__(self, pool: asyncpg.Pool, bus: Bus, idle_minutes: float) -> None:
        self._pool, self._bus, self._idle_minutes = pool, bus, idle_minutes

    @override
    async def work(self, job: Job) -> None:
        """Requests one job per session and kind of learning."""
        await find_idle_sessions(self._pool, self._bus, self._idle_minutes)
