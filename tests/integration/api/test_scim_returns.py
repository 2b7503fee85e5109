"""Users whom a SCIM client deletes and creates again."""

import asyncpg

from tests.drivers.client import Client
from tests.drivers.scim import ScimCaller, account
from tests.factories.world import name


async def test_who_is_created_again_has_nothing_of_before(scim: ScimCaller, owner: Client, pool: asyncpg.Pool) -> None:
    user_name = f"{name()}@example.org"
    made = await scim.user(user_name)
    group = await scim.group(name(), made["id"])
    given = await account(pool, made["id"])
    by_hand = await owner.call("GroupService/CreateGroup", {"group": {"name": name()}})
    await owner.call("GroupService/AddGroupMembers", {"id": by_hand["id"], "userIds": [given["id"]]})
    assert len((await account(pool, made["id"]))["groups"]) == 2
    assert (await scim.send("DELETE", f"/Users/{made['id']}")).status == 204
    again = await scim.user(user_name)
    found = await account(pool, again["id"])
    assert (found["id"], found["is_active"], found["groups"]) == (given["id"], True, [by_hand["name"]])
    assert await scim.members(group["id"]) == set()
    # An administrator's deactivation outlives the provider's deletion.
    change = {"id": given["id"], "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change)
    assert (await scim.send("DELETE", f"/Users/{again['id']}")).status == 204
    third = await scim.user(user_name)
    assert (await account(pool, third["id"]))["is_active"] is False
