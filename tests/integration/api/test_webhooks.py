"""Webhooks by the API: who has which, what is accepted, secrets that are shown once, deliveries and their replay."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from standardwebhooks.webhooks import Webhook

from echomind_api.main import Gateway
from echomind_api.retention.deliveries import DeliveryExpiry
from echomind_api.webhooks.webhooks import LIMIT
from echomind_lib.errors import NotFoundError, PermissionDeniedError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows as make

RUN_COMPLETED, AUDIT_ENTRY = "WEBHOOK_EVENT_TYPE_RUN_COMPLETED", "WEBHOOK_EVENT_TYPE_AUDIT_ENTRY"
PUBLIC = "https://hooks.example.org/a?token=secret"


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def forgotten(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Leaves no webhook behind."""
    yield
    await pool.execute("DELETE FROM webhooks")


async def create(client: Client, via: Transport, **values: Any) -> dict[str, Any]:
    given = {"url": PUBLIC, "eventTypes": [RUN_COMPLETED]} | values
    return await client.call("WebhookService/CreateWebhook", {"webhook": given}, via)


async def test_a_webhook_is_its_owners_and_shows_its_secret_once(
    new_user: NewUser, pool: asyncpg.Pool, via: Transport
) -> None:
    owner, superadmin = await new_user(), await new_user("superadmin")
    made = await create(owner, via, description="Tickets")
    webhook, secret = made["webhook"], made["secret"]
    assert (webhook["userId"], webhook["isEnabled"], webhook["eventTypes"]) == (owner.user_id, True, [RUN_COMPLETED])
    assert webhook["userName"]
    assert Webhook(secret)
    listed = await owner.call("WebhookService/ListWebhooks", {}, via)
    assert listed["webhooks"] == [webhook]
    assert secret not in json.dumps(listed)
    stored = await pool.fetchval("SELECT encrypted_secret FROM webhooks WHERE id = $1", webhook["id"])
    assert secret not in stored
    for method in ("GetWebhook", "DeleteWebhook", "TestWebhook", "RotateWebhookSecret"):
        with pytest.raises(NotFoundError):
            await superadmin.call(f"WebhookService/{method}", {"id": webhook["id"]}, via)
    with pytest.raises(NotFoundError):
        await superadmin.call("WebhookService/ListWebhookDeliveries", {"webhookId": webhook["id"]}, via)

    rotated = await owner.call("WebhookService/RotateWebhookSecret", {"id": webhook["id"], "overlapSeconds": 60}, via)
    assert rotated["secret"] != secret
    until = datetime.fromisoformat(rotated["webhook"]["previousSecretUntil"])
    assert timedelta(0) < until - datetime.now(UTC) <= timedelta(seconds=60)
    entries = await pool.fetch("SELECT detail FROM audit_log WHERE target = $1", f"webhooks/{webhook['id']}")
    assert entries
    assert all("token" not in entry["detail"] and "whsec" not in entry["detail"] for entry in entries)
    await owner.call("WebhookService/DeleteWebhook", {"id": webhook["id"]}, via)
    assert not (await owner.call("WebhookService/ListWebhooks", {}, via)).get("webhooks")


async def test_those_of_the_installation_are_for_superadmins(new_user: NewUser, via: Transport) -> None:
    admin, first, second = await new_user("admin"), await new_user("superadmin"), await new_user("superadmin")
    with pytest.raises(PermissionDeniedError):
        await create(admin, via, isInstallation=True)
    with pytest.raises(PermissionDeniedError):
        await admin.call("WebhookService/ListWebhooks", {"ofInstallation": True}, via)
    with pytest.raises(ValidationFailedError, match="audit entries are for webhooks of the installation"):
        await create(first, via, eventTypes=[AUDIT_ENTRY])
    made = (await create(first, via, isInstallation=True, eventTypes=[AUDIT_ENTRY]))["webhook"]
    assert not (await first.call("WebhookService/ListWebhooks", {}, via)).get("webhooks")
    listed = await second.call("WebhookService/ListWebhooks", {"ofInstallation": True}, via)
    assert [each for each in listed["webhooks"] if each["id"] == made["id"]] == [made]
    change = {"id": made["id"], "webhook": made | {"description": "SIEM"}, "updateMask": "description,isInstallation"}
    changed = await second.call("WebhookService/UpdateWebhook", change, via)
    assert (changed["description"], changed["userId"]) == ("SIEM", second.user_id)
    change["webhook"]["isInstallation"] = False
    with pytest.raises(ValidationFailedError):
        await second.call("WebhookService/UpdateWebhook", change, via)
    with pytest.raises(NotFoundError):
        await admin.call("WebhookService/GetWebhook", {"id": made["id"]}, via)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"url": "http://127.0.0.1/hook"}, "private, loopback or reserved"),
        ({"url": "http://169.254.169.254/latest"}, "link-local, metadata"),
        ({"url": "http://metadata.google.internal/"}, "cloud metadata service"),
        ({"url": "ftp://example.org/"}, "begins with http"),
        ({"url": "https://a:b@example.org/"}, "user name or password"),
        ({"url": "https://example.org:22/"}, "port 22"),
        ({"eventTypes": []}, "at least one type"),
    ],
)
async def test_what_no_webhook_may_be(owner: Client, values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationFailedError, match=message):
        await create(owner, "grpc", **values)


async def test_a_person_has_a_limited_number(new_user: NewUser, pool: asyncpg.Pool) -> None:
    owner = await new_user()
    for _ in range(LIMIT):
        await make.webhook(pool, user_id=owner.user_id)
    with pytest.raises(ValidationFailedError, match=f"there are {LIMIT} already"):
        await create(owner, "grpc")


async def test_a_delivery_is_tested_listed_and_replayed(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> None:
    owner, other = await new_user(), await new_user()
    webhook = (await create(owner, via))["webhook"]
    of = {"id": webhook["id"]}
    sent = await owner.call("WebhookService/TestWebhook", of, via)
    assert (sent["eventType"], sent["status"]) == ("WEBHOOK_EVENT_TYPE_TEST", "WEBHOOK_DELIVERY_STATUS_PENDING")
    assert not sent.get("payload"), "nothing was sent yet"
    jobs = await pool.fetch("SELECT status FROM background_jobs WHERE kind = 'webhooks.deliver'")
    assert {"pending", "running"} & {job["status"] for job in jobs}
    values = {"status": "failed", "attempts": 10, "response_status": 500, "error": "It answered with status 500."}
    failed = await make.webhook_delivery(pool, webhook_id=webhook["id"], event_type="run_completed", **values)
    listed = await owner.call("WebhookService/ListWebhookDeliveries", {"webhookId": webhook["id"], "pageSize": 1}, via)
    assert [each["id"] for each in listed["deliveries"]] == [str(failed["id"])]
    assert json.loads(listed["deliveries"][0]["payload"])["type"] == "run.completed"
    assert listed["nextPageToken"]
    only = {"webhookId": webhook["id"], "status": "WEBHOOK_DELIVERY_STATUS_PENDING"}
    listed = await owner.call("WebhookService/ListWebhookDeliveries", only, via)
    assert [each["id"] for each in listed["deliveries"]] == [sent["id"]]

    await pool.execute(
        "UPDATE webhooks SET held_until = now() + interval '1 hour', failures = 3, failing_since = now() WHERE id = $1",
        int(webhook["id"]),
    )
    with pytest.raises(NotFoundError):
        await other.call("WebhookService/ReplayWebhookDelivery", {"id": failed["id"]}, via)
    replayed = await owner.call("WebhookService/ReplayWebhookDelivery", {"id": failed["id"]}, via)
    assert (replayed["status"], replayed.get("attempts", 0)) == ("WEBHOOK_DELIVERY_STATUS_PENDING", 0)
    assert not await pool.fetchval("SELECT held_until FROM webhooks WHERE id = $1", int(webhook["id"]))

    disable = of | {"webhook": {"isEnabled": False}, "updateMask": "isEnabled"}
    await owner.call("WebhookService/UpdateWebhook", disable, via)
    for method, request in (("TestWebhook", of), ("ReplayWebhookDelivery", {"id": failed["id"]})):
        with pytest.raises(ValidationFailedError, match="enable it first"):
            await owner.call(f"WebhookService/{method}", request, via)
    await pool.execute("UPDATE webhooks SET disabled_reason = 'x' WHERE id = $1", int(webhook["id"]))
    enabled = await owner.call(
        "WebhookService/UpdateWebhook", of | {"webhook": {"isEnabled": True}, "updateMask": "isEnabled"}, via
    )
    assert (enabled["isEnabled"], enabled.get("disabledReason", ""), enabled.get("failingSince")) == (True, "", None)


async def test_old_deliveries_are_deleted(gateway: Gateway, pool: asyncpg.Pool) -> None:
    webhook = (await make.webhook(pool))["id"]
    old = datetime.now(UTC) - timedelta(days=31)
    await make.webhook_delivery(pool, webhook_id=webhook, creation_date=old)
    kept = await make.webhook_delivery(pool, webhook_id=webhook)
    assert await DeliveryExpiry(gateway.parts.dependencies.database, 30).sweep() >= 1
    assert await pool.fetchval("SELECT id FROM webhook_deliveries WHERE webhook_id = $1", webhook) == kept["id"]
