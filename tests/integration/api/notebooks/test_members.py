"""Members of notebooks: people and groups."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing

import asyncpg
import pytest

from echomind_lib.errors import (
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from tests.drivers.client import METHODS, Client
from tests.drivers.gateway import NewUser
from tests.drivers.leftovers import marker
from tests.drivers.notebook_room import Room, document


async def test_a_notebook_always_has_an_owner(room: Room) -> None:
    owner = room.people["owner"].user_id
    with pytest.raises(ValidationFailedError, match="needs an owner"):
        await room.call("owner", "RemoveNotebookMember", userId=owner)
    with pytest.raises(ValidationFailedError, match="needs an owner"):
        await room.call("owner", "SetNotebookMember", userId=owner, role="NOTEBOOK_ROLE_VIEWER")
    await room.call("viewer", "RemoveNotebookMember", userId=room.people["viewer"].user_id)
    with pytest.raises(PermissionDeniedError):
        await room.call("editor", "RemoveNotebookMember", userId=owner)
    editor = room.people["editor"].user_id
    await room.call("owner", "SetNotebookMember", userId=editor, role="NOTEBOOK_ROLE_OWNER")
    await room.call("owner", "RemoveNotebookMember", userId=owner)
    members = (await room.call("editor", "ListNotebookMembers"))["members"]
    assert [(each["userId"], each["role"]) for each in members] == [(editor, "NOTEBOOK_ROLE_OWNER")]


@pytest.mark.parametrize("via", ["grpc"])
async def test_a_notebook_outlives_the_account_that_began_it(room: Room, owner: Client) -> None:
    kept = await room.ask("viewer")
    await owner.call("UserService/PurgeUser", {"id": room.people["owner"].user_id})
    assert set(await room.seen("viewer")) == {kept}
    members = (await room.call("viewer", "ListNotebookMembers"))["members"]
    assert {each["userId"]: each["role"] for each in members}[owner.user_id] == "NOTEBOOK_ROLE_OWNER"


async def group_of(pool: asyncpg.Pool, owner: Client, people: Sequence[Client], name: str) -> int:
    """Makes a group with people; returns its id."""
    made: int = (await owner.call("GroupService/CreateGroup", {"group": {"name": name}}))["id"]
    if people:
        await owner.call("GroupService/AddGroupMembers", {"id": made, "userIds": [each.user_id for each in people]})
    return made


async def test_the_people_of_a_group_are_members_while_they_are_in_it(
    room: Room, pool: asyncpg.Pool, owner: Client
) -> None:
    name, stranger = marker(), room.people["stranger"]
    group = await group_of(pool, owner, [stranger, room.people["owner"]], name)
    added = await room.call("owner", "SetNotebookGroup", groupId=group, role="NOTEBOOK_ROLE_VIEWER")
    assert (added["name"], added["memberCount"], added["role"]) == (name, 2, "NOTEBOOK_ROLE_VIEWER")

    read = await room.call("stranger", "GetNotebook")
    assert (read["role"], read["memberCount"]) == ("NOTEBOOK_ROLE_VIEWER", 4)
    listed = await stranger.call("NotebookService/ListNotebooks", {}, room.via)
    assert [(each["id"], each["role"]) for each in listed["notebooks"]] == [(room.id, "NOTEBOOK_ROLE_VIEWER")]
    # Who is a member in two ways has the higher role, and stands once in the list.
    assert (await room.call("owner", "GetNotebook"))["role"] == "NOTEBOOK_ROLE_OWNER"
    mine = await room.people["owner"].call("NotebookService/ListNotebooks", {}, room.via)
    assert [each["id"] for each in mine["notebooks"]] == [room.id]
    session = await room.ask("stranger")
    assert session in await room.seen("viewer")
    assert len(await room.seen("stranger")) == 1
    note = {"notebookId": room.id, "note": {"title": "T", "content": "x"}}
    await stranger.call("NotebookNoteService/CreateNotebookNote", note, room.via)
    with pytest.raises(PermissionDeniedError):
        await room.call("stranger", "UpdateNotebook", notebook={"title": "X"}, updateMask="title")
    await room.call("owner", "SetNotebookGroup", groupId=group, role="NOTEBOOK_ROLE_EDITOR")
    await room.call("stranger", "UpdateNotebook", notebook={"title": "X"}, updateMask="title")
    for manage in ("SetNotebookGroup", "RemoveNotebookGroup"):
        role = {"role": "NOTEBOOK_ROLE_EDITOR"} if manage == "SetNotebookGroup" else {}
        with pytest.raises(PermissionDeniedError):
            await room.call("stranger", manage, groupId=group, **role)

    # Nobody leaves a group by leaving the notebook.
    with pytest.raises(ValidationFailedError, match=f"through the group {name}"):
        await room.call("stranger", "RemoveNotebookMember", userId=stranger.user_id)
    await owner.call("GroupService/RemoveGroupMembers", {"id": group, "userIds": [stranger.user_id]})
    with pytest.raises(NotFoundError):
        await room.call("stranger", "GetNotebook")
    with pytest.raises(NotFoundError):
        await room.ask("stranger")
    with pytest.raises(NotFoundError):
        await room.call("stranger", "ListNotebookSessions")
    assert not (await stranger.call("NotebookService/ListNotebooks", {}, room.via)).get("notebooks")

    await owner.call("GroupService/AddGroupMembers", {"id": group, "userIds": [stranger.user_id]})
    await room.call("stranger", "GetNotebook")
    await room.call("owner", "RemoveNotebookGroup", groupId=group)
    with pytest.raises(NotFoundError):
        await room.call("stranger", "GetNotebook")
    with pytest.raises(NotFoundError):
        await room.call("owner", "RemoveNotebookGroup", groupId=group)
    assert not (await room.call("owner", "ListNotebookMembers")).get("groups")


async def test_an_owner_adds_their_own_groups_and_a_superadmin_every_group(
    room: Room, pool: asyncpg.Pool, owner: Client, new_user: NewUser
) -> None:
    group = await group_of(pool, owner, [room.people["stranger"]], marker())
    for unknown in (group, 30_000):
        with pytest.raises(NotFoundError):
            await room.call("owner", "SetNotebookGroup", groupId=unknown, role="NOTEBOOK_ROLE_VIEWER")
    with pytest.raises(NotFoundError):
        await room.call("stranger", "SetNotebookGroup", groupId=group, role="NOTEBOOK_ROLE_VIEWER")
    room.people["root"] = await new_user("superadmin")
    email = await pool.fetchval("SELECT email FROM users WHERE id = $1", room.people["root"].user_id)
    await room.call("owner", "SetNotebookMember", userName=email, role="NOTEBOOK_ROLE_OWNER")
    with pytest.raises(ValidationFailedError, match="only people own"):
        await room.call("root", "SetNotebookGroup", groupId=group, role="NOTEBOOK_ROLE_OWNER")
    await room.call("root", "SetNotebookGroup", groupId=group, role="NOTEBOOK_ROLE_VIEWER")
    # Once it is in the notebook, every owner may change its role.
    await room.call("owner", "SetNotebookGroup", groupId=group, role="NOTEBOOK_ROLE_EDITOR")
    (listed,) = (await room.call("viewer", "ListNotebookMembers"))["groups"]
    assert (listed["groupId"], listed["role"]) == (group, "NOTEBOOK_ROLE_EDITOR")
    await owner.call("GroupService/DeleteGroup", {"id": group})
    assert not (await room.call("viewer", "ListNotebookMembers")).get("groups")


async def test_a_question_is_published_to_the_open_pages_of_the_people_of_a_group(
    room: Room, pool: asyncpg.Pool, owner: Client
) -> None:
    stranger = room.people["stranger"]
    group = await group_of(pool, owner, [stranger, room.people["owner"]], marker())
    await room.call("owner", "SetNotebookGroup", groupId=group, role="NOTEBOOK_ROLE_VIEWER")
    method = METHODS["UserService/StreamUserEvents"]
    transport = stranger.grpc() if room.via == "grpc" else stranger.rest()
    async with aclosing(transport.stream(method, {})) as events:
        await anext(events)
        await room.ask("editor")

        async def announced() -> None:
            async for event in events:
                if room.id in str(event) and "NOTEBOOK" in str(event):
                    return

        await asyncio.wait_for(announced(), 60)


async def test_editors_see_which_group_cannot_read_a_source(
    room: Room, pool: asyncpg.Pool, owner: Client, new_user: NewUser
) -> None:
    readers, name = marker(), marker()
    room.people["admin"] = await new_user("admin", groups=(readers,))
    admin = room.people["admin"].user_id
    email = await pool.fetchval("SELECT email FROM users WHERE id = $1", admin)
    await room.call("owner", "SetNotebookMember", userName=email, role="NOTEBOOK_ROLE_EDITOR")
    group = await group_of(pool, owner, [room.people["stranger"], room.people["owner"]], name)
    everybody = [room.people[role].user_id for role in ("owner", "editor", "viewer")]
    await pool.execute("UPDATE users SET groups = groups || $1 WHERE id = ANY($2)", [readers], everybody)
    await room.call("owner", "SetNotebookGroup", groupId=group, role="NOTEBOOK_ROLE_VIEWER")
    private = await document(pool, admin, "user")
    (source,) = (await room.call("admin", "AddNotebookSources", documentIds=[private]))["sources"]
    assert source["unreadableByGroups"] == [group]
    # The group of the readers has all who are members by themselves, and not the people of the other group.
    assert source.get("accessScope", "SCOPE_UNSPECIFIED") == "SCOPE_UNSPECIFIED"
    connector = await pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", private)
    await pool.execute("UPDATE connectors SET scope = 'group', scope_id = $2 WHERE id = $1", connector, readers)
    (source,) = (await room.call("editor", "ListNotebookSources"))["sources"]
    assert (source.get("unreadableBy", []), source["unreadableByGroups"]) == ([], [group])
    (source,) = (await room.call("viewer", "ListNotebookSources"))["sources"]
    assert not source.get("unreadableByGroups")
    await pool.execute(
        "UPDATE users SET groups = groups || $1 WHERE id = $2", [readers], room.people["stranger"].user_id
    )
    (source,) = (await room.call("editor", "ListNotebookSources"))["sources"]
    assert not source.get("unreadableByGroups")
