"""Runs that wait for a person: clarifications, and permission for tools."""

import asyncio

import pytest

from echomind_lib.conversations.forks import fork_session
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.runs.inputs import approve, provide_input
from tests.drivers.agent import Agent
from tests.drivers.model_server import ModelServer, Text, Tools


def ask(question: str = "Which year?", options: list[str] | None = None) -> tuple[str, dict[str, object]]:
    return ("ask_user", {"question": question, "options": options or []})


async def test_a_clarification_frees_the_worker_and_any_worker_resumes_after_its_answer(
    agent: Agent, model_server: ModelServer
) -> None:
    model_server.script([Tools([ask("Which year?", ["2025", "2026"])], text="One thing."), Text("In 2026, ten.")])
    first = agent.start()
    sent = await agent.ask("How many?", askClarifications=True)
    pending = await agent.waits(sent.run_id)
    assert (pending.kind, pending.question) == (run_pb2.PENDING_INPUT_KIND_CLARIFICATION, "Which year?")
    assert list(pending.options) == ["2025", "2026"]
    row = await agent.row(sent.run_id)
    assert (row["status"], row["worker_id"]) == ("waiting_for_input", None)
    assert row["llm_id"] is not None
    await agent.stop(first)
    agent.start()
    await agent.reply(sent.run_id, "2026")
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "One thing.\n\nIn 2026, ten."
    assert model_server.requests[1]["messages"][-1] == {
        "role": "tool",
        "content": "2026",
        "tool_call_id": model_server.requests[1]["messages"][-2]["tool_calls"][0]["id"],
    }
    (step, _) = await agent.steps(sent.run_id)
    assert (step["action"], step["status"]) == ("ask_user", "completed")
    row = await agent.row(sent.run_id)
    assert (row["pending_input"], row["retry_count"], row["attempt"]) == (None, 0, 2)
    stored = await agent.stored(sent.chat_session_id)
    assert [event.text for event in stored if event.HasField("input_requested")] == ["Which year?"]


async def test_without_clarifying_questions_there_is_no_ask_user_tool(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([ask()]), Text("Well.")])
    agent.start()
    assert (await agent.answer()).finished.status == run_pb2.RUN_STATUS_COMPLETED
    names = [tool["function"]["name"] for tool in model_server.requests[0]["tools"]]
    assert "ask_user" not in names
    assert "There is no tool ask_user" in model_server.requests[1]["messages"][-1]["content"]


async def test_other_calls_of_the_step_are_made_before_it_waits(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([ask(), ("look_up", {"key": "a"}), ask("And where?")]), Text("Done.")])
    agent.start()
    sent = await agent.ask(askClarifications=True)
    assert (await agent.waits(sent.run_id)).question == "Which year?"
    assert agent.shelf.calls == [("look_up", "a")]
    await agent.reply(sent.run_id, "2026")
    await agent.until(
        lambda: any(event.input_requested.pending_input.question == "And where?" for event in agent.events)
    )
    await agent.reply(sent.run_id, "Here")
    await agent.end(sent.run_id)
    assert [message["content"] for message in model_server.requests[1]["messages"][-3:]] == [
        "2026",
        "value of a",
        "Here",
    ]
    assert agent.shelf.calls == [("look_up", "a")]


async def test_unrequested_input_is_rejected(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([("wait", {"key": "a"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask()
    await agent.shelf.waiting.wait()
    assert await provide_input(agent.log, sent.run_id, agent.rows.user_id, "x") is None
    assert not await approve(agent.log, sent.run_id, agent.rows.user_id, "", True, "")
    agent.shelf.go.set()
    await agent.end(sent.run_id)
    assert await provide_input(agent.log, sent.run_id, agent.rows.user_id, "x") is None


async def test_the_same_input_counts_once(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([ask()]), Text("Done.")])
    agent.start()
    sent = await agent.ask(askClarifications=True)
    await agent.waits(sent.run_id)
    done = await asyncio.gather(
        *(provide_input(agent.log, sent.run_id, agent.rows.user_id, str(number)) for number in range(8))
    )
    assert sum(each is not None for each in done) == 1
    await agent.wake(sent.run_id)
    await agent.end(sent.run_id)


@pytest.mark.parametrize("approved", [True, False])
async def test_a_tool_that_needs_permission(agent: Agent, model_server: ModelServer, approved: bool) -> None:
    await agent.configure(approvalTools=["look_up"])
    model_server.script([Tools([("look_up", {"key": "a"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask()
    pending = await agent.waits(sent.run_id)
    assert pending.kind == run_pb2.PENDING_INPUT_KIND_APPROVAL
    assert [dict(call.parameters) for call in pending.tool_calls] == [{"key": "a"}]
    assert agent.shelf.calls == []
    await agent.decide(sent.run_id, approved, comment="as you see")
    await agent.end(sent.run_id)
    (call,) = await agent.calls(sent.run_id)
    received = model_server.requests[1]["messages"][-1]["content"]
    if approved:
        assert (call["approval"], call["status"], received) == (
            "granted",
            "completed",
            "value of a\n\nThe person approved this call: as you see",
        )
        assert agent.shelf.calls == [("look_up", "a")]
    else:
        assert (call["approval"], call["status"]) == ("denied", "failed")
        assert "denied" in received
        assert "as you see" in received
        assert agent.shelf.calls == []


async def test_calls_are_decided_one_by_one(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(approvalTools=["look_up"])
    model_server.script([Tools([("look_up", {"key": "a"}), ("look_up", {"key": "b"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask()
    first, second = [call.tool_call_id for call in (await agent.waits(sent.run_id)).tool_calls]
    await agent.decide(sent.run_id, True, first)
    row = await agent.row(sent.run_id)
    assert row["status"] == "waiting_for_input"
    assert [call["toolCallId"] for call in row["pending_input"]["toolCalls"]] == [second]
    await agent.decide(sent.run_id, False, second)
    await agent.end(sent.run_id)
    assert agent.shelf.calls == [("look_up", "a")]


async def test_a_side_effect_has_a_checkpoint_before_it(agent: Agent, model_server: ModelServer) -> None:
    agent.shelf.go.set()
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("Ordered.")])
    agent.start()
    sent = await agent.ask()
    await agent.end(sent.run_id)
    (row,) = await agent.pool.fetch("SELECT * FROM checkpoints")
    assert (row["checkpoint_type"], row["run_id"], row["step_number"]) == ("before_tool", sent.run_id, 1)
    events = [event for event in await agent.stored(sent.chat_session_id) if event.HasField("session_changed")]
    assert [event.session_changed.checkpoint_id for event in events] == [row["id"]]


async def test_a_side_effect_after_untrusted_text_needs_permission(agent: Agent, model_server: ModelServer) -> None:
    agent.shelf.go.set()
    model_server.script(
        [Tools([("news", {"key": "a"})]), Tools([("order", {"key": "pizza"})]), Text("Ordered."), Text("No more.")]
    )
    agent.start()
    sent = await agent.ask()
    pending = await agent.waits(sent.run_id)
    assert (pending.kind, pending.tool_calls[0].tool_name) == (run_pb2.PENDING_INPUT_KIND_APPROVAL, "order")
    assert (await agent.row(sent.run_id))["untrusted"]
    assert agent.shelf.calls == [("news", "a")]
    await agent.decide(sent.run_id, True)
    await agent.end(sent.run_id)
    assert agent.shelf.calls == [("news", "a"), ("order", "pizza")]


async def test_a_waiting_run_is_cancelled(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([ask()])])
    agent.start()
    sent = await agent.ask(askClarifications=True)
    await agent.waits(sent.run_id)
    await agent.control(sent.run_id, "cancelled")
    row = await agent.row(sent.run_id)
    assert (row["status"], row["pending_input"]) == ("cancelled", None)
    (step,) = await agent.steps(sent.run_id)
    (call,) = await agent.calls(sent.run_id)
    assert (step["status"], call["status"]) == ("cancelled", "cancelled")


async def test_the_message_keeps_every_call_and_the_agent_gets_the_comment_of_an_approval(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.configure(approvalTools=["look_up"])
    model_server.script(
        [Tools([("news", {"key": "a"})]), Tools([("look_up", {"key": "b"})]), Text("Done."), Text("And again.")]
    )
    agent.start()
    sent = await agent.ask()
    await agent.waits(sent.run_id)
    await agent.decide(sent.run_id, True, comment="Only this once.")
    await agent.end(sent.run_id)
    kept = await agent.pool.fetchval("SELECT tool_calls FROM chat_messages WHERE id = $1", sent.assistant_message_id)
    assert kept == [
        {"toolName": "news", "parameters": {"key": "a"}},
        {"toolName": "look_up", "parameters": {"key": "b"}},
    ]
    received = model_server.requests[2]["messages"][-1]["content"]
    assert received == "value of b\n\nThe person approved this call: Only this once."


async def test_a_run_cancelled_while_it_waits_keeps_its_calls_in_its_message(
    agent: Agent, model_server: ModelServer
) -> None:
    model_server.script([Tools([("look_up", {"key": "a"}), ask()])])
    agent.start()
    sent = await agent.ask(askClarifications=True)
    await agent.waits(sent.run_id)
    await agent.control(sent.run_id, "cancelled")
    message = await agent.pool.fetchrow("SELECT * FROM chat_messages WHERE id = $1", sent.assistant_message_id)
    assert message is not None
    assert message["status"] == "cancelled"
    assert [call["toolName"] for call in message["tool_calls"]] == ["look_up", "ask_user"]


@pytest.mark.parametrize("forked", [False, True])
async def test_untrusted_text_of_an_earlier_run_blocks_side_effects(
    agent: Agent, model_server: ModelServer, forked: bool
) -> None:
    model_server.script(
        [
            Tools([("news", {"key": "a"})]),
            Text("It says: order pizza."),
            Tools([("order", {"key": "pizza"})]),
            Text("Done."),
        ]
    )
    agent.start()
    agent.shelf.go.set()
    first = await agent.ask()
    await agent.end(first.run_id)
    session_id = first.chat_session_id
    if forked:
        session_id = (await fork_session(agent.log, session_id, 0, agent.rows.user_id)).session_id
    second = await agent.ask("And?", session_id)
    pending = await agent.waits(second.run_id)
    assert pending.kind == run_pb2.PENDING_INPUT_KIND_APPROVAL
    assert agent.shelf.calls == [("news", "a")]
    await agent.decide(second.run_id, True)
    await agent.end(second.run_id)


async def test_without_history_an_earlier_run_holds_nothing_back(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(addHistoryToContext=False)
    model_server.script(
        [Tools([("news", {"key": "a"})]), Text("News."), Tools([("order", {"key": "pizza"})]), Text("Done.")]
    )
    agent.start()
    agent.shelf.go.set()
    first = await agent.ask()
    await agent.end(first.run_id)
    await agent.answer("And?", first.chat_session_id)
    assert agent.shelf.calls == [("news", "a"), ("order", "pizza")]
