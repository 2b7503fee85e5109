"""Answers to runs that wait for a person, over both transports. No worker answers here."""

import json
from typing import Any

import asyncpg
import pytest

from echomind_lib.errors import (
    AmbiguousInputError,
    NotFoundError,
    PermissionDeniedError,
    RunActiveError,
    RunStateError,
    ValidationFailedError,
)
from echomind_lib.runs.elicitation import Elicitation, Field, Form
from tests.drivers.client import TRANSPORTS, Client, Transport, error_of
from tests.drivers.gateway import NewUser
from tests.drivers.person import Person, wait_for_a_person

pytestmark = pytest.mark.parametrize("via", TRANSPORTS)


async def test_a_message_answers_a_run_that_waits(person: Person) -> None:
    sent = await wait_for_a_person(person, "PENDING_INPUT_KIND_CLARIFICATION")
    answered = await person.ask("The blue one.", end=False)
    assert answered["run"]["id"] == sent["run"]["id"]
    assert answered["run"]["status"] == "RUN_STATUS_QUEUED"
    assert answered["userMessage"] == sent["userMessage"]
    assert answered["assistantMessage"]["id"] == sent["assistantMessage"]["id"]
    run = await person.call("RunService/GetRun", id=sent["run"]["id"])
    assert run["status"] == "RUN_STATUS_QUEUED"
    with pytest.raises(RunActiveError):
        await person.ask("And the red one.")


async def test_a_repeated_message_answers_a_run_once(person: Person) -> None:
    sent = await wait_for_a_person(person, "PENDING_INPUT_KIND_CLARIFICATION")
    message = {"chatSessionId": person.session, "content": "The blue one.", "requestId": "again"}
    answered = await person.call("ChatMessageService/SendMessage", **message)
    repeated = await person.call("ChatMessageService/SendMessage", **message)
    assert repeated == answered
    await person.ended(sent)
    repeated = await person.call("ChatMessageService/SendMessage", **message)
    assert (repeated["run"]["id"], repeated["run"]["status"]) == (sent["run"]["id"], "RUN_STATUS_COMPLETED")
    assert await person.questions() == ["Which?"]


async def test_a_streamed_message_answers_a_run_that_waits(person: Person, via: Transport) -> None:
    sent = await wait_for_a_person(person, "PENDING_INPUT_KIND_OUTCOME")
    if via == "grpc":
        first = await person.call(
            "ChatMessageService/StreamMessage", chatSessionId=person.session, content="It did not."
        )
    else:
        first = await first_event(person, "It did not.")
    assert (first["runId"], first["toolCall"]["toolCallId"]) == (sent["run"]["id"], "c")
    run = await person.call("RunService/GetRun", id=sent["run"]["id"])
    assert run["status"] == "RUN_STATUS_QUEUED"


async def first_event(person: Person, content: str) -> dict[str, Any]:
    """Returns the first of the server-sent events that answer a streamed message."""
    client = person.client
    async with client.session.post(
        f"{client.http_url}/api/v1/chat-sessions/{person.session}/messages:stream",
        json={"content": content},
        headers={"Authorization": f"Bearer {client.key}"},
    ) as response:
        async for line in response.content:
            if line.startswith(b"data:"):
                event: dict[str, Any] = json.loads(line.removeprefix(b"data:"))
                return event
    raise AssertionError("the stream ended without an event")


async def test_a_refusal_names_the_input_that_the_run_waits_for(person: Person) -> None:
    run = (await wait_for_a_person(person, "PENDING_INPUT_KIND_APPROVAL"))["run"]["id"]
    with pytest.raises(RunStateError, match=r"waits for permission for calls.*approveToolCall") as caught:
        await person.call("RunService/ProvideInput", id=run, content="x")
    assert caught.value.metadata == {"run_id": run, "status": "waiting_for_input", "action": "be given input"}
    with pytest.raises(RunStateError, match=r"this call approved\. It waits for permission"):
        await person.call("RunService/ApproveToolCall", id=run, toolCallId="no such call", approved=True)
    with pytest.raises(RunStateError, match=r"cannot resume\. It waits for permission"):
        await person.call("RunService/ResumeRun", id=run)


async def test_a_session_names_its_run_that_waits(person: Person, new_user: NewUser) -> None:
    run = (await wait_for_a_person(person, "PENDING_INPUT_KIND_CLARIFICATION"))["run"]["id"]
    session = int(person.session)
    other = (await person.call("ChatSessionService/CreateChatSession", chatSession={}))["id"]
    if person.via == "grpc":
        with pytest.raises(ValidationFailedError, match=f"not of chat session {other}"):
            await person.call("RunService/ProvideInput", id=run, chatSessionId=other, content="x")
    with pytest.raises(NotFoundError):
        await give(await new_user(), session, person.via)
    with pytest.raises(PermissionDeniedError):
        await give(await new_user("superadmin"), session, person.via)
    with pytest.raises(RunStateError, match="No run of this session waits"):
        await give(person.client, other, person.via)
    assert (await give(person.client, session, person.via))["id"] == run


async def test_a_repeated_answer_is_given_once(person: Person, pool: asyncpg.Pool) -> None:
    run = (await wait_for_a_person(person, "PENDING_INPUT_KIND_CLARIFICATION"))["run"]["id"]
    answer = {"id": run, "content": "Blue.", "requestId": "once"}
    assert (await person.call("RunService/ProvideInput", **answer))["status"] == "RUN_STATUS_QUEUED"
    assert (await person.call("RunService/ProvideInput", **answer))["id"] == run
    results = await pool.fetch(
        "SELECT result FROM tool_calls JOIN steps ON steps.id = step_id WHERE run_id = $1 AND request_id = 'once'", run
    )
    assert [row["result"] for row in results] == ["Blue."]


async def give(client: Client, session: int, via: Transport) -> dict[str, Any]:
    """Answers what a session's run asks."""
    if via == "grpc":
        return await client.call("RunService/ProvideInput", {"chatSessionId": session, "content": "Blue."})
    async with client.session.post(
        f"{client.http_url}/api/v1/chat-sessions/{session}:provideInput",
        json={"content": "Blue."},
        headers={"Authorization": f"Bearer {client.key}"},
    ) as response:
        body: dict[str, Any] = await response.json()
        if response.status >= 400:
            raise error_of(body)
        return body


async def test_a_message_answers_what_a_server_asks(person: Person, pool: asyncpg.Pool) -> None:
    """The call stays open, as it is made again with the answer."""
    run = (await wait_for_a_person(person, "PENDING_INPUT_KIND_CLARIFICATION"))["run"]["id"]
    room = Field(name="room", type="string", options=("blue", "red"))
    asked = Elicitation("test", (Form("key", "Which?", (room,)),), "state").stored()
    of_run = "step_id = (SELECT id FROM steps WHERE run_id = $1)"
    await pool.execute(f"UPDATE tool_calls SET status = 'pending', elicitation = $2 WHERE {of_run}", run, asked)
    with pytest.raises(ValidationFailedError, match="room: must be one of: blue, red"):
        await person.ask("The green one.")
    answered = await person.ask("blue", end=False)
    assert (answered["run"]["id"], answered["run"]["status"]) == (run, "RUN_STATUS_QUEUED")
    call = await pool.fetchrow(f"SELECT status, result, elicitation FROM tool_calls WHERE {of_run}", run)
    assert call is not None
    assert (call["status"], call["result"], call["elicitation"]["state"]) == ("pending", None, "state")
    assert call["elicitation"]["forms"][0]["answer"] == {"action": "accept", "content": {"room": "blue"}}
    (decision,) = (await person.call("RunService/GetRun", id=run))["decisions"]
    assert (decision["kind"], decision["text"]) == ("PENDING_INPUT_KIND_CLARIFICATION", "blue")


async def test_a_message_allows_no_tool_call(person: Person) -> None:
    await wait_for_a_person(person, "PENDING_INPUT_KIND_APPROVAL")
    with pytest.raises(RunActiveError):
        await person.ask("Yes.")


async def test_a_text_for_several_waiting_runs_answers_none(person: Person) -> None:
    root = (await person.ask("Which?", end=False))["run"]["id"]
    await person.pool.execute("UPDATE runs SET status = 'waiting_for_children' WHERE id = $1", root)
    rows = await person.pool.fetch(
        "INSERT INTO runs (user_id, chat_session_id, parent_run_id, kind, depth, status, pending_input)"
        " SELECT user_id, chat_session_id, id, 'sub_agent', 1, 'waiting_for_input', $2"
        " FROM runs, generate_series(1, 2) WHERE id = $1 RETURNING id",
        root,
        {"kind": "PENDING_INPUT_KIND_OUTCOME", "toolCalls": [{"toolCallId": "c"}]},
    )
    waiting = ",".join(sorted(str(row["id"]) for row in rows))
    with pytest.raises(AmbiguousInputError, match="name the run that you answer") as caught:
        await person.ask("It did not.")
    assert caught.value.metadata == {"chat_session_id": person.session, "run_ids": waiting}
    with pytest.raises(AmbiguousInputError):
        await give(person.client, int(person.session), person.via)
