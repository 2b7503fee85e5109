"""The calls about webhooks."""

from tests.factories.permissions.rows import (
    ANYTHING,
    EVERYONE,
    FORBIDDEN,
    HIDDEN,
    NOBODY_ELSE,
    OK,
    Row,
    Table,
    by_id,
    empty,
    patch,
)
from tests.factories.world import World

_READ: Table = {"own": EVERYONE, "foreign": NOBODY_ELSE, "org": (HIDDEN, HIDDEN, OK)}
# A key needs `administer`, too, to change those of the installation.
_CHANGED: Table = _READ | {"org": (HIDDEN, HIDDEN, FORBIDDEN)}
ROWS: dict[str, Row] = {
    "WebhookService/ListWebhooks": Row(World.nothing, empty, ANYTHING),
    "WebhookService/GetWebhook": Row(World.webhook, by_id, _READ),
    "WebhookService/CreateWebhook": Row(
        World.nothing,
        lambda _: {"webhook": {"url": "https://example.org/hook", "eventTypes": ["WEBHOOK_EVENT_TYPE_RUN_COMPLETED"]}},
        ANYTHING,
    ),
    "WebhookService/UpdateWebhook": Row(World.webhook, patch("webhook", "description", "x"), _CHANGED),
    "WebhookService/DeleteWebhook": Row(World.webhook, by_id, _CHANGED),
    "WebhookService/RotateWebhookSecret": Row(World.webhook, by_id, _CHANGED),
    "WebhookService/TestWebhook": Row(World.webhook, by_id, _CHANGED),
    "WebhookService/ListWebhookDeliveries": Row(World.webhook, lambda item: {"webhookId": item}, _READ),
    "WebhookService/ReplayWebhookDelivery": Row(World.webhook_delivery, by_id, _CHANGED),
}
