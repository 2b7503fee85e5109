"""Deliveries to webhooks whose time is over."""

from typing import Final

from sqlalchemy import delete, select
from typing_extensions import override

from echomind_api.retention.expiry import ExpiredQuery, Expiry
from echomind_lib.db.models import WebhookDelivery

_BATCH: Final = 10_000


class DeliveryExpiry(Expiry):
    """Deliveries of events to webhooks, by their time."""

    @override
    def expired(self) -> ExpiredQuery:
        return select(WebhookDelivery.creation_date).where(WebhookDelivery.creation_date < self._cutoff)

    @override
    async def _sweep(self) -> int:
        total, removed = 0, _BATCH
        old = (
            select(WebhookDelivery.id)
            .where(WebhookDelivery.creation_date < self._cutoff)
            .order_by(WebhookDelivery.creation_date)
            .limit(_BATCH)
            .with_for_update(skip_locked=True)
        )
        removal = delete(WebhookDelivery).where(WebhookDelivery.id.in_(old)).returning(WebhookDelivery.id)
        while removed == _BATCH:
            async with self._database.session() as session:
                removed = len((await session.scalars(removal)).all())
            total += removed
        return total
