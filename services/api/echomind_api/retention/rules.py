"""The stored rules, and the days that apply without one."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy import select

from echomind_lib.config import Settings
from echomind_lib.db.database import Database
from echomind_lib.db.models import RetentionRule
from echomind_lib.db.words import RetentionData

_DELIVERY_DAYS: Final = 30


def default_days(settings: Settings) -> dict[RetentionData, int]:
    """Returns for how many days each kind of data is kept unless a superadmin has set others; 0 is forever."""
    return {
        "chat_sessions": 0,
        "removed_chat_sessions": 0,
        "unlisted_chat_sessions": settings.api.unlisted_days,
        "run_steps": 0,
        "run_events": settings.api.event_days,
        "audit_entries": settings.auth.audit_days,
        "webhook_deliveries": _DELIVERY_DAYS,
    }


class RetentionRules:
    """Reads for how many days data is kept."""

    def __init__(self, database: Database, defaults: Mapping[RetentionData, int]) -> None:
        self._database = database
        self.defaults = defaults

    async def days(self) -> dict[RetentionData, int]:
        """Returns for how many days each kind of data is kept; 0 is forever. One statement."""
        async with self._database.session() as session:
            stored = await session.execute(select(RetentionRule.data, RetentionRule.days))
            return {**self.defaults, **{row.data: row.days for row in stored}}
