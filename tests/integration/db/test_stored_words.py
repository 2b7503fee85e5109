"""Migrations that replace stored words by those of the present contract, tested with rows of older schemas."""

import json
from datetime import UTC, datetime, timedelta

from google.protobuf import json_format

from echomind_lib.db import migrate
from echomind_lib.jobs import SUMMARIZE_SESSION
from echomind_lib.pb.echomind.public.v1 import session_event_pb2, step_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from tests.drivers.stored_rows import Stored

RUN = "01980000-0000-7000-8000-000000000001"
SUB_RUN = "01980000-0000-7000-8000-000000000002"

PARALLEL = '{"calls": [{"tool": "fork", "arguments": {"goal": "A"}}, {"tool" :"calculator"}]}'
LINES = [{"runId": RUN, "text": "fork(goal: A) → Found A.; fork(goal: B) → a pitchfork(goal: none)"}]
NEW_LINES = [
    {"runId": RUN, "text": "spawn_sub_agent(goal: A) → Found A.; spawn_sub_agent(goal: B) → a pitchfork(goal: none)"}
]


async def _session_with_a_fork(stored: Stored) -> int:
    user = await stored.insert("users", user_name="u", email="u@example.com")
    assistant = await stored.insert(
        "assistants", name="A", config={"tools": ["search_documents", "fork"], "approvalTools": ["fork"], "maxSteps": 5}
    )
    session: int = await stored.insert(
        "chat_sessions", user_id=user, assistant_id=assistant, title="T", mode="chat", important_steps=LINES
    )
    waits = {
        "kind": "PENDING_INPUT_KIND_APPROVAL",
        "toolCalls": [{"toolCallId": "1", "toolName": "fork"}, {"toolCallId": "2", "toolName": "order"}],
    }
    await stored.insert(
        "runs", id=RUN, user_id=user, chat_session_id=session, kind="agent", status="waiting_for_input",
        pending_input=waits,
    )  # fmt: skip
    step = await stored.insert(
        "steps", run_id=RUN, step_number=1, step_type="action", action="fork", status="running",
        llm_output={
            "text": "In parts.",
            "tool_calls": [
                {"id": "1", "name": "fork", "arguments": '{"goal": "A"}'},
                {"id": "2", "name": "call_in_parallel", "arguments": PARALLEL},
                {"id": "3", "name": "call_in_parallel", "arguments": '{"calls": [{"tool": "fork", \\u0000'},
                {"id": "4", "name": "order", "arguments": '{"tool": "fork"}'},
            ],
        },
    )  # fmt: skip
    await stored.insert("tool_calls", step_id=step, tool_call_id="1", tool_name="fork", status="running")
    await stored.insert("tool_calls", step_id=step, tool_call_id="2", tool_name="order", status="pending")
    await stored.insert(
        "runs", id=SUB_RUN, user_id=user, chat_session_id=session, kind="fork", status="queued", parent_run_id=RUN,
        parent_step_id=step, depth=1,
    )  # fmt: skip
    await stored.insert(
        "chat_messages", chat_session_id=session, role="assistant", content="So.",
        tool_calls=[{"toolName": "fork", "parameters": {"goal": "fork"}}, {"toolName": "order", "parameters": {}}],
    )  # fmt: skip
    await stored.insert(
        "checkpoints", chat_session_id=session, name="C", checkpoint_type="manual",
        session_state={"goal": None, "important_steps": LINES},
    )  # fmt: skip
    for payload in (
        {"forked": {"runId": SUB_RUN, "goal": "A", "depth": 1, "toolCallId": "1"}},
        {"step": {"stepNumber": 1, "action": "STEP_ACTION_FORK", "status": "STEP_STATUS_RUNNING"}},
        {"toolCall": {"toolCallId": "1", "toolName": "fork", "parameters": {"goal": "fork"}}},
        {"inputRequested": {"pendingInput": waits}},
        {"toolCall": {"toolCallId": "2", "toolName": "order", "parameters": {"toolName": "fork"}}},
    ):
        await stored.insert("run_events", chat_session_id=session, run_id=RUN, kind="progress", payload=payload)
    return session


async def test_stored_forks_become_sub_agents_and_back(stored: Stored) -> None:
    await stored.migrate("upgrade", "0007")
    await _session_with_a_fork(stored)
    payloads = "SELECT payload FROM run_events ORDER BY id"
    before = await stored.json(payloads)

    await stored.migrate("upgrade", "0008")

    assert await stored.values("SELECT kind FROM runs ORDER BY id") == ["agent", "sub_agent"]
    assert await stored.values("SELECT action FROM steps") == ["delegate"]
    assert await stored.values("SELECT tool_name FROM tool_calls ORDER BY id") == ["spawn_sub_agent", "order"]
    (calls,) = await stored.json("SELECT llm_output -> 'tool_calls' FROM steps")
    assert [call["name"] for call in calls] == ["spawn_sub_agent", "call_in_parallel", "call_in_parallel", "order"]
    assert json.loads(calls[1]["arguments"])["calls"] == [
        {"tool": "spawn_sub_agent", "arguments": {"goal": "A"}},
        {"tool": "calculator"},
    ]
    assert calls[3]["arguments"] == '{"tool": "fork"}'
    assert await stored.json("SELECT config FROM assistants WHERE name = 'A'") == [
        {"tools": ["search_documents", "spawn_sub_agent"], "approvalTools": ["spawn_sub_agent"], "maxSteps": 5}
    ]
    (waits,) = await stored.json("SELECT pending_input FROM runs WHERE pending_input IS NOT NULL")
    assert [call["toolName"] for call in waits["toolCalls"]] == ["spawn_sub_agent", "order"]
    assert await stored.json("SELECT tool_calls FROM chat_messages") == [
        [{"toolName": "spawn_sub_agent", "parameters": {"goal": "fork"}}, {"toolName": "order", "parameters": {}}]
    ]
    assert await stored.json("SELECT important_steps FROM chat_sessions") == [NEW_LINES]
    assert await stored.json("SELECT session_state -> 'important_steps' FROM checkpoints") == [NEW_LINES]
    started, step, call, asked, other = await stored.json(payloads)
    assert started == {"subRunStarted": {"runId": SUB_RUN, "goal": "A", "depth": 1, "toolCallId": "1"}}
    assert step["step"] == {"stepNumber": 1, "action": "STEP_ACTION_DELEGATE", "status": "STEP_STATUS_RUNNING"}
    assert call["toolCall"] == {"toolCallId": "1", "toolName": "spawn_sub_agent", "parameters": {"goal": "fork"}}
    assert asked == {"inputRequested": {"pendingInput": waits}}
    assert other == before[4]

    await stored.migrate("downgrade", "0007")

    assert await stored.json(payloads) == before
    assert await stored.values("SELECT kind FROM runs ORDER BY id") == ["agent", "fork"]
    assert await stored.values("SELECT action FROM steps") == ["fork"]

    await stored.migrate("upgrade", "head")
    assert await migrate.current(stored.url) == migrate.head()


async def test_stored_events_are_those_of_the_present_contract(stored: Stored) -> None:
    await stored.migrate("upgrade", "0009")
    user = await stored.insert("users", user_name="u", email="u@example.com")
    assistant = await stored.insert("assistants", name="A")
    session = await stored.insert("chat_sessions", user_id=user, assistant_id=assistant, title="T", mode="chat")
    pending = [{"toolCallId": "a", "toolName": "order", "parameters": {"key": "b"}, "sideEffect": True}]
    waits = {
        "kind": "PENDING_INPUT_KIND_APPROVAL",
        "toolCalls": [
            call | {"status": "STEP_STATUS_PENDING", "approval": "TOOL_APPROVAL_REQUIRED"} for call in pending
        ],
    }
    await stored.insert(
        "runs", id=RUN, user_id=user, chat_session_id=session, kind="agent", status="waiting_for_input",
        pending_input=waits,
    )  # fmt: skip
    began = {"parameters": {"key": "b"}, "status": "STEP_STATUS_PENDING", "approval": "TOOL_APPROVAL_REQUIRED"}
    # The model calls both calls `a`; each event belongs to the step that was the last one then.
    for minute, step_number in enumerate((1, 2)):
        at = datetime(2026, 11, 22, 12, minute, tzinfo=UTC)
        step = await stored.insert(
            "steps", run_id=RUN, step_number=step_number, step_type="action", action="call_tool", status="running",
            creation_date=at,
        )  # fmt: skip
        await stored.insert("tool_calls", step_id=step, tool_call_id="a", tool_name="order", status="pending")
        for seconds, change in ((0, began), (5, {"status": "STEP_STATUS_COMPLETED", "result": "Done."})):
            await stored.insert(
                "run_events", chat_session_id=session, run_id=RUN, kind="progress", text="Ordering",
                payload={"toolCall": {"toolCallId": "a", "toolName": "order"} | change},
                creation_date=at + timedelta(seconds=seconds),
            )  # fmt: skip
    asked = {"inputRequested": {"pendingInput": waits}}
    await stored.insert("run_events", chat_session_id=session, run_id=RUN, kind="status", payload=asked)
    excluded = {"sessionChanged": {"change": "SESSION_CHANGE_DISCARDED"}}
    await stored.insert("run_events", chat_session_id=session, kind="progress", payload=excluded)

    await stored.migrate("upgrade", "0011")

    first, first_end, second, second_end, asks, exclusion = await stored.events(session)
    assert [event.tool_call.step_number for event in (first, first_end, second, second_end)] == [1, 1, 2, 2]
    assert first.tool_call.approval == step_pb2.TOOL_APPROVAL_REQUIRED
    assert not first.tool_call.HasField("result")
    assert not first_end.tool_call.HasField("parameters")
    assert (first_end.tool_call.result, first_end.tool_call.HasField("approval")) == ("Done.", False)
    (call,) = asks.input_requested.pending_input.tool_calls
    assert (call.tool_call_id, call.parameters["key"], call.side_effect) == ("a", "b", True)
    assert exclusion.session_changed.change == session_event_pb2.SESSION_CHANGE_EXCLUDED
    (kept,) = await stored.json("SELECT pending_input FROM runs")
    assert kept == {"kind": "PENDING_INPUT_KIND_APPROVAL", "toolCalls": pending}
    # All stored payloads are valid in the contract.
    for payload in await stored.json("SELECT payload FROM run_events"):
        json_format.ParseDict(payload, SessionEvent())


async def test_summaries_and_denials_have_the_present_words_and_back(stored: Stored) -> None:
    await stored.migrate("upgrade", "0011")
    user = await stored.insert("users", user_name="u", email="u@example.com")
    config = {"compressAfterTokens": 500, "maxSteps": 5}
    assistant = await stored.insert("assistants", name="A", config=config)
    await stored.insert("assistants", name="B", config={"maxSteps": 5})
    session = await stored.insert("chat_sessions", user_id=user, assistant_id=assistant, title="T", mode="chat")
    for kind in ("compress_session", "connector.scope"):
        await stored.insert("background_jobs", kind=kind, subject_id=str(session), unique_key=f"{kind}:{session}")
    await stored.insert("runs", id=RUN, user_id=user, chat_session_id=session, kind="agent", status="waiting_for_input")
    step = await stored.insert("steps", run_id=RUN, step_number=1, step_type="action", status="running")
    denial = "The person declined this call: The person declined this call before"
    calls = (
        {"approval": "declined", "status": "failed", "error_message": denial},
        {"approval": "declined", "status": "failed", "error_message": "Another error"},
        {"approval": "declined", "status": "cancelled"},
        {"approval": "granted", "status": "completed", "result": "The person declined this call"},
        {"status": "failed", "error_message": "The person declined this call"},
    )
    for number, call in enumerate(calls):
        await stored.insert("tool_calls", step_id=step, tool_call_id=str(number), tool_name="order", **call)
    ended = {"stepNumber": 1, "toolCallId": "0", "toolName": "order", "status": "STEP_STATUS_FAILED"}
    for payload in (
        {"sessionChanged": {"change": "SESSION_CHANGE_COMPRESSED", "headMessageId": "5"}},
        {"toolCall": ended | {"approval": "TOOL_APPROVAL_DECLINED", "errorMessage": denial}},
        {"toolCall": ended | {"toolCallId": "2", "approval": "TOOL_APPROVAL_DECLINED"}},
        {"toolCall": ended | {"toolCallId": "4", "errorMessage": "The person declined this call"}},
    ):
        await stored.insert("run_events", chat_session_id=session, run_id=RUN, kind="progress", payload=payload)
    queries = (
        "SELECT to_jsonb(background_jobs) FROM background_jobs ORDER BY id",
        "SELECT config FROM assistants WHERE name IN ('A', 'B') ORDER BY name",
        "SELECT to_jsonb(tool_calls) FROM tool_calls ORDER BY id",
        "SELECT payload FROM run_events ORDER BY id",
    )
    before = [await stored.json(query) for query in queries]

    await stored.migrate("upgrade", "0012")

    assert await stored.values("SELECT kind FROM background_jobs ORDER BY id") == [
        SUMMARIZE_SESSION.name,
        "connector.scope",
    ]
    assert await stored.values("SELECT unique_key FROM background_jobs ORDER BY id") == [
        SUMMARIZE_SESSION.unique_key(str(session)),
        f"connector.scope:{session}",
    ]
    assert await stored.json(queries[1]) == [{"summarizeAfterTokens": 500, "maxSteps": 5}, {"maxSteps": 5}]
    assert await stored.values("SELECT approval FROM tool_calls ORDER BY id") == [
        *["denied"] * 3,
        "granted",
        None,
    ]
    denied = "The person denied this call: The person declined this call before"
    assert await stored.values("SELECT error_message FROM tool_calls ORDER BY id") == [
        denied,
        "Another error",
        None,
        None,
        "The person declined this call",
    ]
    summarized, denial_event, cancelled, other = await stored.events(session)
    assert summarized.session_changed.change == session_event_pb2.SESSION_CHANGE_SUMMARIZED
    assert summarized.session_changed.head_message_id == 5
    assert denial_event.tool_call.approval == step_pb2.TOOL_APPROVAL_DENIED
    assert denial_event.tool_call.error_message == denied
    assert cancelled.tool_call.approval == step_pb2.TOOL_APPROVAL_DENIED
    assert not cancelled.tool_call.HasField("error_message")
    assert other.tool_call.error_message == "The person declined this call"

    await stored.migrate("downgrade", "0011")

    after = [await stored.json(query) for query in queries]
    for rows_after, rows_before in zip(after, before, strict=True):
        assert [row | {"last_update": None} for row in rows_after] == [
            row | {"last_update": None} for row in rows_before
        ]

    await stored.migrate("upgrade", "head")
    assert await migrate.current(stored.url) == migrate.head()
