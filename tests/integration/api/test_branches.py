"""Branches and checkpoints of conversations, over both transports. No worker answers here."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind_lib.errors import (
    InvalidPageTokenError,
    LlmUnavailableError,
    NotFoundError,
    PermissionDeniedError,
    RunActiveError,
    RunStateError,
    ValidationFailedError,
)
from echomind_lib.events.statements import LOCK_CLASS
from tests.drivers.client import TRANSPORTS, Client, Transport, error_of
from tests.drivers.gateway import NewUser

pytestmark = pytest.mark.parametrize("via", TRANSPORTS)


class Person:
    """Somebody who talks over one transport."""

    def __init__(self, client: Client, pool: asyncpg.Pool, via: Transport) -> None:
        self.client = client
        self.pool = pool
        self.via = via
        self.session = "-"

    async def call(self, method: str, **request: Any) -> dict[str, Any]:
        return await self.client.call(method, request, self.via)

    async def ask(self, content: str, *, end: bool = True, **request: Any) -> dict[str, Any]:
        sent = await self.call("ChatMessageService/SendMessage", chatSessionId=self.session, content=content, **request)
        self.session = str(sent["run"]["chatSessionId"])
        return await self.ended(sent) if end else sent

    async def ended(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Ends a run as if it had been answered."""
        run = sent["run"]["id"]
        await self.pool.execute("UPDATE runs SET status = 'completed', completed_at = now() WHERE id = $1", run)
        await self.pool.execute("UPDATE chat_messages SET status = 'completed', content = 'So.' WHERE run_id = $1", run)
        return sent

    async def shown(self, session: int | str = "", **request: Any) -> list[dict[str, Any]]:
        listed = await self.call("ChatMessageService/ListMessages", chatSessionId=session or self.session, **request)
        messages: list[dict[str, Any]] = listed.get("messages", [])
        return messages

    async def questions(self, session: int | str = "") -> list[str]:
        return [message["content"] for message in (await self.shown(session))[::2]]


@pytest_asyncio.fixture
async def person(new_user: NewUser, pool: asyncpg.Pool, via: Transport) -> Person:
    return Person(await new_user(), pool, via)


async def test_edit_and_look_at_siblings(person: Person) -> None:
    sent = await person.ask("One?")
    question, answer = sent["userMessage"]["id"], sent["assistantMessage"]["id"]
    edited = await person.ended(
        await person.call("ChatMessageService/EditMessage", id=question, content="Uno?", requestId=f"e{question}")
    )
    assert edited["userMessage"]["content"] == "Uno?"
    assert edited["run"]["status"] == "RUN_STATUS_QUEUED"
    repeated = await person.call(
        "ChatMessageService/EditMessage", id=question, content="Uno?", requestId=f"e{question}"
    )
    assert repeated["run"]["id"] == edited["run"]["id"]
    assert (repeated["run"]["status"], repeated["assistantMessage"]["content"]) == ("RUN_STATUS_COMPLETED", "So.")
    first, second = await person.shown()
    assert first["siblingIds"] == [question, edited["userMessage"]["id"]]
    assert not second.get("siblingIds")
    assert len(await person.shown(allBranches=True)) == 4
    moved = await person.call("ChatSessionService/MoveHead", id=int(person.session), messageId=question, toLatest=True)
    assert moved["headMessageId"] == answer
    assert await person.questions() == ["One?"]
    with pytest.raises(ValidationFailedError, match="regenerate the answer"):
        await person.call("ChatMessageService/EditMessage", id=answer, content="x")


async def test_regenerate(person: Person) -> None:
    sent = await person.ask("One?")
    again = await person.call(
        "ChatMessageService/RegenerateMessage", id=sent["assistantMessage"]["id"], options={"maxSteps": 3}
    )
    assert again["userMessage"]["id"] == sent["userMessage"]["id"]
    assert again["run"]["maxSteps"] == 3
    assert (await person.shown())[1]["siblingIds"] == [sent["assistantMessage"]["id"], again["assistantMessage"]["id"]]
    with pytest.raises(RunActiveError):
        await person.call("ChatMessageService/RegenerateMessage", id=sent["userMessage"]["id"])


async def test_a_page_of_a_branch(person: Person) -> None:
    for number in range(3):
        await person.ask(str(number))
    page = await person.call("ChatMessageService/ListMessages", chatSessionId=int(person.session), pageSize=4)
    rest = await person.shown(pageToken=page["nextPageToken"])
    assert [m["content"] for m in [*page["messages"], *rest]] == ["0", "So.", "1", "So.", "2", "So."]
    with pytest.raises(InvalidPageTokenError):
        await person.shown(pageToken=page["nextPageToken"], allBranches=True)


async def test_discard_and_put_back(person: Person) -> None:
    question = (await person.ask("One?"))["userMessage"]["id"]
    left_out = await person.call("ChatMessageService/DiscardMessage", id=question, discarded=True)
    assert left_out["discarded"]
    assert (await person.shown())[0]["discarded"]
    await person.call("ChatMessageService/DiscardMessage", id=question, discarded=True)
    put_back = await person.call("ChatMessageService/DiscardMessage", id=question)
    assert not put_back.get("discarded")
    assert await changes(person) == ["Left a message out", "Put a message back"]


async def changes(person: Person, change: str = "DISCARDED") -> list[str]:
    """What the log says of one kind of change of the session."""
    rows = await person.pool.fetch(
        "SELECT text FROM run_events WHERE chat_session_id = $1"
        " AND payload -> 'sessionChanged' ->> 'change' = $2 ORDER BY id",
        int(person.session),
        f"SESSION_CHANGE_{change}",
    )
    return [row["text"] for row in rows]


async def fares(person: Person) -> tuple[str, dict[str, Any] | None]:
    """Status and error of the session, which the list tells as well."""
    session = await person.call("ChatSessionService/GetChatSession", id=int(person.session))
    listed = (await person.call("ChatSessionService/ListChatSessions"))["chatSessions"]
    assert session in listed
    return session["status"].removeprefix("CHAT_SESSION_STATUS_"), without_empty(session.get("error"))


def without_empty(error: dict[str, Any] | None) -> dict[str, Any] | None:
    """An error as gRPC gives it; REST writes empty fields too."""
    return error and {name: value for name, value in error.items() if value}


async def test_a_session_fares_as_its_latest_run(person: Person) -> None:
    run = (await person.ask("One?", end=False))["run"]["id"]
    assert await fares(person) == ("ACTIVE", None)
    await person.call("RunService/PauseRun", id=run)
    assert await fares(person) == ("PAUSED", None)
    await person.call("RunService/ResumeRun", id=run)
    assert await fares(person) == ("ACTIVE", None)
    await person.call("RunService/CancelRun", id=run)
    assert await fares(person) == ("CANCELLED", None)
    await person.ask("Two?")
    assert await fares(person) == ("ACTIVE", None)
    error = {"reason": "TIMEOUT", "message": "It took too long."}
    failed = (await person.ask("Three?", end=False))["run"]["id"]
    await person.pool.execute(
        "UPDATE runs SET status = 'timeout', completed_at = now(), error = $2 WHERE id = $1", failed, error
    )
    assert await fares(person) == ("ERROR", error)
    async with chat_model(person.pool):
        goal = (await person.ask("Write it.", end=False, options={"autoRun": True}))["run"]["id"]
    assert await fares(person) == ("ACTIVE", None)
    await person.pool.execute(
        "UPDATE runs SET status = 'failed', completed_at = now(), error = $2 WHERE id = $1", goal, error
    )
    await person.pool.execute("UPDATE chat_sessions SET status = 'failed' WHERE id = $1", int(person.session))
    assert await fares(person) == ("FAILED", error)
    changed = await person.call(
        "ChatSessionService/UpdateChatSession",
        id=int(person.session),
        chatSession={"title": "Report"},
        updateMask="title",
    )
    assert (changed["status"], without_empty(changed["error"])) == ("CHAT_SESSION_STATUS_FAILED", error)
    head = await person.call("ChatSessionService/MoveHead", id=int(person.session))
    assert head["status"] == "CHAT_SESSION_STATUS_FAILED"


async def test_changed_settings_are_told(person: Person) -> None:
    await person.ask("One?")
    await person.call(
        "ChatSessionService/UpdateChatSession",
        id=int(person.session),
        chatSession={"goal": "Win", "preferences": {"maxSteps": 3}, "assistantId": 0, "title": "It's"},
        updateMask="goal,preferences,assistantId,title",
    )
    (text,) = await changes(person, "SETTINGS")
    assert sorted(text.removeprefix("Changed ").split(", ")) == ["assistant", "goal", "preferences", "title"]
    with pytest.raises(NotFoundError):
        await person.call(
            "ChatSessionService/UpdateChatSession",
            id=int(person.session),
            chatSession={"assistantId": 2**31 - 1},
            updateMask="assistantId",
        )
    assert len(await changes(person, "SETTINGS")) == 1


async def test_the_source_tells_of_its_fork(person: Person) -> None:
    await person.ask("One?")
    forked = await person.call("ChatSessionService/ForkChatSession", id=int(person.session))
    payload = await person.pool.fetchval(
        "SELECT payload FROM run_events WHERE chat_session_id = $1 AND text = 'Forked into another session'",
        int(person.session),
    )
    assert payload == {"sessionChanged": {"change": "SESSION_CHANGE_FORKED", "forkedSessionId": forked["id"]}}


async def test_all_steps_in_pages(person: Person) -> None:
    run = (await person.ask("One?"))["run"]["id"]
    await person.pool.execute(
        "INSERT INTO steps (run_id, step_number, action, status)"
        " SELECT $1, number, 'call_tool', 'completed' FROM generate_series(1, 52) AS number",
        run,
    )
    await person.pool.execute(
        "INSERT INTO tool_calls (step_id, tool_call_id, tool_name, status, approval, approval_comment)"
        " SELECT id, 'c', 'order', 'completed', 'granted', 'But a small one.' FROM steps"
        " WHERE run_id = $1 AND step_number = 52",
        run,
    )
    first = await person.call("RunService/ListSteps", id=run)
    rest = await person.call("RunService/ListSteps", id=run, pageSize=3, pageToken=first["nextPageToken"])
    assert [step["stepNumber"] for step in [*first["steps"], *rest["steps"]]] == list(range(1, 53))
    assert not rest.get("nextPageToken")
    (call,) = rest["steps"][-1]["toolCalls"]
    assert call["approvalComment"] == "But a small one."
    other = (await person.ask("Two?"))["run"]["id"]
    with pytest.raises(InvalidPageTokenError):
        await person.call("RunService/ListSteps", id=other, pageToken=first["nextPageToken"])


async def test_discarding_beside_the_end_of_a_run(person: Person) -> None:
    """A run that ends has the log's lock when it comes to its message."""
    answer = (await person.ask("One?"))["assistantMessage"]["id"]
    waits = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    async with person.pool.acquire() as connection, connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1, $2)", LOCK_CLASS, int(person.session))
        discarding = asyncio.create_task(person.call("ChatMessageService/DiscardMessage", id=answer, discarded=True))
        async with asyncio.timeout(20):
            while not await connection.fetchval(waits):  # noqa: ASYNC110 - a lock tells nobody that somebody waits
                await asyncio.sleep(0.01)
        await connection.execute("UPDATE chat_messages SET content = 'Anew.' WHERE id = $1", int(answer))
    discarded = await discarding
    assert (discarded["discarded"], discarded["content"]) == (True, "Anew.")


async def test_discard_a_step_and_put_it_back(person: Person) -> None:
    run = (await person.ask("One?", end=False))["run"]["id"]
    await person.pool.execute(
        "INSERT INTO steps (run_id, step_number, action, status) VALUES ($1, 1, 'retrieve', 'completed'),"
        " ($1, 2, 'call_tool', 'completed')",
        run,
    )
    with pytest.raises(RunStateError, match="This run is queued"):
        await person.call("RunService/DiscardStep", id=run, stepNumber=2, discarded=True)
    await person.call("RunService/PauseRun", id=run)
    left_out = await person.call("RunService/DiscardStep", id=run, stepNumber=2, discarded=True)
    assert left_out["discarded"]
    put_back = await person.call("RunService/DiscardStep", id=run, stepNumber=2)
    assert not put_back.get("discarded")
    with pytest.raises(RunStateError, match="unless it searched"):
        await person.call("RunService/DiscardStep", id=run, stepNumber=1, discarded=True)
    with pytest.raises(NotFoundError):
        await person.call("RunService/DiscardStep", id=run, stepNumber=3, discarded=True)
    assert await changes(person) == ["Left step 2 out", "Put step 2 back"]
    by = "SELECT user_id_last_update FROM steps WHERE run_id = $1 AND step_number = 2"
    assert await person.pool.fetchval(by, run) == person.client.user_id


async def test_a_summary_is_made_anew_without_a_message_that_is_left_out(person: Person, pool: asyncpg.Pool) -> None:
    first = await person.ask("One?")
    second = await person.ask("Two?")
    await pool.execute(
        "UPDATE chat_sessions SET compressed_summary = 'So.', last_compressed_message_id = $2 WHERE id = $1",
        int(person.session),
        int(first["assistantMessage"]["id"]),
    )
    session = {"id": int(person.session)}
    await person.call("ChatMessageService/DiscardMessage", id=second["userMessage"]["id"], discarded=True)
    assert (await person.call("ChatSessionService/GetChatSession", **session))["compressedSummary"] == "So."
    await person.call("ChatMessageService/DiscardMessage", id=first["userMessage"]["id"], discarded=True)
    after = await person.call("ChatSessionService/GetChatSession", **session)
    assert not after.get("compressedSummary")
    assert "lastCompressedMessageId" not in after


async def test_undo_everything(person: Person) -> None:
    await person.ask("One?")
    moved = await person.call("ChatSessionService/MoveHead", id=int(person.session))
    assert "headMessageId" not in moved
    assert await person.shown() == []


async def test_a_head_is_an_answer_and_no_run_is_active(person: Person) -> None:
    sent = await person.ask("One?")
    session, question = int(person.session), sent["userMessage"]["id"]
    with pytest.raises(ValidationFailedError):
        await person.call("ChatSessionService/MoveHead", id=session, messageId=question)
    with pytest.raises(NotFoundError):
        await person.call("ChatSessionService/MoveHead", id=session, messageId=2**62)
    active = await person.ask("Two?", end=False)
    with pytest.raises(RunActiveError) as caught:
        await person.call("ChatSessionService/MoveHead", id=session)
    assert caught.value.metadata["run_id"] == active["run"]["id"]


async def test_fork(person: Person) -> None:
    sent = await person.ask("One?")
    await person.ask("Two?")
    answer = sent["assistantMessage"]["id"]
    made = await person.call(
        "ChatSessionService/ForkChatSession", id=int(person.session), messageId=answer, title="Other"
    )
    assert (made["title"], made["parentSessionId"], made["forkedFromMessageId"], made["messageCount"]) == (
        "Other",
        int(person.session),
        answer,
        2,
    )
    assert await person.questions(made["id"]) == ["One?"]
    assert await person.questions() == ["One?", "Two?"]
    with pytest.raises(ValidationFailedError):
        await person.call(
            "ChatSessionService/ForkChatSession", id=int(person.session), messageId=sent["userMessage"]["id"]
        )


async def test_a_superadmins_fork_is_their_own(person: Person, new_user: NewUser, via: Transport) -> None:
    await person.ask("One?")
    admin = Person(await new_user("superadmin"), person.pool, via)
    made = await admin.call("ChatSessionService/ForkChatSession", id=int(person.session))
    assert made["userId"] == admin.client.user_id
    admin.session = str(made["id"])
    await admin.ask("Two?")
    assert await person.questions() == ["One?"]
    with pytest.raises(NotFoundError):
        await person.shown(made["id"])
    admin.session = person.session
    with pytest.raises(PermissionDeniedError):
        await admin.ask("Three?")


async def test_goal_and_preferences(person: Person) -> None:
    made = await person.call(
        "ChatSessionService/CreateChatSession", chatSession={"goal": "a", "preferences": {"maxRunTokens": "5"}}
    )
    assert (made["goal"], made["initialGoal"]) == ("a", "a")
    changed = await person.call(
        "ChatSessionService/UpdateChatSession",
        id=made["id"],
        chatSession={"goal": "b", "preferences": {"maxSteps": 4, "askClarifications": False}},
        updateMask="goal,preferences",
    )
    assert (changed["goal"], changed["initialGoal"]) == ("b", "a")
    assert changed["preferences"] == {"maxSteps": 4, "askClarifications": False} | (
        {} if person.via == "grpc" else {"timeoutSeconds": 0, "maxRunTokens": "0", "maxCost": 0.0}
    )
    person.session = str(made["id"])
    assert (await person.ask("x"))["run"]["maxSteps"] == 4
    changed = await person.call(
        "ChatSessionService/UpdateChatSession", id=made["id"], chatSession={"goal": ""}, updateMask="goal"
    )
    assert (changed.get("goal", ""), changed["initialGoal"]) == ("", "a")


async def test_the_built_in_model_refuses_a_goal_at_once(person: Person) -> None:
    runs = await person.pool.fetchval("SELECT count(*) FROM runs")
    with pytest.raises(LlmUnavailableError, match="cannot work towards a goal"):
        await person.ask("Write it.", options={"autoRun": True})
    await person.ask("What?")
    with pytest.raises(LlmUnavailableError, match="cannot work towards a goal"):
        await person.ask("Write it.", options={"autoRun": True})
    assert await person.pool.fetchval("SELECT count(*) FROM runs") == runs + 1


@asynccontextmanager
async def chat_model(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Gives the default assistant a chat model, which nobody asks anything."""
    llm_id = await pool.fetchval(
        "INSERT INTO llms (name, provider, model_id, endpoint) "
        "VALUES ('Chat ' || gen_random_uuid(), 'openai', 'm', 'http://127.0.0.1:1/v1') RETURNING id"
    )
    await pool.execute("UPDATE assistants SET llm_id = $1 WHERE is_default", llm_id)
    try:
        yield
    finally:
        await pool.execute("UPDATE assistants SET llm_id = NULL WHERE is_default")


async def test_a_run_by_itself(person: Person) -> None:
    async with chat_model(person.pool):
        sent = await person.ask("Write it.", options={"autoRun": True, "maxDepth": 0, "maxCost": 0.5})
    run = sent["run"]
    assert (run["goal"], run["autoRun"], run["maxCost"], run.get("maxDepth", 0)) == ("Write it.", True, 0.5, 0)
    session = await person.call("ChatSessionService/GetChatSession", id=int(person.session))
    assert session["goal"] == "Write it."


async def wait_for_a_person(person: Person, kind: str) -> dict[str, Any]:
    """A question whose run waits for a person."""
    sent = await person.ask("Which?", end=False)
    await person.pool.execute(
        "UPDATE runs SET status = 'waiting_for_input', pending_input = $2 WHERE id = $1",
        sent["run"]["id"],
        {"kind": kind, "toolCalls": [{"toolCallId": "c"}]},
    )
    await person.pool.execute(
        "WITH step AS (INSERT INTO steps (run_id, step_number, status) VALUES ($1, 1, 'running') RETURNING id)"
        " INSERT INTO tool_calls (step_id, tool_call_id, tool_name, status, started_at)"
        " SELECT id, 'c', 'ask_user', 'running', now() FROM step",
        sent["run"]["id"],
    )
    return sent


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
    """The first of the server-sent events that answer a streamed message."""
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


async def test_a_refusal_says_what_the_run_waits_for(person: Person) -> None:
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


async def test_a_message_allows_no_tool_call(person: Person) -> None:
    await wait_for_a_person(person, "PENDING_INPUT_KIND_APPROVAL")
    with pytest.raises(RunActiveError):
        await person.ask("Yes.")


async def test_checkpoints(person: Person) -> None:
    await person.ask("One?")
    session = int(person.session)
    named = await person.call(
        "CheckpointService/CreateCheckpoint",
        chatSessionId=session,
        checkpoint={"name": "Here", "description": "why"},
    )
    assert (named["name"], named["description"], named["checkpointType"]) == ("Here", "why", "CHECKPOINT_TYPE_MANUAL")
    unnamed = await person.call("CheckpointService/CreateCheckpoint", chatSessionId=session, checkpoint={})
    assert unnamed["name"].startswith("Checkpoint of ")
    await person.ask("Two?")
    todo = await person.call("TodoService/CreateTodo", chatSessionId=session, todo={"title": "x"})
    restored = await person.call("CheckpointService/RestoreCheckpoint", id=named["id"])
    assert restored["headMessageId"] == str(int(named["sessionState"]["head_message_id"]))
    assert await person.questions() == ["One?"]
    with pytest.raises(NotFoundError):
        await person.call("TodoService/GetTodo", id=todo["id"])

    page = await person.call("CheckpointService/ListCheckpoints", chatSessionId=session, pageSize=1)
    (auto,) = page["checkpoints"]
    assert auto["checkpointType"] == "CHECKPOINT_TYPE_AUTO"
    assert "sessionState" not in auto
    rest = await person.call(
        "CheckpointService/ListCheckpoints", chatSessionId=session, pageToken=page["nextPageToken"]
    )
    assert [one["id"] for one in rest["checkpoints"]] == [unnamed["id"], named["id"]]

    await person.call("CheckpointService/RestoreCheckpoint", id=auto["id"])
    assert await person.questions() == ["One?", "Two?"]
    assert (await person.call("TodoService/GetTodo", id=todo["id"]))["title"] == "x"

    await person.call("CheckpointService/DeleteCheckpoint", id=named["id"])
    assert await changes(person, "CHECKPOINT_DELETED") == ["Removed checkpoint: Here"]
    for method in ("GetCheckpoint", "RestoreCheckpoint", "DeleteCheckpoint"):
        with pytest.raises(NotFoundError):
            await person.call(f"CheckpointService/{method}", id=named["id"])
