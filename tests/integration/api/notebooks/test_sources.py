"""Sources of notebooks: who reads them, how far they are read, and access given to members."""

import asyncpg
import pytest

from echomind_lib.errors import (
    DocumentNotReadyError,
    NotFoundError,
    PermissionDeniedError,
)
from tests.drivers.gateway import NewUser
from tests.drivers.leftovers import marker
from tests.drivers.notebook_room import Room, document
from tests.factories import rows as make


async def test_a_source_that_a_member_may_not_read_has_no_title_for_them(room: Room, pool: asyncpg.Pool) -> None:
    shared = await document(pool, room.people["owner"].user_id)
    private = await document(pool, room.people["owner"].user_id, "user")
    added = await room.call("owner", "AddNotebookSources", documentIds=[shared, private])
    assert [each["title"] for each in added["sources"]] == ["The handbook", "The handbook"]
    again = await room.call("owner", "AddNotebookSources", documentIds=[shared])
    assert len(again["sources"]) == 2
    listed = (await room.call("viewer", "ListNotebookSources"))["sources"]
    assert [(each.get("title", ""), each.get("isReadable", False)) for each in listed] == [
        ("The handbook", True),
        ("", False),
    ]
    assert "documentId" not in listed[1]
    with pytest.raises(NotFoundError):
        await room.call("editor", "AddNotebookSources", documentIds=[private])
    left = await room.call("editor", "RemoveNotebookSources", sourceIds=[listed[1]["id"]])
    assert [each["documentId"] for each in left["sources"]] == [str(shared)]


async def test_sources_say_how_far_they_are_read(room: Room, pool: asyncpg.Pool) -> None:
    owner = room.people["owner"].user_id
    shared = (await make.connector(pool, user_id=owner, scope="org", status="error", status_message="It is down."))[
        "id"
    ]
    for status in ("completed", "completed", "failed", "pending"):
        await make.document(pool, connector_id=shared, status=status)
    failed = await document(pool, owner)
    await pool.execute("UPDATE documents SET status = 'failed', status_message = 'It is empty.' WHERE id = $1", failed)
    added = await room.call("editor", "AddNotebookSources", connectorIds=[shared], documentIds=[failed])
    whole, single = added["sources"]
    assert (whole["documents"], whole["documentsReady"], whole["documentsFailed"]) == (4, 2, 1)
    assert whole["statusMessage"] == "It is down."
    assert (single["documents"], single["documentsFailed"], single["statusMessage"]) == (1, 1, "It is empty.")


async def test_editors_see_who_cannot_read_a_source_and_give_access_where_they_may(
    room: Room, pool: asyncpg.Pool, new_user: NewUser
) -> None:
    group = marker()
    room.people["admin"] = await new_user("admin", groups=(group,))
    admin, owner, editor, viewer = (room.people[role].user_id for role in ("admin", "owner", "editor", "viewer"))
    email = await pool.fetchval("SELECT email FROM users WHERE id = $1", admin)
    await room.call("owner", "SetNotebookMember", userName=email, role="NOTEBOOK_ROLE_EDITOR")
    private = (await make.connector(pool, user_id=admin, type="file", scope="user"))["id"]
    note = (await make.document(pool, connector_id=private, title="Note", source_id=f"{room.id}/note.md"))["id"]
    collection = (await make.connector(pool, user_id=admin, type="file", scope="user"))["id"]
    await make.document(pool, connector_id=collection)
    sources = (await room.call("admin", "AddNotebookSources", connectorIds=[collection], documentIds=[note]))["sources"]
    ids = [source["id"] for source in sources]
    assert all(source["unreadableBy"] == [owner, editor, viewer] for source in sources)
    assert not any(source.get("accessScope") for source in sources), "no group has all members"
    for source in (await room.call("editor", "ListNotebookSources"))["sources"]:
        assert source["unreadableBy"] == [owner, editor, viewer]
        assert not source.get("title")
    for source in (await room.call("viewer", "ListNotebookSources"))["sources"]:
        assert not source.get("unreadableBy"), "only editors see it"
    with pytest.raises(PermissionDeniedError):
        await room.call("admin", "GiveNotebookAccess", sourceIds=ids)

    await pool.execute("UPDATE users SET groups = ARRAY[$1] WHERE id = ANY($2)", group, [owner, editor, viewer])
    listed = (await room.call("admin", "ListNotebookSources"))["sources"]
    assert {(source["accessScope"], source["accessGroup"]) for source in listed} == {("SCOPE_GROUP", group)}
    listed = (await room.call("owner", "ListNotebookSources"))["sources"]
    assert not any(source.get("accessScope") for source in listed), "who does not manage it cannot give access"
    with pytest.raises(NotFoundError):
        await room.call("admin", "GiveNotebookAccess", sourceIds=[*ids, "999999999"])
    with pytest.raises(PermissionDeniedError):
        await room.call("editor", "GiveNotebookAccess", sourceIds=ids)
    with pytest.raises(DocumentNotReadyError):
        await room.call("admin", "GiveNotebookAccess", sourceIds=[ids[1]])
    await pool.execute("UPDATE documents SET status = 'completed' WHERE id = $1", note)
    given = (await room.call("admin", "GiveNotebookAccess", sourceIds=ids))["sources"]
    assert [source.get("unreadableBy", []) for source in given] == [[], []]
    scopes = "SELECT concat(scope, ' ', scope_id) FROM connectors WHERE id = $1"
    assert await pool.fetchval(scopes, collection) == f"group {group}"
    assert await pool.fetchval(scopes, private) == "user ", "the other files stay private"
    moved = "SELECT connector.scope_id FROM documents JOIN connectors AS connector ON connector.id = connector_id"
    assert await pool.fetchval(f"{moved} WHERE documents.id = $1", note) == group


async def test_a_superadmin_gives_access_to_everyone_where_no_group_has_all_members(
    room: Room, pool: asyncpg.Pool, new_user: NewUser
) -> None:
    room.people["root"] = await new_user("superadmin")
    root = room.people["root"].user_id
    email = await pool.fetchval("SELECT email FROM users WHERE id = $1", root)
    await room.call("owner", "SetNotebookMember", userName=email, role="NOTEBOOK_ROLE_EDITOR")
    own, of_source = [
        (await make.connector(pool, user_id=root, type="web", scope="user", permission_mode=mode))["id"]
        for mode in ("scope", "source")
    ]
    listed = (await room.call("root", "AddNotebookSources", connectorIds=[own, of_source]))["sources"]
    assert [source.get("accessScope") for source in listed] == ["SCOPE_ORG", None]
    await room.call("root", "GiveNotebookAccess", sourceIds=[listed[0]["id"]])
    assert await pool.fetchval("SELECT scope FROM connectors WHERE id = $1", own) == "org"
    with pytest.raises(PermissionDeniedError):
        await room.call("root", "GiveNotebookAccess", sourceIds=[listed[1]["id"]])
