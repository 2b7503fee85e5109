"""Calls that change something, and whose effect is not known."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from echomind_agent.toolset.registry import RetryableToolError, Tool, ToolContext, ToolError, tool
from echomind_lib.db.words import RunStatus
from echomind_lib.errors import DependencyUnavailableError, NotFoundError
from echomind_lib.pb.echomind.public.v1 import run_pb2, step_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.inputs import OUTCOME_UNKNOWN
from echomind_lib.runs.states import run_status
from tests.drivers.agent import Agent
from tests.drivers.mcp_server import served
from tests.drivers.mcp_switch import Switch
from tests.drivers.model_server import ModelServer, Text, Tools

UNKNOWN = {
    "time-out": TimeoutError(),
    "may pass": RetryableToolError("The gateway gave up."),
    "broken answer": ToolError("Nobody can read the answer.", is_effect_known=False),
    "dependency": DependencyUnavailableError("The shop is away.", dependency="shop"),
    "fault": ZeroDivisionError(),
}
KNOWN = {
    "not sent": RetryableToolError("The shop cannot be reached.", is_effect_known=True),
    "refused": ToolError("There is no such thing."),
    "not found": NotFoundError("The shop has closed."),
}


class Shop:
    """A tool with a side effect, whose calls fail by their key."""

    def __init__(self) -> None:
        self.ordered: list[str] = []

    def tools(self) -> Sequence[Tool]:
        @tool(progress=lambda given: f"Ordering {given.key}", side_effect=True)
        async def order(context: ToolContext, key: str) -> str:
            """Orders something."""
            self.ordered.append(key)
            raise (UNKNOWN | KNOWN)[key]

        return [order]


def asked(agent: Agent) -> list[run_pb2.PendingInput]:
    return [e.input_requested.pending_input for e in agent.events if e.HasField("input_requested")]


def has_begun(event: SessionEvent, name: str) -> bool:
    return event.tool_call.tool_name == name and event.tool_call.status == step_pb2.STEP_STATUS_RUNNING


async def test_whoever_cannot_know_whether_a_call_took_effect_asks_the_person(
    agent: Agent, model_server: ModelServer
) -> None:
    shop = Shop()
    model_server.script([Tools([("order", {"key": key}) for key in UNKNOWN]), Text("I see.")])
    agent.start(shop.tools())
    sent = await agent.ask()
    answered: list[str] = []
    for key in UNKNOWN:
        await agent.until(lambda: len(asked(agent)) > len(answered))
        pending = asked(agent)[-1]
        answered.append(key)
        assert pending.kind == run_pb2.PENDING_INPUT_KIND_OUTCOME, key
        assert [call.parameters["key"] for call in pending.tool_calls] == [key]
        await agent.reply(sent.run_id, f"{key}: it came.")
    await agent.end(sent.run_id)
    assert sorted(shop.ordered) == sorted(UNKNOWN)
    assert {call["status"] for call in await agent.calls(sent.run_id)} == {"failed"}
    received = [message["content"] for message in model_server.requests[1]["messages"] if message["role"] == "tool"]
    assert all("outcome_unknown" in text for text in received)
    assert [key for key, text in zip(UNKNOWN, received, strict=True) if f"{key}: it came." in text] == list(UNKNOWN)
    assert "The gateway gave up." in {event.text for event in await agent.stored(sent.chat_session_id)}


async def test_a_call_that_certainly_changed_nothing_asks_nobody(agent: Agent, model_server: ModelServer) -> None:
    shop = Shop()
    model_server.script([Tools([("order", {"key": key}) for key in KNOWN]), Text("I see.")])
    agent.start(shop.tools())
    sent = await agent.ask()
    assert (await agent.end(sent.run_id)).finished.status == run_pb2.RUN_STATUS_COMPLETED
    assert sorted(shop.ordered) == sorted(KNOWN)
    errors = ["The shop cannot be reached.", "There is no such thing.", "The shop has closed."]
    assert [call["error_message"] for call in await agent.calls(sent.run_id)] == errors


async def test_a_change_that_does_not_answer_in_time_is_put_to_the_person(
    agent: Agent, model_server: ModelServer
) -> None:
    tools = [replace(each, timeout=0.3) if each.name == "order" else each for each in agent.shelf.tools()]
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("It is on its way.")])
    agent.start(tools)
    sent = await agent.ask()
    pending = await agent.waits(sent.run_id)
    assert pending.kind == run_pb2.PENDING_INPUT_KIND_OUTCOME
    (call,) = await agent.calls(sent.run_id)
    assert (call["status"], call["status_message"]) == ("running", "order did not answer within 0.3 seconds.")
    await agent.reply(sent.run_id, "The pizza is here.")
    assert (await agent.end(sent.run_id)).finished.message.content == "It is on its way."
    assert agent.shelf.calls == [("order", "pizza")]
    assert "The pizza is here." in model_server.requests[1]["messages"][-1]["content"]


async def test_a_proxy_that_gives_up_does_not_say_whether_its_server_made_the_change(
    agent: Agent, model_server: ModelServer
) -> None:
    switch = Switch([])

    def call_while_the_proxy_fails(_: Any) -> Tools:
        switch.status = 502
        return Tools([("test__delete_all", {})])

    async with served(switch.around) as url:
        server = {"name": "test", "transport": "MCP_TRANSPORT_STREAMABLE_HTTP", "url": url, "allowedTools": ["*"]}
        await agent.configure(mcpServers=[server])
        model_server.respond(call_while_the_proxy_fails)
        agent.start()
        sent = await agent.ask("Tidy up")
        pending = await agent.waits(sent.run_id)
    assert pending.kind == run_pb2.PENDING_INPUT_KIND_OUTCOME
    assert [call.tool_name for call in pending.tool_calls] == ["test__delete_all"]


@pytest.mark.parametrize("ending", ["cancelled", "timeout"])
async def test_a_run_that_ends_during_a_change_says_that_it_may_have_taken_effect(
    agent: Agent, model_server: ModelServer, ending: RunStatus
) -> None:
    model_server.script([Tools([("order", {"key": "pizza"}), ("wait", {"key": "w"})]), Text("I see.")])
    agent.start()
    sent = await agent.ask(timeoutSeconds=5 if ending == "timeout" else 100)
    await agent.until(lambda: any(has_begun(event, "order") for event in agent.events))
    if ending == "cancelled":
        await agent.control(sent.run_id, "cancelled")
    final = await agent.end(sent.run_id)
    assert final.finished.status == run_status(ending)
    order, wait = await agent.calls(sent.run_id)
    assert (order["status"], order["error_message"]) == ("failed", OUTCOME_UNKNOWN)
    assert wait["status"] == ending
    told = [e.tool_call for e in await agent.stored(sent.chat_session_id) if e.tool_call.error_message]
    assert [(each.tool_name, each.error_message) for each in told] == [("order", OUTCOME_UNKNOWN)]
    await agent.answer("And?", sent.chat_session_id)
    asked_again = str(model_server.requests[-1]["messages"])
    assert "order(key: pizza) → outcome_unknown." in asked_again


async def test_a_run_that_is_cancelled_while_it_asks_how_a_change_went_keeps_that_nobody_knows(
    agent: Agent, model_server: ModelServer
) -> None:
    shop = Shop()
    model_server.script([Tools([("order", {"key": "fault"})])])
    agent.start(shop.tools())
    sent = await agent.ask()
    await agent.waits(sent.run_id)
    await agent.control(sent.run_id, "cancelled")
    await agent.end(sent.run_id)
    (call,) = await agent.calls(sent.run_id)
    assert (call["status"], call["error_message"]) == ("failed", OUTCOME_UNKNOWN)


@pytest.mark.parametrize("strategy", ["ANY", "MAJORITY"])
async def test_a_call_that_changes_something_is_never_cut_off(
    agent: Agent, model_server: ModelServer, strategy: str
) -> None:
    await agent.configure(waitStrategy=f"WAIT_STRATEGY_{strategy}")
    model_server.script(
        [Tools([("order", {"key": "pizza"}), ("look_up", {"key": "a"}), ("look_up", {"key": "b"})]), Text("Done.")]
    )
    agent.start()
    sent = await agent.ask()
    await agent.shelf.waiting.wait()
    found = [step_pb2.STEP_STATUS_COMPLETED] * 2
    await agent.until(lambda: [e.tool_call.status for e in agent.events if e.tool_call.result] == found)
    agent.shelf.go.set()
    await agent.end(sent.run_id)
    assert {call["status"] for call in await agent.calls(sent.run_id)} == {"completed"}
    assert (await agent.steps(sent.run_id))[0]["wait_strategy"] == "all"
    assert "waited for pizza" in [m["content"] for m in model_server.requests[1]["messages"] if m["role"] == "tool"]
