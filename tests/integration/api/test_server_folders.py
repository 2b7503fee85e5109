"""Connectors that read a folder of the server: syncs remove what is not in it, so nothing else may get there."""

import asyncpg
import pytest

from echomind_lib.errors import ValidationFailedError
from tests.drivers.client import Client
from tests.drivers.uploads import upload
from tests.factories import rows
from tests.factories.world import name

MOVE = "DocumentService/MoveDocuments"


async def folder_connector(pool: asyncpg.Pool, user_id: int | None) -> str:
    values = {"user_id": user_id, "type": "file", "config": {"folder": "/srv/handbooks"}, "name": name()}
    return str((await rows.connector(pool, **values))["id"])


async def test_nothing_is_uploaded_to_a_folder_of_the_server(owner: Client, pool: asyncpg.Pool) -> None:
    connector_id = await folder_connector(pool, owner.user_id)
    shown = await owner.call("ConnectorService/GetConnector", {"id": connector_id})
    for named in (shown["name"], connector_id):
        with pytest.raises(ValidationFailedError, match="takes no uploads"):
            await upload(owner, ("new.txt", b"new"), fields={"connector": named})
    assert await pool.fetchval("SELECT count(*) FROM documents WHERE connector_id = $1", int(connector_id)) == 0


async def test_nothing_is_moved_to_or_from_a_folder_of_the_server(owner: Client, pool: asyncpg.Pool) -> None:
    connector_id = int(await folder_connector(pool, owner.user_id))
    (uploaded,) = await upload(owner, ("new.txt", b"new"), fields={"connector": name()})
    await pool.execute("UPDATE documents SET status = 'completed' WHERE id = $1", int(uploaded["id"]))
    synced = await rows.document(pool, connector_id=connector_id, status="completed")
    with pytest.raises(ValidationFailedError, match="no connector of uploads"):
        await owner.call(MOVE, {"selection": {"ids": [uploaded["id"]]}, "connectorId": connector_id})
    target = uploaded["connectorId"]
    moved = await owner.call(MOVE, {"selection": {"ids": [synced["id"]]}, "connectorId": target})
    assert not moved.get("documents")
    query = "SELECT id, connector_id FROM documents WHERE id = ANY($1)"
    found = await pool.fetch(query, [int(uploaded["id"]), synced["id"]])
    places = {row["id"]: row["connector_id"] for row in found}
    assert places == {int(uploaded["id"]): target, synced["id"]: connector_id}
