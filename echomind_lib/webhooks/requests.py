"""Requests to webhooks, as https://www.standardwebhooks.com defines them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from echomind_lib.db.words import WebhookEventType


def message_id(delivery_id: int) -> str:
    """Returns the `webhook-id` of a delivery, the same for each attempt."""
    return f"msg_{delivery_id}"


def payload_of(event_type: WebhookEventType, happened_at: datetime, data: Mapping[str, Any]) -> str:
    """Returns the body of a request.

    Args:
        event_type: What happened.
        happened_at: When, with its time zone.
        data: IDs and statuses.
    """
    timestamp = happened_at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body = {"type": event_type.replace("_", ".", 1), "timestamp": timestamp, "data": data}
    return msgspec.json.encode(body).decode()
