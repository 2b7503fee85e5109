"""Memberships of one person that several sources change at the same time."""

import asyncio

import asyncpg
import pytest_asyncio

from tests.drivers.client import Client
from tests.drivers.locks import waits_for
from tests.drivers.scim import ScimCaller, scim_caller
from tests.factories.world import name


@pytest_asyncio.fixture(loop_scope="session")
async def scim(owner: Client) -> ScimCaller:
    return await scim_caller(owner, f"c{name()}")


async def account(pool: asyncpg.Pool, resource_id: str) -> asyncpg.Record:
    query = "SELECT users.* FROM users JOIN scim_users AS s ON s.user_id = users.id WHERE s.id = $1"
    found = await pool.fetchrow(query, resource_id)
    assert found is not None
    return found


async def test_a_member_is_added_by_hand_while_scim_removes_them(
    scim: ScimCaller, owner: Client, pool: asyncpg.Pool
) -> None:
    person = await scim.user(name())
    made = await scim.group(name(), person["id"])
    row = await account(pool, person["id"])
    group = await pool.fetchrow("SELECT * FROM groups WHERE name = $1", row["groups"][0])
    assert group is not None
    async with pool.acquire() as connection:
        removal = connection.transaction()
        await removal.start()
        # What a removal has done before it is committed.
        await connection.execute("SELECT FROM users WHERE id = $1 FOR UPDATE", row["id"])
        await connection.execute("DELETE FROM group_members WHERE user_id = $1", row["id"])
        await connection.execute("UPDATE users SET groups = groups WHERE id = $1", row["id"])
        request = {"id": group["id"], "userIds": [row["id"]]}
        addition = asyncio.create_task(owner.call("GroupService/AddGroupMembers", request))
        await waits_for(pool, connection.get_server_pid(), addition)
        await removal.commit()
    await addition
    assert (await account(pool, person["id"]))["groups"] == [group["name"]]
    sources = await pool.fetch("SELECT source FROM group_members WHERE user_id = $1", row["id"])
    assert [each["source"] for each in sources] == ["manual"]
    assert await scim.members(made["id"]) == set()


async def test_a_user_who_is_removed_meanwhile_becomes_no_member(scim: ScimCaller, pool: asyncpg.Pool) -> None:
    person, made = await scim.user(name()), await scim.group(name())
    row = await account(pool, person["id"])
    async with pool.acquire() as connection:
        removal = connection.transaction()
        await removal.start()
        await connection.execute("SELECT FROM users WHERE id = $1 FOR UPDATE", row["id"])
        await connection.execute("UPDATE scim_users SET deleted_date = now() WHERE user_id = $1", row["id"])
        operation = {"op": "add", "path": "members", "value": [{"value": person["id"]}]}
        addition = asyncio.create_task(scim.patch(f"/Groups/{made['id']}", operation))
        await waits_for(pool, connection.get_server_pid(), addition)
        await removal.commit()
    assert (await addition).status == 400
    assert await pool.fetchval("SELECT count(*) FROM group_members WHERE user_id = $1", row["id"]) == 0
