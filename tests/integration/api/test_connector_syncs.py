"""Visibility of syncs and their details."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from nats.aio.msg import Msg

from echomind_api.main import Gateway
from echomind_lib.config import Settings
from echomind_lib.jobs import SCHEDULE_SYNCS
from tests.drivers.client import Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows

PAST = datetime(2026, 1, 1, tzinfo=UTC)


async def test_the_sync_of_a_new_connector_begins_at_once(
    new_user: NewUser, gateway: Gateway, api_settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(api_settings.connectors, "folders", str(tmp_path))
    dependencies, boss, woken = gateway.parts.dependencies, await new_user("superadmin"), asyncio.Event()

    async def note(_: Msg) -> None:
        woken.set()

    connector = {"name": "Books at once", "typeName": "file", "config": {"folder": str(tmp_path)}}
    async with await dependencies.bus.subscribe(SCHEDULE_SYNCS.subject, note):
        await boss.call("ConnectorService/CreateConnector", {"connector": connector})
        async with asyncio.timeout(30):
            await woken.wait()
    find = "SELECT status FROM background_jobs WHERE kind = $1 AND run_after <= now()"
    assert await dependencies.database.pool.fetchval(find, SCHEDULE_SYNCS.name) == "pending"


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
