"""Visibility of syncs and their details."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from echomind_api.main import Gateway
from tests.drivers.client import Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows

PAST = datetime(2026, 1, 1, tzinfo=UTC)


async def test_where_a_sync_began_and_ended_is_shown_to_who_manages_the_connector(
    new_user: NewUser, gateway: Gateway, via: Transport
) -> None:
    pool = gateway.parts.dependencies.database.pool
    boss, alice = await new_user("superadmin"), await new_user()
    connector = (await rows.connector(pool, scope="org", user_id=boss.user_id))["id"]
    cursors = {"cursor_before": {"after": "a"}, "cursor_after": {"after": "b"}}
    sync = (await rows.connector_sync(pool, connector_id=connector, kind="incremental", **cursors))["id"]
    found = await boss.call("ConnectorSyncService/GetConnectorSync", {"id": sync}, via)
    assert [json.loads(found[name]) for name in ("cursorAtBegin", "cursorAtEnd")] == [{"after": "a"}, {"after": "b"}]
    for person, method, request in (
        (alice, "GetConnectorSync", {"id": sync}),
        (boss, "ListConnectorSyncs", {"connectorId": connector}),
    ):
        assert "after" not in json.dumps(await person.call(f"ConnectorSyncService/{method}", request, via))


@pytest.mark.parametrize(
    ("connector_values", "ended", "status", "message"),
    [
        ({"sync_failures": 1}, [("completed", None), ("failed", "It is away.")], "ERROR", "It is away."),
        ({"last_sync_at": PAST}, [("failed", "It is away."), ("completed", None)], "ACTIVE", ""),
        ({"last_sync_at": PAST}, [("needs_attention", "It read nothing.")], "NEEDS_ATTENTION", "It read nothing."),
        # Its settings were changed after the failure.
        ({}, [("failed", "It is away.")], "PENDING", ""),
    ],
)
async def test_a_cancelled_sync_leaves_the_status_of_the_one_before(
    new_user: NewUser,
    gateway: Gateway,
    connector_values: dict[str, Any],
    ended: list[tuple[str, str | None]],
    status: str,
    message: str,
) -> None:
    pool = gateway.parts.dependencies.database.pool
    boss = await new_user("superadmin")
    connector = await rows.connector(pool, scope="org", user_id=boss.user_id, status="syncing", **connector_values)
    for outcome, reason in ended:
        column = "error" if outcome == "failed" else "warning"
        await rows.connector_sync(pool, connector_id=connector["id"], status=outcome, **{column: reason})
    await rows.connector_sync(pool, connector_id=connector["id"], status="running")
    await boss.call("ConnectorSyncService/CancelConnectorSync", {"id": connector["id"]})
    shown = await boss.call("ConnectorService/GetConnector", {"id": connector["id"]})
    assert (shown["status"], shown.get("statusMessage", "")) == (f"CONNECTOR_STATUS_{status}", message)
