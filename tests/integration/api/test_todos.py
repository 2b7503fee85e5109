"""Todos of conversations, as people list and change them."""

import asyncio
import json
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_lib.errors import InvalidPageTokenError, NotFoundError, ValidationFailedError
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def person(new_user: NewUser) -> Client:
    return await new_user()


@pytest_asyncio.fixture(loop_scope="session")
async def session(person: Client) -> int:
    """A session of the person's."""
    made: int = (await person.call("ChatSessionService/CreateChatSession", {"chatSession": {}}))["id"]
    return made


async def add(person: Client, session: int, title: str, via: Transport = "rest", **fields: Any) -> dict[str, Any]:
    request = {"chatSessionId": session, "todo": {"title": title, **fields}}
    made: dict[str, Any] = await person.call("TodoService/CreateTodo", request, via)
    return made


async def change(person: Client, todo: dict[str, Any], via: Transport = "rest", **fields: Any) -> dict[str, Any]:
    request = {"id": todo["id"], "todo": fields, "updateMask": ",".join(fields)}
    changed: dict[str, Any] = await person.call("TodoService/UpdateTodo", request, via)
    return changed


async def test_todo_from_beginning_to_end(person: Client, session: int, via: Transport) -> None:
    first = await add(person, session, "Collect", via, description="all of it", priority=3, estimatedSteps=4)
    second = await add(person, session, "Compare", via, dependencies=[first["id"]])
    assert (first["orderIndex"], second["orderIndex"]) == (1, 2)
    assert (first["status"], first["description"], first["priority"], first["estimatedSteps"]) == (
        "TODO_STATUS_PENDING", "all of it", 3, 4,
    )  # fmt: skip
    assert second["dependencies"] == [first["id"]]
    with pytest.raises(
        ValidationFailedError, match=r"Todo 2 \(“Compare”\) cannot be in progress: it depends on todo 1"
    ):
        await change(person, second, via, status="TODO_STATUS_IN_PROGRESS")
    done = await change(person, first, via, status="TODO_STATUS_COMPLETED", result="found")
    assert (done["status"], done["result"], done["title"]) == ("TODO_STATUS_COMPLETED", "found", "Collect")
    assert done["startedAt"] == done["completedAt"]
    begun = await change(person, second, via, status="TODO_STATUS_IN_PROGRESS", title="Compare them")
    assert begun == await person.call("TodoService/GetTodo", {"id": second["id"]}, via)
    listed = await person.call("TodoService/ListTodos", {"chatSessionId": session}, via)
    assert listed["todos"] == [done, begun]
    await person.call("TodoService/DeleteTodo", {"id": first["id"]}, via)
    (left,) = (await person.call("TodoService/ListTodos", {"chatSessionId": session}, via))["todos"]
    assert (left["title"], left["orderIndex"], left.get("dependencies", [])) == ("Compare them", 1, [])
    with pytest.raises(NotFoundError):
        await person.call("TodoService/GetTodo", {"id": first["id"]}, via)


async def test_plans_that_cannot_be_are_refused(person: Client, session: int, via: Transport) -> None:
    first = await add(person, session, "A", via)
    second = await add(person, session, "B", via, dependencies=[first["id"]])
    for field, message in (
        ({"dependencies": [second["id"]]}, "form a circle"),
        ({"dependencies": [first["id"]]}, "cannot depend on itself"),
        ({"dependencies": [str(2**60)]}, "there is no such todo here"),
        ({"status": "TODO_STATUS_UNSPECIFIED", "title": ""}, "title"),
    ):
        with pytest.raises(ValidationFailedError, match=message):
            await change(person, first, via, **field)
    other = (await person.call("ChatSessionService/CreateChatSession", {"chatSession": {}}))["id"]
    with pytest.raises(ValidationFailedError, match="there is no such todo here"):
        await add(person, other, "C", via, dependencies=[first["id"]])
    with pytest.raises(ValidationFailedError, match="is completed and cannot become failed"):
        await change(
            person, await change(person, first, status="TODO_STATUS_COMPLETED"), via, status="TODO_STATUS_FAILED"
        )


async def test_plans_are_listed_page_by_page_and_by_run(
    person: Client, session: int, via: Transport, pool: asyncpg.Pool
) -> None:
    for title in ("first", "second"):
        await add(person, session, title)
    for number in (1, 2):
        run = await pool.fetchval(
            "INSERT INTO runs (user_id, chat_session_id, assistant_id, input, status, completed_at)"
            " SELECT $1, $2, id, 'x', 'completed', now() FROM assistants WHERE is_default RETURNING id",
            person.user_id,
            session,
        )
        await pool.executemany(
            "INSERT INTO todos (chat_session_id, run_id, title, order_index) VALUES ($1, $2, $3, $4)",
            [(session, run, f"{number}.{step}", step) for step in (2, 1)],
        )
    expected = ["first", "second", "1.1", "1.2", "2.1", "2.2"]
    for size in (1, 2, 4, 6):
        titles: list[str] = []
        token = ""
        for _ in expected:
            request = {"chatSessionId": session, "pageSize": size, "pageToken": token}
            page = await person.call("TodoService/ListTodos", request, via)
            titles += [todo["title"] for todo in page["todos"]]
            token = page.get("nextPageToken", "")
            if not token:
                break
        assert titles == expected
    of_run = await person.call("TodoService/ListTodos", {"chatSessionId": session, "runId": str(run)}, via)
    assert [todo["title"] for todo in of_run["todos"]] == ["2.1", "2.2"]
    first = await person.call("TodoService/ListTodos", {"chatSessionId": session, "pageSize": 1})
    request = {"chatSessionId": session, "runId": str(run), "pageToken": first["nextPageToken"]}
    with pytest.raises(InvalidPageTokenError):
        await person.call("TodoService/ListTodos", request, via)


async def test_every_subscriber_is_notified_of_a_change(person: Client, session: int) -> None:
    seen: list[dict[str, Any]] = []

    async def listen() -> None:
        path = f"{person.http_url}/api/v1/chat-sessions/{session}/events"
        async with person.session.get(path, headers={"Authorization": f"Bearer {person.key}"}) as response:
            async for line in response.content:
                if line.startswith(b"data:"):
                    seen.append(json.loads(line[5:]))
                    if len(seen) == 2:
                        return

    listening = asyncio.create_task(listen())
    todo = await add(person, session, "A")
    await change(person, todo, status="TODO_STATUS_COMPLETED")
    await asyncio.wait_for(listening, 60)
    assert [event["text"] for event in seen] == ["Added: A", "Done: A"]
    assert [event["todos"]["todos"][0]["status"] for event in seen] == ["TODO_STATUS_PENDING", "TODO_STATUS_COMPLETED"]
    assert seen[1]["todos"]["todos"][0]["id"] == todo["id"]
