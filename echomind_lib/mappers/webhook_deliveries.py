"""Deliveries of events to webhooks."""

from echomind_lib.db import models as rows
from echomind_lib.models.public import WebhookDelivery
from echomind_lib.webhooks import payload_of


def to_model(row: rows.WebhookDelivery) -> WebhookDelivery:
    """Returns the delivery of a row, with the body of its requests once there was one: before, nobody has the right."""
    was_sent = row.attempts > 0 and row.status != "withheld"
    payload = payload_of(row.event_type, row.creation_date, row.data) if was_sent else ""
    return WebhookDelivery.from_row(row, payload=payload)
