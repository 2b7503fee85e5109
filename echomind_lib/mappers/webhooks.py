"""Webhooks."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import Webhook, WebhookEventType


def to_model(row: rows.Webhook, *, user_name: str) -> Webhook:
    """Returns the webhook of a row, with the user name of its owner and without its secrets."""
    event_types = [WebhookEventType.from_word(word) for word in row.event_types]
    webhook = Webhook.from_row(row, user_name=user_name, event_types=event_types)
    if webhook.previous_secret_until is not None and webhook.previous_secret_until <= datetime.now(UTC):
        webhook.previous_secret_until = None
    return webhook


def to_columns(webhook: Webhook, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the given fields.

    Raises:
        ValidationFailedError: Another field is given.
    """
    columns = {
        "url": webhook.url.strip(),
        "description": webhook.description,
        "event_types": [each.word for each in webhook.event_types],
        "is_enabled": bool(webhook.is_enabled),
    }
    return pick(Webhook, columns, fields)
