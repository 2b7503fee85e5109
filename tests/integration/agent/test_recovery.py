"""Workers that die, hand over, and miss wake-ups; servers that are unavailable for a while."""

import asyncio
from collections import Counter
from typing import Any

import pytest

from echomind_lib.db.database import Database
from echomind_lib.pb.echomind.public.v1 import run_pb2, step_pb2
from echomind_lib.runs.record import RUN_RETRIES
from tests.drivers.agent import Agent
from tests.drivers.model_server import Hang, ModelServer, Text, Tools


async def test_a_run_names_the_version_of_its_assistant_that_it_began_with(
    agent: Agent, model_server: ModelServer
) -> None:
    version = "UPDATE assistants SET version = $1"
    await agent.pool.execute(version, 2)
    sent = await agent.send("What?")
    await agent.pool.execute(version, 3)
    model_server.script([Hang("So far ")])
    agent.start()
    await agent.wake(sent.run_id)
    await model_server.wait_for_requests(1)
    await agent.pool.execute(version, 4)
    await agent.control(sent.run_id, "cancelled")
    await agent.end(sent.run_id)
    assert await agent.pool.fetchval("SELECT assistant_version FROM runs WHERE id = $1", sent.run_id) == 3


async def test_completed_calls_are_not_made_again(agent: Agent, postgres_url: str, model_server: ModelServer) -> None:
    calls: list[tuple[str, Any]] = [("look_up", {"key": "a"}), ("wait", {"key": "b"})]
    model_server.script([Tools(calls, text="Looking."), Text("Done.")])
    own = await Database.connect(postgres_url)
    worker = agent.start(database=own)
    sent = await agent.ask()
    await agent.shelf.waiting.wait()
    await agent.until(lambda: any(e.tool_call.status == step_pb2.STEP_STATUS_COMPLETED for e in agent.events))
    await agent.kill(worker, own)
    agent.shelf.go.set()
    agent.start()
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "Looking.\n\nDone."
    assert Counter(agent.shelf.calls) == {("look_up", "a"): 1, ("wait", "b"): 2}
    assert [message["content"] for message in model_server.requests[1]["messages"][-2:]] == [
        "value of a",
        "waited for b",
    ]
    row = await agent.row(sent.run_id)
    assert (row["attempt"], row["retry_count"], row["steps_executed"], row["tools_called"]) == (2, 1, 2, 2)
    assert [step["status"] for step in await agent.steps(sent.run_id)] == ["completed", "completed"]


async def test_an_answer_interrupted_in_mid_stream_is_written_again(
    agent: Agent, postgres_url: str, model_server: ModelServer
) -> None:
    model_server.script([Hang("Half of"), Text("All of it.")])
    own = await Database.connect(postgres_url)
    worker = agent.start(database=own)
    sent = await agent.ask()
    await agent.until(lambda: agent.texts(sent.assistant_message_id).get(1) == "Half of")
    await agent.kill(worker, own)
    agent.start()
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "All of it."
    assert (await agent.row(sent.run_id))["attempt"] == 2
    answers = await agent.pool.fetchval(
        "SELECT count(*) FROM chat_messages WHERE chat_session_id = $1 AND role = 'assistant'", sent.chat_session_id
    )
    assert answers == 1


async def test_call_with_a_side_effect_is_never_repeated_and_put_to_the_person(
    agent: Agent, postgres_url: str, model_server: ModelServer
) -> None:
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("It may be on its way.")])
    own = await Database.connect(postgres_url)
    worker = agent.start(database=own)
    sent = await agent.ask()
    await agent.shelf.waiting.wait()
    await agent.kill(worker, own)
    agent.start()
    pending = await agent.waits(sent.run_id)
    assert pending.kind == run_pb2.PENDING_INPUT_KIND_OUTCOME
    assert [call.tool_name for call in pending.tool_calls] == ["order"]
    await agent.reply(sent.run_id, "The pizza is here.")
    await agent.end(sent.run_id)
    assert agent.shelf.calls == [("order", "pizza")]
    (call,) = await agent.calls(sent.run_id)
    assert (call["status"], call["error_message"].split(".")[0]) == ("failed", "outcome_unknown")
    received = model_server.requests[1]["messages"][-1]["content"]
    assert "outcome_unknown" in received
    assert "The pizza is here." in received


async def test_stopped_worker_hands_its_runs_over(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Hang("Half of"), Text("All of it.")])
    worker = agent.start()
    sent = await agent.ask()
    await agent.until(lambda: 1 in agent.texts(sent.assistant_message_id))
    await agent.stop(worker)
    assert (await agent.row(sent.run_id))["status"] == "queued"
    agent.start()
    assert (await agent.end(sent.run_id)).finished.message.content == "All of it."
    assert await agent.pool.fetchval("SELECT count(*) FROM workers") == 1


async def test_run_that_is_interrupted_again_and_again_ends(agent: Agent, model_server: ModelServer) -> None:
    sent = await agent.send("What?")
    await agent.pool.execute("UPDATE runs SET retry_count = $1", RUN_RETRIES + 1)
    agent.start()
    await agent.wake(sent.run_id)
    final = await agent.end(sent.run_id)
    assert (final.finished.status, final.finished.error.reason) == (run_pb2.RUN_STATUS_FAILED, "INTERRUPTED")
    assert not model_server.requests


async def test_lost_wake_up_is_repaired_by_the_sweep(agent: Agent) -> None:
    agent.start()
    sent = await agent.send("Anybody there?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Anybody there?"


async def test_repeated_wake_ups_answer_once(agent: Agent, model_server: ModelServer) -> None:
    for _ in range(2):
        agent.start()
    sent = await agent.send("Once?")
    for _ in range(10):
        await agent.wake(sent.run_id)
    await agent.end(sent.run_id)
    await agent.answer("Another?")
    assert len(model_server.requests) == 2
    assert sum(event.HasField("finished") for event in await agent.stored(sent.chat_session_id)) == 1


async def test_run_that_its_worker_dropped_is_taken_again(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([("wait", {"key": "a"})]), Text("Done."), Text("Again.")])
    worker = agent.start(concurrency=1)
    first = await agent.ask()
    await agent.shelf.waiting.wait()
    dropped = await agent.send("And this?")
    # As the failure of the database leaves it: under a living worker that does not work on it.
    await agent.pool.execute(
        "UPDATE runs SET status = 'running', worker_id = $1 WHERE id = $2", worker.id, dropped.run_id
    )
    agent.shelf.go.set()
    await agent.end(first.run_id)
    assert (await agent.end(dropped.run_id)).finished.status == run_pb2.RUN_STATUS_COMPLETED
    assert (await agent.row(dropped.run_id))["retry_count"] == 1


async def test_fifty_runs_on_two_workers(agent: Agent, model_server: ModelServer) -> None:
    for _ in range(2):
        agent.start(concurrency=4)
    sent = await asyncio.gather(*(agent.ask(f"Question {number}?") for number in range(50)))
    finals = await asyncio.gather(*(agent.end(each.run_id) for each in sent))
    assert [final.finished.message.content for final in finals] == [f"Question {number}?" for number in range(50)]
    assert len(model_server.requests) == 50
    assert await agent.pool.fetchval("SELECT count(*) FROM runs WHERE attempt = 1 AND status = 'completed'") == 50
    assert await agent.pool.fetchval("SELECT count(*) FROM run_events WHERE kind = 'final'") == 50


@pytest.mark.parametrize("at", ["model", "tool"])
async def test_database_that_drops_its_connections_in_mid_run(agent: Agent, model_server: ModelServer, at: str) -> None:
    model_server.script([Tools([("wait", {"key": "a"})]), Text("Done.")])
    if at == "model":
        agent.shelf.go.set()
    agent.start()
    sent = await agent.send("What?")
    if at == "model":
        await agent.wake(sent.run_id)
        await model_server.wait_for_requests(1)
    else:
        await agent.wake(sent.run_id)
        await agent.shelf.waiting.wait()
    await agent.pool.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid()"
    )
    agent.shelf.go.set()
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "Done."
    assert await agent.pool.fetchval("SELECT count(*) FROM run_events WHERE kind = 'final'") == 1
