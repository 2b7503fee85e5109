"""Deletion in the background of what is older than the rules say."""

import asyncio
import time
from dataclasses import dataclass
from typing import Final

import structlog
from sqlalchemy.exc import DBAPIError

from echomind_api.retention.expiries import Expiries
from echomind_api.retention.rules import RetentionRules
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.db.words import RetentionData
from echomind_lib.errors import EchoMindError

_LOOK_SECONDS: Final = 600.0
"""Time between reads of the rules: what a superadmin sets applies within it."""
_SWEEP_SECONDS: Final = 3600.0
_LONG_SWEEPS: Final[dict[RetentionData, float]] = {"run_steps": 24 * 3600.0, "run_events": 24 * 3600.0}
"""Time between sweeps that walk over all old runs."""

_FAILURES: Final = (*DATABASE_FAILURES, DBAPIError, EchoMindError)
"""What a deletion raises when it takes too long, is held meanwhile, or when a server does not respond."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Sweep:
    """The last sweep of one kind of data: under which rule, and when, in seconds of the monotonic clock."""

    days: int
    at: float


class RetentionSweeper:
    """Applies the rules. If nothing is to be deleted, it costs a few statements an hour."""

    def __init__(self, rules: RetentionRules, expiries: Expiries) -> None:
        self._rules, self._expiries = rules, expiries
        self._last: dict[RetentionData, _Sweep] = {}

    async def run(self) -> None:
        """Applies the rules at once and then again and again, until it is cancelled."""
        while True:
            try:
                await self.sweep()
            except _FAILURES as error:
                log.warning("the rules of retention were not read", error=repr(error))
            await asyncio.sleep(_LOOK_SECONDS)

    async def sweep(self) -> dict[RetentionData, int]:
        """Deletes what is older than the rules say, unless it was done a short time ago under the same rule.

        A kind of data whose deletion fails keeps no other from being deleted.

        Returns:
            How much was deleted, by kind of data, of those that were swept.
        """
        deleted: dict[RetentionData, int] = {}
        for data, days in (await self._rules.days()).items():
            last, now = self._last.get(data), time.monotonic()
            pause = _LONG_SWEEPS.get(data, _SWEEP_SECONDS)
            if not days or (last is not None and last.days == days and now - last.at < pause):
                continue
            try:
                deleted[data] = count = await self._expiries[data](days).sweep()
            except _FAILURES as error:
                log.warning("data whose time is over was not deleted", data=data, error=repr(error))
                continue
            self._last[data] = _Sweep(days, now)
            if count:
                log.info("data was deleted, as its time is over", data=data, count=count, days=days)
        return deleted
