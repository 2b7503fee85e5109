"""Cancelling, pausing and resuming runs, and the events that live readers get."""

from functools import partial

import pytest

from echomind_agent.tools.documents import search_documents
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2 as pb
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2, run_pb2
from echomind_lib.runs.controls import move_run
from tests.drivers.agent import Agent
from tests.drivers.model_server import Hang, ModelServer, Text, Tools
from tests.drivers.stack import Stack


async def test_cancel_stops_the_models_stream_at_once(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Hang("The beginning")])
    agent.start()
    sent = await agent.ask()
    await agent.until(lambda: agent.texts(sent.assistant_message_id).get(1) == "The beginning")
    await agent.control(sent.run_id, "cancelled")
    await model_server.wait_for_disconnects(1)
    final = await agent.end(sent.run_id)
    assert final.finished.status == run_pb2.RUN_STATUS_CANCELLED
    assert final.finished.message.content == "The beginning"
    assert final.finished.message.status == chat_message_pb2.MESSAGE_STATUS_CANCELLED
    row = await agent.row(sent.run_id)
    assert (row["status"], row["control_requested"]) == ("cancelled", None)
    (step,) = await agent.steps(sent.run_id)
    assert (step["status"], step["llm_output"]["text"]) == ("cancelled", "The beginning")


async def test_cancel_while_a_tool_runs(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([("wait", {"key": "a"})])])
    agent.start()
    sent = await agent.ask()
    await agent.shelf.waiting.wait()
    await agent.control(sent.run_id, "cancelled")
    assert (await agent.end(sent.run_id)).finished.status == run_pb2.RUN_STATUS_CANCELLED
    assert len(model_server.requests) == 1


async def test_cancel_whose_announcement_is_lost(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Hang("So far")])
    agent.start()
    sent = await agent.ask()
    await agent.until(lambda: 1 in agent.texts(sent.assistant_message_id))
    await agent.pool.execute("UPDATE runs SET control_requested = 'cancel' WHERE id = $1", sent.run_id)
    assert (await agent.end(sent.run_id)).finished.status == run_pb2.RUN_STATUS_CANCELLED


async def test_pause_waits_for_the_end_of_the_step_and_resume_continues_from_there(
    agent: Agent, model_server: ModelServer
) -> None:
    model_server.script([Tools([("wait", {"key": "a"})], text="Let me see."), Text("Done.")])
    first = agent.start()
    sent = await agent.ask()
    await agent.shelf.waiting.wait()
    await agent.control(sent.run_id, "paused")
    agent.shelf.go.set()
    await agent.until(lambda: any(event.status.status == run_pb2.RUN_STATUS_PAUSED for event in agent.events))
    row = await agent.row(sent.run_id)
    assert (row["status"], row["worker_id"], row["control_requested"]) == ("paused", None, None)
    message = await agent.pool.fetchval("SELECT content FROM chat_messages WHERE id = $1", sent.assistant_message_id)
    assert message == "Let me see."
    assert len(model_server.requests) == 1
    await agent.stop(first)
    agent.start()
    await agent.control(sent.run_id, "queued")
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "Let me see.\n\nDone."
    assert agent.shelf.calls == [("wait", "a")]
    row = await agent.row(sent.run_id)
    assert (row["retry_count"], row["steps_executed"]) == (0, 2)


def _has_paused(agent: Agent, times: int) -> bool:
    return sum(event.status.status == run_pb2.RUN_STATUS_PAUSED for event in agent.events) == times


async def test_numbers_of_a_paused_text_name_their_sources_until_it_goes_on_or_is_cancelled(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    await stack.index("# Leave\n\nYou get 30 days of paid annual leave.\n", "leave.md")
    text = "You get 30 days of paid annual leave [1]."
    search = Tools([("search_documents", {"query": "annual leave", "limit": 1})])
    model_server.script([search, Tools([("wait", {"key": "a"})], text=text), Tools([("wait", {"key": "b"})])])
    agent.start([search_documents(stack.retriever), *agent.shelf.tools()])
    sent = await agent.ask("What do I get?")
    numbers = "SELECT array_agg(number) FROM chat_message_documents WHERE chat_message_id = $1"
    for paused in (1, 2):
        await agent.shelf.waiting.wait()
        await agent.control(sent.run_id, "paused")
        agent.shelf.waiting.clear()
        agent.shelf.go.set()
        await agent.until(partial(_has_paused, agent, paused))
        agent.shelf.go.clear()
        assert await agent.pool.fetchval(numbers, sent.assistant_message_id) == [1]
        if paused == 1:
            await agent.control(sent.run_id, "queued")
    await agent.control(sent.run_id, "cancelled")
    await agent.end(sent.run_id)
    row = await agent.pool.fetchrow(
        "SELECT status, content FROM chat_messages WHERE id = $1", sent.assistant_message_id
    )
    assert row is not None
    assert tuple(row) == ("cancelled", text)
    assert await agent.pool.fetchval(numbers, sent.assistant_message_id) == [1]


async def test_a_paused_run_keeps_its_sources_and_numbers_without_any_event(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    """An operator may delete events at any time."""
    for name, text in (("leave", "You get 30 days of paid annual leave."), ("beer", "The fridge holds free beer.")):
        await stack.index(f"# {name.capitalize()}\n\n{text}\n", f"{name}.md")
    searches = [Tools([("search_documents", {"query": query, "limit": 1})]) for query in ("annual leave", "free beer")]
    answer = "You get 30 days of paid annual leave [1]. The fridge holds free beer [2]."
    model_server.script([searches[0], Tools([("wait", {"key": "a"})]), searches[1], Text(answer)])
    tools = [search_documents(stack.retriever), *agent.shelf.tools()]
    first = agent.start(tools)
    sent = await agent.ask("What do I get?")
    await agent.shelf.waiting.wait()
    await agent.control(sent.run_id, "paused")
    agent.shelf.go.set()
    await agent.until(lambda: any(event.status.status == run_pb2.RUN_STATUS_PAUSED for event in agent.events))
    await agent.stop(first)
    await agent.pool.execute("DELETE FROM run_events")
    agent.start(tools)
    await agent.control(sent.run_id, "queued")
    message = (await agent.end(sent.run_id)).finished.message
    assert message.content == answer
    assert {(citation.number, citation.title, citation.supported) for citation in message.citations} == {
        (1, "Leave", True),
        (2, "Beer", True),
    }


async def test_a_pause_that_the_worker_did_not_hear_of_holds_at_the_steps_end(
    agent: Agent, model_server: ModelServer
) -> None:
    model_server.script([Tools([("wait", {"key": "a"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask()
    await agent.shelf.waiting.wait()
    assert await move_run(agent.log, sent.run_id, "paused")
    agent.shelf.go.set()
    await agent.until(lambda: any(event.status.status == run_pb2.RUN_STATUS_PAUSED for event in agent.events))
    assert len(model_server.requests) == 1


@pytest.mark.parametrize("heard", [True, False])
async def test_a_pause_that_has_not_taken_effect_is_taken_back(
    agent: Agent, model_server: ModelServer, heard: bool
) -> None:
    model_server.script([Tools([("wait", {"key": "a"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask()
    await agent.shelf.waiting.wait()
    await agent.control(sent.run_id, "paused")
    if heard:
        await agent.control(sent.run_id, "queued")
    else:
        assert await move_run(agent.log, sent.run_id, "queued")
    assert not await move_run(agent.log, sent.run_id, "queued")
    agent.shelf.go.set()
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "Done."
    assert not any(event.status.status == run_pb2.RUN_STATUS_PAUSED for event in agent.events)
    row = await agent.row(sent.run_id)
    assert (row["retry_count"], row["steps_executed"]) == (0, 2)
    assert agent.shelf.calls == [("wait", "a")]


async def test_time_that_was_spent_before_a_pause_counts(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Hang("x")])
    sent = await agent.send("What?")
    await agent.pool.execute("UPDATE runs SET seconds_spent = 59.5, timeout_seconds = 60")
    agent.start()
    await agent.wake(sent.run_id)
    final = await agent.end(sent.run_id)
    assert final.finished.status == run_pb2.RUN_STATUS_TIMEOUT


async def test_snapshot_of_the_text_so_far(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Hang("The beginning")])
    agent.start()
    sent = await agent.ask()
    await agent.until(lambda: agent.texts(sent.assistant_message_id).get(1) == "The beginning")
    reply = await agent.bus.request(f"snapshot.{sent.run_id}", pb.SnapshotRequest(), pb.SnapshotReply, 2.0)
    assert reply is not None
    assert (reply.snapshot.message_id, reply.snapshot.attempt) == (sent.assistant_message_id, 1)
    assert reply.snapshot.text == "The beginning"
    await agent.control(sent.run_id, "cancelled")
    await agent.end(sent.run_id)
    assert await agent.bus.request(f"snapshot.{sent.run_id}", pb.SnapshotRequest(), pb.SnapshotReply, 0.1) is None
