"""Deletion of what is kept for a time: deliveries to webhooks, conversations that programs did not ask to store."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import structlog
from sqlalchemy import delete, exists, func, select

from echomind_api.administration.purge import Purge
from echomind_lib.db.database import DATABASE_FAILURES, Database
from echomind_lib.db.models import ChatSession, Run, WebhookDelivery

_SWEEP_SECONDS: Final = 3600.0
_DELIVERIES: Final = 10_000
_SESSIONS: Final = 500
_DELIVERY_DAYS: Final = 30


log = structlog.get_logger(__name__)


class DeliveryRetention:
    """Removes deliveries of events to webhooks after 30 days."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def run(self) -> None:
        """Sweeps at once and then once an hour, until it is cancelled."""
        while True:
            try:
                await self.sweep()
            except DATABASE_FAILURES as error:
                log.warning("deliveries to webhooks were not swept", error=repr(error))
            await asyncio.sleep(_SWEEP_SECONDS)

    async def sweep(self) -> int:
        """Deletes old deliveries in batches and returns their number."""
        total, removed = 0, _DELIVERIES
        old = (
            select(WebhookDelivery.id)
            .where(WebhookDelivery.creation_date < func.now() - timedelta(days=_DELIVERY_DAYS))
            .order_by(WebhookDelivery.creation_date)
            .limit(_DELIVERIES)
            .with_for_update(skip_locked=True)
        )
        removal = delete(WebhookDelivery).where(WebhookDelivery.id.in_(old)).returning(WebhookDelivery.id)
        while removed == _DELIVERIES:
            async with self._database.session() as session:
                removed = len((await session.scalars(removal)).all())
            total += removed
        return total


class UnlistedRetention:
    """Purges conversations that programs did not ask to store, once their time is over."""

    def __init__(self, database: Database, purge: Purge, days: int) -> None:
        """Stores the setting.

        Args:
            database: The database.
            purge: Deletes conversations.
            days: Days for which they are kept after their last message; 0 keeps them forever.
        """
        self._database, self._purge, self._days = database, purge, days

    async def run(self) -> None:
        """Sweeps at once and then once an hour, until it is cancelled."""
        while self._days:
            try:
                await self.sweep()
            except DATABASE_FAILURES as error:
                log.warning("unlisted conversations were not purged", error=repr(error))
            await asyncio.sleep(_SWEEP_SECONDS)

    async def sweep(self) -> int:
        """Purges expired conversations in batches and returns their number."""
        total = 0
        while self._days and (expired := await self._expired()):
            await self._purge.sessions(expired)
            total += len(expired)
        if total:
            log.info("conversations that programs did not store were purged", count=total, days=self._days)
        return total

    async def _expired(self) -> Sequence[int]:
        """Returns some expired conversations; none that a run still works in."""
        active = exists().where(Run.chat_session_id == ChatSession.id, Run.completed_at.is_(None))
        old = (
            select(ChatSession.id)
            .where(
                ChatSession.unlisted,
                func.coalesce(ChatSession.last_message_at, ChatSession.creation_date)
                < func.now() - timedelta(days=self._days),
                ~active,
            )
            .order_by(ChatSession.id)
            .limit(_SESSIONS)
        )
        async with self._database.session() as session:
            return (await session.scalars(old)).all()
