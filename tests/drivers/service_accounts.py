"""Service accounts, as their managers make and change them."""

from typing import Any

from echomind_lib.errors import (
    UnauthenticatedError,
)
from tests.drivers.client import Client, Transport
from tests.factories.world import name

GROUPS, ACCOUNTS = "GroupService", "ServiceAccountService"


async def new_group(owner: Client, *members: Client, admins: int = 1) -> dict[str, Any]:
    """Returns a group with members, the first of whom are its admins."""
    made = await owner.call(f"{GROUPS}/CreateGroup", {"group": {"name": name()}})
    if members:
        ids = [member.user_id for member in members]
        await owner.call(f"{GROUPS}/AddGroupMembers", {"id": made["id"], "userIds": ids})
        for member in members[:admins]:
            request = {"id": made["id"], "userId": member.user_id, "isAdmin": True}
            await owner.call(f"{GROUPS}/SetGroupAdmin", request)
    return made


async def create_account(
    caller: Client, group: dict[str, Any], via: Transport = "rest", **fields: Any
) -> dict[str, Any]:
    account = {"name": name(), "ownerGroupId": group["id"]} | fields
    return await caller.call(f"{ACCOUNTS}/CreateServiceAccount", {"serviceAccount": account}, via)


async def update_account(
    caller: Client, account: dict[str, Any], via: Transport = "rest", **fields: Any
) -> dict[str, Any]:
    request = {"id": account["id"], "serviceAccount": fields, "updateMask": ",".join(fields)}
    return await caller.call(f"{ACCOUNTS}/UpdateServiceAccount", request, via)


async def program(caller: Client, account: dict[str, Any], **fields: Any) -> tuple[Client, int]:
    """Returns a client with a new key of a service account, and the key's id."""
    made = await caller.call(f"{ACCOUNTS}/CreateServiceAccountKey", {"id": account["id"], "name": name()} | fields)
    return caller.as_(made["secret"], account["id"]), made["apiKey"]["id"]


async def is_valid(client: Client) -> bool:
    try:
        await client.call("UserService/GetCurrentUser")
    except UnauthenticatedError:
        return False
    return True
