"""Notebooks over both transports: actions of members, visibility, and lost access."""

import asyncio
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any, cast

import asyncpg
import pytest
import pytest_asyncio

from echomind_api.administration.purge import Purge
from echomind_api.conversations.access import ReadingRight
from echomind_api.main import Gateway
from echomind_api.notebooks import NotebookRemoval
from echomind_lib.access import Principal
from echomind_lib.db.database import Database
from echomind_lib.errors import (
    DependencyUnavailableError,
    DocumentNotReadyError,
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from echomind_lib.events.log import EventLog
from echomind_lib.indexes import Indexes
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from tests.drivers.client import METHODS, Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.leftovers import marker, tables_with
from tests.factories import rows as make
from tests.factories.conversations import converse


class Room:
    """A notebook with an owner, an editor and a viewer."""

    def __init__(self, pool: asyncpg.Pool, people: dict[str, Client], via: Transport) -> None:
        self.pool, self.people, self.via = pool, people, via
        self.id = ""

    async def call(self, who: str, method: str, **request: Any) -> dict[str, Any]:
        return await self.people[who].call(f"NotebookService/{method}", {"id": self.id} | request, self.via)

    async def ask(self, role: str, content: str = "How many days?") -> int:
        """Asks in a new conversation; nobody answers."""
        request = {"content": content, "notebookId": self.id}
        sent = await self.people[role].call("ChatMessageService/SendMessage", request, self.via)
        return int(sent["run"]["chatSessionId"])

    async def draw_on(self, session: int, document: int) -> None:
        """Notes that a conversation has drawn on a document."""
        connector = await self.pool.fetchval("SELECT connector_id FROM documents WHERE id = $1", document)
        given = {"chat_session_id": session, "document_id": document, "connector_id": connector}
        await make.insert(self.pool, "chat_session_sources", given)

    async def seen(self, role: str) -> dict[int, dict[str, Any]]:
        listed = await self.call(role, "ListNotebookSessions")
        return {one["chatSessionId"]: one for one in listed.get("sessions", [])}


@pytest_asyncio.fixture
async def room(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> Room:
    people = {role: await new_user() for role in ("owner", "editor", "viewer", "stranger")}
    room = Room(pool, people, via)
    request = {"notebook": {"title": "Leave", "instructions": "Be brief."}}
    made = await people["owner"].call("NotebookService/CreateNotebook", request, via)
    assert (made["role"], made["memberCount"]) == ("NOTEBOOK_ROLE_OWNER", 1)
    room.id = made["id"]
    for role in ("editor", "viewer"):
        name = await pool.fetchval("SELECT email FROM users WHERE id = $1", people[role].user_id)
        added = await room.call(
            "owner", "SetNotebookMember", userName=name.upper(), role=f"NOTEBOOK_ROLE_{role.upper()}"
        )
        assert added["userId"] == people[role].user_id
    return room


async def document(pool: asyncpg.Pool, owner: int, scope: str = "org") -> int:
    connector = await make.connector(pool, user_id=owner, type="web", scope=scope, status="active")
    found: int = (await make.document(pool, connector_id=connector["id"], title="The handbook"))["id"]
    await pool.execute("UPDATE documents SET chunking_session = uuidv7() WHERE id = $1", found)
    return found


async def test_a_source_that_a_member_may_not_read_has_no_title_for_them(room: Room, pool: asyncpg.Pool) -> None:
    shared = await document(pool, room.people["owner"].user_id)
    private = await document(pool, room.people["owner"].user_id, "user")
    added = await room.call("owner", "AddNotebookSources", documentIds=[shared, private])
    assert [one["title"] for one in added["sources"]] == ["The handbook", "The handbook"]
    again = await room.call("owner", "AddNotebookSources", documentIds=[shared])
    assert len(again["sources"]) == 2
    listed = (await room.call("viewer", "ListNotebookSources"))["sources"]
    assert [(one.get("title", ""), one.get("isReadable", False)) for one in listed] == [
        ("The handbook", True),
        ("", False),
    ]
    assert "documentId" not in listed[1]
    with pytest.raises(NotFoundError):
        await room.call("editor", "AddNotebookSources", documentIds=[private])
    left = await room.call("editor", "RemoveNotebookSources", sourceIds=[listed[1]["id"]])
    assert [one["documentId"] for one in left["sources"]] == [str(shared)]


async def test_members_see_each_others_conversations_that_they_may_read(room: Room, pool: asyncpg.Pool) -> None:
    session = await room.ask("editor")
    private = await document(pool, room.people["editor"].user_id, "user")
    viewer = room.people["viewer"]
    seen = (await room.seen("viewer"))[session]
    assert seen["chatSession"]["title"] == "How many days?"
    messages = await viewer.call("ChatMessageService/ListMessages", {"chatSessionId": session}, room.via)
    assert messages["messages"][0]["content"] == "How many days?"
    await room.draw_on(session, private)
    seen = (await room.seen("viewer"))[session]
    assert "chatSession" not in seen
    assert seen["userId"] == room.people["editor"].user_id
    assert "chatSession" in (await room.seen("editor"))[session]
    for method, request in (
        ("ChatSessionService/GetChatSession", {"id": session}),
        ("ChatSessionService/ForkChatSession", {"id": session}),
        ("ChatMessageService/ListMessages", {"chatSessionId": session}),
        ("RunService/StreamSessionEvents", {"chatSessionId": session}),
    ):
        with pytest.raises(NotFoundError):
            await viewer.call(method, request, room.via)
    # With the permission, they can read it, but not write.
    await pool.execute(
        "UPDATE connectors SET scope = 'org' WHERE id = (SELECT connector_id FROM documents WHERE id = $1)", private
    )
    assert "chatSession" in (await room.seen("viewer"))[session]
    with pytest.raises(PermissionDeniedError):
        await viewer.call("ChatMessageService/SendMessage", {"chatSessionId": session, "content": "x"}, room.via)
    with pytest.raises(NotFoundError):
        await room.people["stranger"].call("ChatSessionService/GetChatSession", {"id": session}, room.via)
    await room.call("owner", "RemoveNotebookMember", userId=viewer.user_id)
    with pytest.raises(NotFoundError):
        await viewer.call("ChatSessionService/GetChatSession", {"id": session}, room.via)


SHARED = "UPDATE connectors SET scope = 'org' WHERE id = (SELECT connector_id FROM documents WHERE id = $1)"
LOSSES = {
    "membership": "DELETE FROM notebook_members WHERE notebook_id = $1::text::bigint AND user_id = $2 AND $3 > 0",
    "right": "UPDATE connectors SET scope = 'user' WHERE $1::text <> '' AND $2 > 0"
    " AND id = (SELECT connector_id FROM documents WHERE id = $3)",
}


@pytest.mark.parametrize("role", ["owner", "editor", "viewer"])
@pytest.mark.parametrize("loss", LOSSES)
async def test_a_stream_of_events_ends_with_the_right_to_read(
    room: Room, pool: asyncpg.Pool, role: str, loss: str
) -> None:
    asker = "editor" if role != "editor" else "viewer"
    session = await room.ask(asker)
    shared = await document(pool, room.people[asker].user_id)
    await room.draw_on(session, shared)
    reader = room.people[role]
    transport = reader.grpc() if room.via == "grpc" else reader.rest()
    method = METHODS["RunService/StreamSessionEvents"]
    await pool.execute("UPDATE runs SET status = 'completed', completed_at = now() WHERE chat_session_id = $1", session)
    async with aclosing(transport.stream(method, {"chatSessionId": session})) as events:
        assert "How many days?" in str(await anext(events))
        waiting = asyncio.ensure_future(anext(events))
        await pool.execute(LOSSES[loss], room.id, reader.user_id, shared)
        name = {"id": session, "chatSession": {"title": "4711"}, "updateMask": "title"}
        await room.people[asker].call("ChatSessionService/UpdateChatSession", name, room.via)
        with pytest.raises(NotFoundError):
            await asyncio.wait_for(waiting, 20)


async def test_a_question_is_published_to_the_open_pages_of_all_members(room: Room) -> None:
    viewer = room.people["viewer"]
    method = METHODS["UserService/StreamUserEvents"]
    transport = viewer.grpc() if room.via == "grpc" else viewer.rest()
    async with aclosing(transport.stream(method, {})) as events:
        await anext(events)

        async def told() -> bool:
            async for event in events:
                if room.id in str(event) and ("NOTEBOOK" in str(event)):
                    return True
            return False

        waiting = asyncio.ensure_future(told())
        await room.ask("editor")
        assert await asyncio.wait_for(waiting, 20)


async def test_new_and_removed_conversations_are_published_to_the_open_pages_of_all_members(room: Room) -> None:
    viewer, editor = room.people["viewer"], room.people["editor"]
    method = METHODS["UserService/StreamUserEvents"]
    transport = viewer.grpc() if room.via == "grpc" else viewer.rest()
    async with aclosing(transport.stream(method, {})) as events:
        await anext(events)

        async def told() -> None:
            async for event in events:
                if "NOTEBOOK" in str(event) and room.id in str(event):
                    return

        begun = {"chatSession": {"notebookId": room.id}}
        session = {"id": (await editor.call("ChatSessionService/CreateChatSession", begun, room.via))["id"]}
        await asyncio.wait_for(told(), 20)
        for change in ("DeleteChatSession", "RestoreChatSession"):
            await editor.call(f"ChatSessionService/{change}", session, room.via)
            await asyncio.wait_for(told(), 20)


async def test_documents_from_elsewhere_are_not_attached_to_questions_in_a_notebook(
    room: Room, pool: asyncpg.Pool
) -> None:
    owner = room.people["owner"]
    inside, outside = [await document(pool, owner.user_id) for _ in range(2)]
    await room.call("owner", "AddNotebookSources", documentIds=[inside])

    async def send(who: Client, **request: Any) -> int:
        sent = await who.call("ChatMessageService/SendMessage", {"content": "Which?"} | request, room.via)
        return int(sent["run"]["chatSessionId"])

    session = await send(owner, notebookId=room.id, documentIds=[inside])
    await pool.execute("UPDATE runs SET status = 'completed', completed_at = now() WHERE chat_session_id = $1", session)
    for place in ({"notebookId": room.id}, {"chatSessionId": session}):
        with pytest.raises(ValidationFailedError, match="not a source of this notebook"):
            await send(owner, documentIds=[inside, outside], **place)
    assert await send(owner, chatSessionId=session, documentIds=[inside]) == session
    # An attachment does not reveal the notebook to a stranger.
    stranger = room.people["stranger"]
    for place in ({"notebookId": room.id}, {"chatSessionId": session}):
        with pytest.raises(NotFoundError):
            await send(stranger, documentIds=[outside], **place)


async def test_members_rate_answers_that_they_may_read(room: Room, pool: asyncpg.Pool, new_user: NewUser) -> None:
    session = await room.ask("editor")
    find = "SELECT id FROM chat_messages WHERE chat_session_id = $1 AND role = 'assistant'"
    answer = {"id": await pool.fetchval(find, session)}
    source = await document(pool, room.people["editor"].user_id)
    await make.citation(pool, chat_message_id=answer["id"], document_id=source, chunk_id="passage", number=1)
    passage = {"messageId": answer["id"], "chunkId": "passage"}
    viewer = room.people["viewer"]

    async def rate(who: Client) -> None:
        given = {"feedback": {"isPositive": True, "feedbackText": "4711"}}
        await who.call("ChatMessageService/SetFeedback", answer | given, room.via)
        await who.call("ChatMessageService/SetCitationFeedback", passage | given, room.via)

    await rate(viewer)
    mine = await viewer.call("ChatMessageService/GetMessage", answer, room.via)
    assert [mine["feedback"]["feedbackText"], mine["citations"][0]["feedback"]["feedbackText"]] == ["4711", "4711"]
    # A member's feedback is not visible to others.
    assert "4711" not in str(await room.people["editor"].call("ChatMessageService/GetMessage", answer, room.via))
    with pytest.raises(NotFoundError):
        await rate(room.people["stranger"])
    with pytest.raises(PermissionDeniedError):
        await rate(await new_user("superadmin"))
    private = await document(pool, room.people["editor"].user_id, "user")
    await room.draw_on(session, private)
    with pytest.raises(NotFoundError):
        await rate(viewer)


@pytest.mark.parametrize("via", ["grpc"])
async def test_a_right_is_asked_after_at_each_stored_event_and_once_a_second_between(
    room: Room, pool: asyncpg.Pool, gateway: Gateway
) -> None:
    session = await room.ask("editor")
    reader = Principal(room.people["viewer"].user_id)
    right = ReadingRight(gateway.parts.dependencies.database, reader, session)
    text, stored = SessionEvent(), SessionEvent(id=7)
    asked: list[str] = []
    database = gateway.parts.dependencies.database
    async with database.pool.acquire() as connection:
        right._database = cast("Database", SimpleNamespace(pool=connection))
        with connection.query_logger(lambda record: asked.append(record.query)):
            for _ in range(100):
                assert await right.holds(text)
            await asyncio.sleep(0)  # until the logger was called
            assert len(asked) == 1
            assert await right.holds(stored)
            await asyncio.sleep(0)
            assert len(asked) == 2
            # A run's sources arrive with a stored event: no text after it is shown.
            await room.draw_on(session, await document(pool, room.people["editor"].user_id, "user"))
            assert not await right.holds(stored)
            right._asked_at -= 1.0
            assert not await right.holds(text)


async def test_a_notebook_is_restored_with_its_conversations(room: Room, pool: asyncpg.Pool) -> None:
    kept, removed_before = await room.ask("viewer"), await room.ask("owner")
    owner, viewer = room.people["owner"], room.people["viewer"]
    await owner.call("ChatSessionService/DeleteChatSession", {"id": removed_before}, room.via)
    with pytest.raises(PermissionDeniedError):
        await room.call("editor", "DeleteNotebook")
    await room.call("owner", "DeleteNotebook")
    with pytest.raises(NotFoundError):
        await room.call("owner", "GetNotebook")
    with pytest.raises(NotFoundError):
        await viewer.call("ChatSessionService/GetChatSession", {"id": kept}, room.via)
    assert await pool.fetchval("SELECT status FROM runs WHERE chat_session_id = $1", kept) == "cancelled"
    listed = await owner.call("NotebookService/ListNotebooks", {"removed": True}, room.via)
    assert [one["id"] for one in listed["notebooks"]] == [room.id]
    assert "deletedDate" in listed["notebooks"][0]
    assert not (await viewer.call("NotebookService/ListNotebooks", {"removed": True}, room.via)).get("notebooks")
    with pytest.raises(ValidationFailedError, match="restore the notebook"):
        await viewer.call("ChatSessionService/RestoreChatSession", {"id": kept}, room.via)
    restored = await room.call("owner", "RestoreNotebook")
    assert "deletedDate" not in restored
    assert set(await room.seen("owner")) == {kept}
    await viewer.call("ChatSessionService/GetChatSession", {"id": kept}, room.via)


async def test_a_purge_leaves_nothing_of_a_notebook_but_its_documents(room: Room, pool: asyncpg.Pool) -> None:
    session = await room.ask("viewer", "The question of 4711")
    text, editor = marker(), room.people["editor"].user_id
    whole = await converse(pool, editor, text)
    await pool.execute("UPDATE chat_sessions SET notebook_id = $1 WHERE id = $2", int(room.id), whole)
    assert {"chat_messages", "steps", "run_events", "session_shares", "background_jobs"} <= await tables_with(
        pool, text
    )
    source = await document(pool, room.people["owner"].user_id)
    await room.call("owner", "AddNotebookSources", documentIds=[source])
    await room.call("owner", "PurgeNotebook")
    for table, column, value in (
        ("notebooks", "id", int(room.id)),
        ("notebook_sources", "notebook_id", int(room.id)),
        ("notebook_members", "notebook_id", int(room.id)),
        ("chat_sessions", "id", session),
        ("chat_messages", "chat_session_id", session),
        ("runs", "chat_session_id", session),
        ("run_events", "chat_session_id", session),
    ):
        assert await pool.fetchval(f"SELECT count(*) FROM {table} WHERE {column} = $1", value) == 0
    assert await tables_with(pool, text) == set()
    assert await pool.fetchval("SELECT count(*) FROM documents WHERE id = $1", source) == 1
    assert await pool.fetchval("SELECT count(*) FROM audit_log WHERE target = $1", f"notebooks/{room.id}") > 0


@pytest.mark.parametrize("via", ["grpc"])
async def test_notebooks_removed_for_thirty_days_are_deleted(room: Room, pool: asyncpg.Pool, gateway: Gateway) -> None:
    session = await room.ask("viewer")
    await room.call("owner", "DeleteNotebook")
    parts = gateway.parts.dependencies
    purge = Purge(parts.database, EventLog(pool, parts.bus), parts.objects, Indexes(parts.database.pool, parts.vectors))
    removal = NotebookRemoval(parts.database, purge)
    await removal.sweep()
    assert await pool.fetchval("SELECT count(*) FROM notebooks WHERE id = $1", int(room.id)) == 1
    await pool.execute("UPDATE notebooks SET deleted_date = now() - interval '31 days' WHERE id = $1", int(room.id))
    assert await removal.sweep() >= 1
    assert await pool.fetchval("SELECT count(*) FROM chat_sessions WHERE id = $1", session) == 0


@pytest.mark.parametrize("via", ["grpc"])
async def test_a_purge_that_dies_half_way_is_finished_and_never_undone(
    room: Room, pool: asyncpg.Pool, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process dies before the first conversation is deleted, and the next one begins with the sweep."""
    session = await room.ask("viewer")
    await room.call("owner", "DeleteNotebook")

    async def die(*_: object) -> None:
        raise DependencyUnavailableError("Dead.", dependency="postgres")

    with monkeypatch.context() as patch:
        patch.setattr(Purge, "sessions", die)
        with pytest.raises(DependencyUnavailableError):
            await room.call("owner", "PurgeNotebook")
    with pytest.raises(NotFoundError):
        await room.call("owner", "RestoreNotebook")
    listed = await room.people["owner"].call("NotebookService/ListNotebooks", {"removed": True}, room.via)
    assert "notebooks" not in listed
    parts = gateway.parts.dependencies
    purge = Purge(parts.database, EventLog(pool, parts.bus), parts.objects, Indexes(parts.database.pool, parts.vectors))
    assert await NotebookRemoval(parts.database, purge).sweep() >= 1
    assert await pool.fetchval("SELECT count(*) FROM chat_sessions WHERE id = $1", session) == 0
    assert await pool.fetchval("SELECT count(*) FROM notebooks WHERE id = $1", int(room.id)) == 0


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
    assert [(one["userId"], one["role"]) for one in members] == [(editor, "NOTEBOOK_ROLE_OWNER")]


async def test_a_template_asks_of_the_documents_that_the_caller_may_read(room: Room, pool: asyncpg.Pool) -> None:
    with pytest.raises(ValidationFailedError, match="no source"):
        await room.call("viewer", "StartNotebookTemplate", template="NOTEBOOK_TEMPLATE_SUMMARY")
    shared = await document(pool, room.people["owner"].user_id)
    private = await document(pool, room.people["owner"].user_id, "user")
    await room.call("owner", "AddNotebookSources", documentIds=[shared, private])
    with pytest.raises(ValidationFailedError, match="columns of the table"):
        await room.call("viewer", "StartNotebookTemplate", template="NOTEBOOK_TEMPLATE_TABLE")
    fields = {"template": "NOTEBOOK_TEMPLATE_TABLE", "fields": ["Term", "Price"]}
    sent = await room.call("viewer", "StartNotebookTemplate", **fields)
    assert "- Term\n- Price" in sent["userMessage"]["content"]
    session = int(sent["run"]["chatSessionId"])
    assert (await room.seen("owner"))[session]["chatSession"]["title"] == "Table of the sources"
    attached = await pool.fetchval(
        "SELECT document_ids FROM chat_messages WHERE id = $1", int(sent["userMessage"]["id"])
    )
    assert attached == [shared]
    german = {"template": "NOTEBOOK_TEMPLATE_SUMMARY", "language": "de-DE"}
    assert (
        "Fasse diese Quellen zusammen"
        in (await room.call("owner", "StartNotebookTemplate", **german))["userMessage"]["content"]
    )


@pytest.mark.parametrize("via", ["grpc"])
async def test_a_notebook_outlives_the_account_that_began_it(room: Room, owner: Client) -> None:
    kept = await room.ask("viewer")
    await owner.call("UserService/PurgeUser", {"id": room.people["owner"].user_id})
    assert set(await room.seen("viewer")) == {kept}
    members = (await room.call("viewer", "ListNotebookMembers"))["members"]
    assert {one["userId"]: one["role"] for one in members}[owner.user_id] == "NOTEBOOK_ROLE_OWNER"


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


async def test_conversations_are_searched_by_their_text_as_far_as_they_may_be_opened(
    room: Room, pool: asyncpg.Pool
) -> None:
    lamps, piers = await room.ask("owner", "When are the LAMPS lit?"), await room.ask("editor", "100% of the piers?")
    hidden = await document(pool, room.people["owner"].user_id, scope="user")
    await room.draw_on(lamps, hidden)

    async def found(role: str, query: str) -> set[int]:
        listed = await room.call(role, "ListNotebookSessions", query=query)
        return {one["chatSessionId"] for one in listed.get("sessions", [])}

    assert await found("owner", "lamps") == {lamps}
    assert await found("owner", "0% of") == {piers}
    assert await found("owner", "0_ of") == set()
    assert await found("viewer", "lamps") == set(), "its words tell nobody who may not open it"
    assert await found("viewer", "") == {lamps, piers}
