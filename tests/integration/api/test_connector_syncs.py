"""Visibility of syncs and their details."""

import json

from echomind_api.main import Gateway
from tests.drivers.client import Transport
from tests.drivers.gateway import NewUser
from tests.factories import rows


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
