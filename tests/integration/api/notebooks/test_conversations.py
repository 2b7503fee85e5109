"""Conversations in notebooks over both transports: actions of members, visibility, and lost access."""

import asyncio
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any, cast

import asyncpg
import pytest

from echomind_api.conversations.access import ReadingRight
from echomind_api.main import Gateway
from echomind_lib.access import Principal
from echomind_lib.db.database import Database
from echomind_lib.errors import (
    NotFoundError,
    PermissionDeniedError,
    ValidationFailedError,
)
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from tests.drivers.client import METHODS, Client
from tests.drivers.gateway import NewUser
from tests.drivers.notebook_room import Room, document
from tests.factories import rows as make


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


LOSSES = {
    "membership": "DELETE FROM notebook_members WHERE notebook_id = $1::text::bigint AND user_id = $2 AND $3 > 0",
    "right": "UPDATE connectors SET scope = 'user' WHERE $1::text <> '' AND $2 > 0"
    " AND id = (SELECT connector_id FROM documents WHERE id = $3)",
}


async def test_the_details_of_a_run_show_what_the_list_of_messages_shows(room: Room, pool: asyncpg.Pool) -> None:
    session = await room.ask("editor")
    shared = await document(pool, room.people["editor"].user_id)
    find = "SELECT id, run_id FROM chat_messages WHERE chat_session_id = $1 AND role = 'assistant'"
    (row,) = await pool.fetch(find, session)
    answer, run = row["id"], str(row["run_id"])
    await pool.execute("UPDATE chat_messages SET content = '30 days [1].', status = 'completed' WHERE id = $1", answer)
    await make.citation(
        pool, chat_message_id=answer, document_id=shared, chunk_id="p", number=1, snippet="Thirty days."
    )
    await pool.execute("UPDATE runs SET status = 'completed', completed_at = now() WHERE id = $1", row["run_id"])
    await room.draw_on(session, shared)

    async def shown(role: str) -> list[tuple[str, list[str]]]:
        person = room.people[role]
        listed = await person.call("ChatMessageService/ListMessages", {"chatSessionId": session}, room.via)
        details = await person.call("RunService/GetRunDetails", {"id": run}, room.via)
        message = listed["messages"][-1]
        return [
            (found["content"], [citation["snippet"] for citation in found["citations"]]) for found in (message, details)
        ]

    for role in ("editor", "viewer", "owner"):
        assert await shown(role) == [("30 days [1].", ["Thirty days."])] * 2
    # What its calls found, and the prompts, are for the person who asked.
    assert not (await room.people["viewer"].call("RunService/GetRunDetails", {"id": run}, room.via)).get("messages")
    await pool.execute("UPDATE connectors SET scope = 'user' WHERE user_id = $1", room.people["editor"].user_id)
    for role in ("viewer", "stranger"):
        with pytest.raises(NotFoundError):
            await shown(role)


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
        await pool.execute(LOSSES[loss], room.id, reader.user_id, shared)
        name = {"id": session, "chatSession": {"title": "4711"}, "updateMask": "title"}
        await room.people[asker].call("ChatSessionService/UpdateChatSession", name, room.via)
        with pytest.raises(NotFoundError):
            await asyncio.wait_for(anext(events), 60)


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

        await room.ask("editor")
        assert await asyncio.wait_for(told(), 60)


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
        await asyncio.wait_for(told(), 60)
        for change in ("DeleteChatSession", "RestoreChatSession"):
            await editor.call(f"ChatSessionService/{change}", session, room.via)
            await asyncio.wait_for(told(), 60)


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
    for where in ({"notebookId": room.id}, {"chatSessionId": session}):
        with pytest.raises(ValidationFailedError, match="not a source of this notebook"):
            await send(owner, documentIds=[inside, outside], **where)
    assert await send(owner, chatSessionId=session, documentIds=[inside]) == session
    # An attachment does not reveal the notebook to a stranger.
    stranger = room.people["stranger"]
    for where in ({"notebookId": room.id}, {"chatSessionId": session}):
        with pytest.raises(NotFoundError):
            await send(stranger, documentIds=[outside], **where)


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
    assert sent["userMessage"]["authorKind"] == "AUTHOR_KIND_UNKNOWN", "titles of documents are others' words"
    german = {"template": "NOTEBOOK_TEMPLATE_SUMMARY", "language": "de-DE"}
    assert (
        "Fasse diese Quellen zusammen"
        in (await room.call("owner", "StartNotebookTemplate", **german))["userMessage"]["content"]
    )


async def test_conversations_are_searched_by_their_text_as_far_as_they_may_be_opened(
    room: Room, pool: asyncpg.Pool
) -> None:
    lamps, piers = await room.ask("owner", "When are the LAMPS lit?"), await room.ask("editor", "100% of the piers?")
    hidden = await document(pool, room.people["owner"].user_id, scope="user")
    await room.draw_on(lamps, hidden)

    async def found(role: str, query: str) -> set[int]:
        listed = await room.call(role, "ListNotebookSessions", query=query)
        return {each["chatSessionId"] for each in listed.get("sessions", [])}

    assert await found("owner", "lamps") == {lamps}
    assert await found("owner", "0% of") == {piers}
    assert await found("owner", "0_ of") == set()
    assert await found("viewer", "lamps") == set(), "its words tell nobody who may not open it"
    assert await found("viewer", "") == {lamps, piers}
