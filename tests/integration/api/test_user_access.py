"""What a superadmin is shown of a person's access is what that person's own calls return."""

from typing import Any

import asyncpg
import pytest

from echomind_lib.errors import NotFoundError, PermissionDeniedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.factories.permissions.rows import OWNERSHIPS, ROLES
from tests.factories.world import World

OWN = {
    "ACCESS_KIND_CONNECTOR": ("ConnectorService/ListConnectors", "connectors"),
    "ACCESS_KIND_DOCUMENT": ("DocumentService/ListDocuments", "documents"),
    "ACCESS_KIND_ASSISTANT": ("AssistantService/ListAssistants", "assistants"),
    "ACCESS_KIND_NOTEBOOK": ("NotebookService/ListNotebooks", "notebooks"),
    "ACCESS_KIND_KNOWLEDGE": ("KnowledgeService/ListKnowledge", "knowledge"),
}


PAGES, PAGE_SIZE = 3, 200
"""What is compared at most: superadmins are listed what all other tests have made, too."""


async def pages(client: Client, method: str, field: str, request: dict[str, Any], via: Transport) -> list[Any]:
    """Returns the items of the first pages of a list."""
    found: list[Any] = []
    token = ""
    for _ in range(PAGES):
        answer = await client.call(method, request | {"pageSize": PAGE_SIZE, "pageToken": token}, via)
        found += answer.get(field, [])
        token = answer.get("nextPageToken", "")
        if not token:
            break
    return found


@pytest.mark.parametrize("role", ROLES)
async def test_it_equals_what_the_person_is_listed(
    owner: Client, new_user: NewUser, world: World, pool: asyncpg.Pool, via: Transport, role: str
) -> None:
    person = await new_user(role, ("matrix",))
    for ownership in OWNERSHIPS:
        await world.connector(ownership, person)
        await world.document(ownership, person)
        await world.assistant(ownership, person)
        await world.notebook("own" if ownership == "group" else ownership, person)
    user_id = person.user_id
    for kind, (method, field) in OWN.items():
        own = await pages(person, method, field, {}, via)
        recorded = await pool.fetchval("SELECT count(*) FROM audit_log WHERE actor_id = $1", user_id)
        request = {"id": user_id, "kind": kind}
        shown = await pages(owner, "UserService/ListUserAccess", "items", request, via)
        expected = [(str(each["id"]), each.get("title") or each.get("name", "")) for each in own]
        assert [(each["id"], each.get("name", "")) for each in shown] == expected, kind
        assert kind == "ACCESS_KIND_KNOWLEDGE" or shown, kind
        # The trail never names the person for what a superadmin has looked at.
        assert await pool.fetchval("SELECT count(*) FROM audit_log WHERE actor_id = $1", user_id) == recorded
    audited = await pool.fetch(
        "SELECT detail FROM audit_log WHERE action = 'UserService/ListUserAccess' AND target = $1 AND actor_id = 1",
        f"users/{user_id}",
    )
    assert {f"ACCESS_KIND_{each['detail']['access'].upper()}" for each in audited} == OWN.keys()


async def test_only_superadmins_look_and_a_deactivated_person_sees_nothing(
    owner: Client, new_user: NewUser, world: World, via: Transport
) -> None:
    person, admin = await new_user("user"), await new_user("admin")
    await world.connector("own", person)
    request = {"id": person.user_id, "kind": "ACCESS_KIND_CONNECTOR"}
    for other in (person, admin):
        with pytest.raises(PermissionDeniedError):
            await other.call("UserService/ListUserAccess", request, via)
    with pytest.raises(NotFoundError):
        await owner.call("UserService/ListUserAccess", request | {"id": 2**31 - 1}, via)
    assert (await owner.call("UserService/ListUserAccess", request, via))["items"]
    change = {"id": person.user_id, "user": {"isActive": False}, "updateMask": "isActive"}
    await owner.call("UserService/UpdateUser", change, via)
    assert not (await owner.call("UserService/ListUserAccess", request, via)).get("items")
