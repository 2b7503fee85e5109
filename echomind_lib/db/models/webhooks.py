"""Webhooks, and the deliveries of events to them."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from echomind_lib.db import words
from echomind_lib.db.models.base import Audit, Base, CreationDate, at_least, one_of


class Webhook(Audit, Base):
    """An address to which events are sent: its owner's own, or with `is_installation` everybody's.

    `event_types` has words of `words.WebhookEventType`. The secrets are Fernet tokens; the previous one signs, too,
    until `previous_secret_until`. `failures` counts attempts that failed since one succeeded, `failing_since` is when
    the first of them was, and nothing is sent before `held_until`. `disabled_reason` is why the server disabled it.
    """

    __tablename__ = "webhooks"

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    is_installation: Mapped[bool] = mapped_column(server_default=text("false"))
    url: Mapped[str]
    description: Mapped[str] = mapped_column(String(255), server_default=text("''"))
    event_types: Mapped[list[str]]
    is_enabled: Mapped[bool] = mapped_column(server_default=text("true"))
    encrypted_secret: Mapped[str]
    encrypted_previous_secret: Mapped[str | None]
    previous_secret_until: Mapped[datetime | None]
    failures: Mapped[int] = mapped_column(server_default=text("0"))
    failing_since: Mapped[datetime | None]
    held_until: Mapped[datetime | None]
    disabled_reason: Mapped[str | None]

    __table_args__ = (at_least("failures", 0), Index("idx_webhooks_user_id", "user_id"))


class WebhookDelivery(CreationDate, Base):
    """An event for a webhook, written by the trigger `note_webhook_event` in the transaction of its change.

    `data` is that of the request: ids and statuses. `response_status`, `error` and `duration_ms` are of the last
    attempt.
    """

    __tablename__ = "webhook_deliveries"

    id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    webhook_id: Mapped[int] = mapped_column(ForeignKey("webhooks.id", ondelete="CASCADE"))
    event_type: Mapped[words.WebhookEventType] = mapped_column(String(50))
    data: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
    status: Mapped[words.WebhookDeliveryStatus] = mapped_column(String(20), server_default=text("'pending'"))
    attempts: Mapped[int] = mapped_column(server_default=text("0"))
    next_attempt_at: Mapped[datetime | None] = mapped_column(server_default=text("now()"))
    response_status: Mapped[int | None]
    error: Mapped[str | None]
    duration_ms: Mapped[int | None]
    completed_at: Mapped[datetime | None]

    __table_args__ = (
        one_of("event_type", words.WebhookEventType),
        one_of("status", words.WebhookDeliveryStatus),
        at_least("attempts", 0),
        CheckConstraint("(status = 'pending') = (next_attempt_at IS NOT NULL)", name="next_attempt_at"),
        Index("idx_webhook_deliveries_webhook_id", "webhook_id", "id"),
        Index(
            "idx_webhook_deliveries_due",
            "webhook_id",
            "next_attempt_at",
            "id",
            postgresql_where=text("status = 'pending'"),
        ),
        Index("idx_webhook_deliveries_creation_date", "creation_date"),
    )
