"""Runs, their steps and their goals, over both transports. No worker answers here."""

from typing import Any

import pytest

from echomind_lib.errors import (
    InvalidPageTokenError,
    LlmUnavailableError,
    PermissionDeniedError,
    RunStateError,
)
from tests.drivers.client import TRANSPORTS, Client
from tests.drivers.gateway import NewUser
from tests.drivers.person import Person, chat_model
from tests.factories import rows

pytestmark = pytest.mark.parametrize("via", TRANSPORTS)


async def test_all_steps_in_pages(person: Person) -> None:
    run = (await person.ask("One?"))["run"]["id"]
    await person.pool.execute(
        "INSERT INTO steps (run_id, step_number, step_type, action, status)"
        " SELECT $1, number, CASE number WHEN 52 THEN 'synthesizer' ELSE 'action' END, 'call_tool', 'completed'"
        " FROM generate_series(1, 52) AS number",
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
    assert (first["steps"][0]["stepType"], rest["steps"][-1]["stepType"]) == (
        "STEP_TYPE_ACTION",
        "STEP_TYPE_SYNTHESIZER",
    )
    (call,) = rest["steps"][-1]["toolCalls"]
    assert call["approvalComment"] == "But a small one."
    other = (await person.ask("Two?"))["run"]["id"]
    with pytest.raises(InvalidPageTokenError):
        await person.call("RunService/ListSteps", id=other, pageToken=first["nextPageToken"])


async def test_what_calls_found_is_hidden_once_a_source_is_lost(person: Person) -> None:
    run = (await person.ask("One?"))["run"]["id"]
    session, pool = int(person.session), person.pool
    owner, other = (
        await pool.fetchval("SELECT user_id FROM chat_sessions WHERE id = $1", session),
        await rows.user(pool),
    )
    connector = await rows.connector(pool, user_id=owner, scope="user")
    document = await rows.document(pool, connector_id=connector["id"])
    step = await rows.step(
        pool, run_id=run, action="call_tool", status="completed", llm_input=[{"role": "user", "content": "x"}]
    )
    called = {"tool_call_id": "c", "status": "completed", "result": "Bluebird", "parameters": {"query": "code"}}
    await rows.tool_call(pool, step_id=step["id"], **called)
    below = await rows.run(
        pool, chat_session_id=session, parent_run_id=run, depth=1, kind="sub_agent", result_summary="Bluebird"
    )
    payload = {"toolCall": {"toolCallId": "c", "toolName": "look_up", "result": "Bluebird"}}
    await rows.run_event(pool, chat_session_id=session, run_id=run, kind="progress", payload=payload)
    source = {"chat_session_id": session, "document_id": document["id"], "connector_id": connector["id"]}
    await rows.insert(pool, "chat_session_sources", source)

    async def found() -> list[bool]:
        calls = ["ListSteps", "GetRunDetails", "ListRunEvents", "GetRunTree"]
        shown = [str(await person.call(f"RunService/{call}", id=run)) for call in calls]
        shown.append(str(await person.call("RunService/GetRun", id=str(below["id"]))))
        shown.append(str(await person.call("RunService/ListRuns", chatSessionId=session)))
        return ["Bluebird" in text for text in shown]

    assert await found() == [True] * 6
    await person.call("RunService/GetStepPrompt", id=run, stepNumber=step["step_number"])
    await pool.execute("UPDATE connectors SET user_id = $2 WHERE id = $1", connector["id"], other["id"])
    assert await found() == [False] * 6
    with pytest.raises(PermissionDeniedError, match="may not read all of them any more"):
        await person.call("RunService/GetStepPrompt", id=run, stepNumber=step["step_number"])
    await pool.execute("UPDATE connectors SET user_id = $2 WHERE id = $1", connector["id"], owner)
    assert await found() == [True] * 6


async def test_the_built_in_model_refuses_a_goal_at_once(person: Person) -> None:
    runs = await person.pool.fetchval("SELECT count(*) FROM runs")
    with pytest.raises(LlmUnavailableError, match="cannot work towards a goal"):
        await person.ask("Write it.", options={"autoRun": True})
    await person.ask("What?")
    with pytest.raises(LlmUnavailableError, match="cannot work towards a goal"):
        await person.ask("Write it.", options={"autoRun": True})
    assert await person.pool.fetchval("SELECT count(*) FROM runs") == runs + 1


async def test_a_run_by_itself(person: Person) -> None:
    async with chat_model(person.pool):
        sent = await person.ask("Write it.", options={"autoRun": True, "maxDepth": 0, "maxCost": 0.5})
    run = sent["run"]
    assert (run["goal"], run["autoRun"], run["maxCost"], run.get("maxDepth", 0)) == ("Write it.", True, 0.5, 0)
    session = await person.call("ChatSessionService/GetChatSession", id=int(person.session))
    assert session["goal"] == "Write it."


async def ids(person: Person, **request: Any) -> list[str]:
    return [run["id"] for run in (await person.call("RunService/ListRuns", **request)).get("runs", [])]


async def test_filters_of_the_list(person: Person) -> None:
    asked = [(await person.ask(f"Question {number}?"))["run"]["id"] for number in range(4)]
    llm = await person.pool.fetchval(
        "INSERT INTO llms (name, provider, model_id, endpoint)"
        " VALUES ('Costly ' || gen_random_uuid(), 'openai', 'm', 'http://127.0.0.1:1/v1') RETURNING id"
    )
    await person.pool.execute("UPDATE runs SET status = 'failed', cost = 0.5, llm_id = $2 WHERE id = $1", asked[0], llm)
    await person.pool.execute("UPDATE runs SET status = 'timeout', cost = 0.1 WHERE id = $1", asked[1])
    await person.pool.execute("UPDATE runs SET creation_date = '2025-02-03T12:00:00Z' WHERE id = $1", asked[2])
    failed = ["RUN_STATUS_FAILED", "RUN_STATUS_TIMEOUT"]
    assert await ids(person) == asked[::-1]
    assert await ids(person, statuses=failed) == [asked[1], asked[0]]
    assert await ids(person, statuses=failed, minCost=0.2) == [asked[0]]
    assert await ids(person, llmId=llm) == [asked[0]]
    assert await ids(person, createdBefore="2025-03-01T00:00:00Z") == [asked[2]]
    assert await ids(person, createdFrom="2025-03-01T00:00:00Z") == [asked[3], asked[1], asked[0]]
    run = await person.call("RunService/GetRun", id=asked[3])
    assert run["userId"] == person.client.user_id
    assert await ids(person, assistantId=run["assistantId"], statuses=["RUN_STATUS_COMPLETED"]) == [asked[3], asked[2]]
    first = await person.call("RunService/ListRuns", statuses=failed, pageSize=1)
    assert await ids(person, statuses=failed, pageToken=first["nextPageToken"]) == [asked[0]]
    with pytest.raises(InvalidPageTokenError):
        await ids(person, statuses=failed[:1], pageToken=first["nextPageToken"])


async def test_runs_of_everyone(person: Person, new_user: NewUser) -> None:
    run = (await person.ask("Mine?"))["run"]["id"]
    await person.pool.execute("UPDATE runs SET result_summary = 'Found.' WHERE id = $1", run)
    mine = person.client.user_id
    boss, other = await new_user("superadmin"), await new_user("admin")

    async def seen(client: Client, **request: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await client.call("RunService/ListRuns", request, person.via)).get("runs", [])
        return found

    assert await ids(person, everyone=True) == await ids(person, userId=mine) == [run]
    assert await seen(other, everyone=True) == await seen(other, userId=mine) == await seen(boss) == []
    recorded = (
        "SELECT target, detail FROM audit_log"
        " WHERE actor_id = $1 AND NOT denied AND action LIKE '%ListRuns' ORDER BY id"
    )
    assert not await person.pool.fetch(recorded, boss.user_id)
    (found,) = await seen(boss, userId=mine)
    assert (found["id"], found.get("resultSummary", ""), found["input"]) == (run, "", "Mine?")
    assert run in [each["id"] for each in await seen(boss, everyone=True, pageSize=1000)]
    (entry, *_) = await person.pool.fetch(recorded, boss.user_id)
    assert (entry["target"], entry["detail"]) == ("runs", {"user_ids": [mine]})


async def test_events_of_a_run_and_those_below_it(person: Person, new_user: NewUser) -> None:
    run = (await person.ask("One?"))["run"]["id"]
    await person.ask("Another?")
    await person.pool.execute(
        "INSERT INTO runs (user_id, chat_session_id, parent_run_id, kind, status)"
        " SELECT user_id, chat_session_id, id, 'sub_agent', 'completed' FROM runs WHERE id = $1",
        run,
    )
    await person.pool.execute(
        "INSERT INTO run_events (chat_session_id, run_id, kind, text, payload)"
        " SELECT chat_session_id, id, 'progress', 'Searched', $2 FROM runs WHERE parent_run_id = $1",
        run,
        {"toolCall": {"stepNumber": 1, "toolCallId": "c", "toolName": "search", "result": "secret"}},
    )
    first = await person.call("RunService/ListRunEvents", id=run, pageSize=1)
    rest = await person.call("RunService/ListRunEvents", id=run, pageToken=first["nextPageToken"])
    (queued,), (searched,) = first["events"], rest["events"]
    assert queued["runId"] == run
    assert "queued" in queued
    assert searched["toolCall"]["result"] == "secret"
    boss = await new_user("superadmin")
    shown = await boss.call("RunService/ListRunEvents", {"id": run}, person.via)
    assert "secret" not in str(shown)
    assert len(shown["events"]) == 2


async def test_a_session_is_paused_resumed_and_cancelled_with_its_run(person: Person) -> None:
    run = (await person.ask("One?", end=False))["run"]["id"]
    session = int(person.session)

    async def status() -> str:
        found: str = (await person.call("RunService/GetRun", id=run))["status"]
        return found

    with pytest.raises(RunStateError, match="no run that can resume"):
        await person.call("ChatSessionService/ResumeChatSession", id=session)
    paused = await person.call("ChatSessionService/PauseChatSession", id=session)
    assert (paused["status"], await status()) == ("CHAT_SESSION_STATUS_PAUSED", "RUN_STATUS_PAUSED")
    resumed = await person.call("ChatSessionService/ResumeChatSession", id=session)
    assert (resumed["status"], await status()) == ("CHAT_SESSION_STATUS_ACTIVE", "RUN_STATUS_QUEUED")
    for _ in range(2):
        cancelled = await person.call("ChatSessionService/CancelChatSession", id=session)
        assert (cancelled["status"], await status()) == ("CHAT_SESSION_STATUS_CANCELLED", "RUN_STATUS_CANCELLED")
    with pytest.raises(RunStateError, match="no run that can pause"):
        await person.call("ChatSessionService/PauseChatSession", id=session)
