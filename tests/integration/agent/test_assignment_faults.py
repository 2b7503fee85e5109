"""Runs that are assigned while messages are lost or doubled, and processes die or stop."""

import asyncio
import time
from threading import Thread
from unittest.mock import AsyncMock, patch

import nats
import pytest

from echomind_lib.conversations.questions import Submission
from echomind_lib.messaging import AGENTS_SLOTS, assigned_subject
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import AgentSlots, RunAssigned
from echomind_lib.runs import lease
from tests.drivers.agent import Agent
from tests.drivers.death import Death, has_ended, has_status, is_whole, until
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.drivers.replica import TIMEOUT, Replica
from tests.factories.rows import new_worker


async def test_a_lost_message_returns_the_run(agent: Agent, replica: Replica, model_server: ModelServer) -> None:
    model_server.script([Text("All of it.")])
    agent.start(sweep_seconds=60.0)
    await replica.knows(8)
    with replica.losing():
        asked = await replica.ask()
    assert asked.question.status == "running"
    assert replica.free == 7
    await is_whole(agent, asked.question, "All of it.")
    row = await agent.row(asked.run_id)
    assert (row["attempt"], row["retry_count"]) == (2, 0)
    assert len(model_server.requests) == 1


async def test_a_replica_that_dies_after_its_commit(agent: Agent, replica: Replica, model_server: ModelServer) -> None:
    model_server.script([Text("All of it.")])
    agent.start()
    await replica.knows(8)
    asked = await replica.store_only()
    assert asked.question.status == "running"
    await is_whole(agent, asked.question, "All of it.")
    row = await agent.row(asked.run_id)
    assert (row["attempt"], row["retry_count"]) == (2, 0)


async def test_a_request_that_is_cancelled_after_its_commit(
    agent: Agent, replica: Replica, model_server: ModelServer
) -> None:
    async def leave(submission: Submission) -> None:
        asked.append(submission)
        raise asyncio.CancelledError

    asked = list[Submission]()
    model_server.script([Text("All of it.")])
    agent.start(sweep_seconds=60.0)
    await replica.knows(8)
    with pytest.raises(asyncio.CancelledError):
        await replica.ask(before_wake=leave)
    await is_whole(agent, asked[0].question, "All of it.")


async def test_a_request_that_is_cancelled_while_it_publishes_its_events(
    agent: Agent, replica: Replica, model_server: ModelServer
) -> None:
    model_server.script([Text("All of it.")])
    agent.start(sweep_seconds=60.0)
    await replica.knows(8)
    with (
        patch.object(agent.log, "_accept", AsyncMock(side_effect=asyncio.CancelledError)),
        pytest.raises(asyncio.CancelledError),
    ):
        await replica.ask()
    run_id = await agent.pool.fetchval("SELECT id FROM runs WHERE status = 'running'")
    assert (await agent.end(run_id)).finished.message.content == "All of it."
    row = await agent.row(run_id)
    assert (row["attempt"], row["retry_count"]) == (2, 0)
    assert replica.free >= 7  # the agent has answered


async def test_a_replica_that_has_stalled_first_reads_what_was_announced(
    agent: Agent, replica: Replica, nats_url: str
) -> None:
    def stall() -> None:
        announcing = Thread(target=lambda: asyncio.run(announce()))
        announcing.start()
        time.sleep(TIMEOUT + 0.1)
        announcing.join()

    async def announce() -> None:
        connection = await nats.connect(nats_url)
        await connection.publish(AGENTS_SLOTS, received.SerializeToString())
        await connection.flush()
        await connection.close()

    worker = await new_worker(agent.pool)
    slots = AgentSlots(worker_id=str(worker), free=3, runs_per_person=8)
    await agent.bus.publish(AGENTS_SLOTS, slots)
    await replica.knows(3)
    asked = await replica.ask()
    received = AgentSlots(worker_id=str(worker), free=2, runs_per_person=8, run_id=str(asked.run_id))
    stall()
    await asyncio.sleep(0.1)  # the timer is due, and fires
    await replica.settles()
    assert replica.free == 2
    assert await has_status(agent, asked.question, "running")


@pytest.mark.parametrize("after", [False, True])
async def test_an_agent_that_dies_before_it_begins(
    agent: Agent, replica: Replica, model_server: ModelServer, death: Death, after: bool
) -> None:
    model_server.script([Text("All of it.")])
    death.at(lease, "begin_assigned", after=after)
    death.start()
    await replica.knows(8)
    asked = await replica.ask()
    await death.comes()
    await is_whole(agent, asked.question, "All of it.")
    assert (await agent.row(asked.run_id))["attempt"] == 2
    assert len(model_server.requests) == 1


async def test_an_agent_that_is_dead_gets_no_run(agent: Agent, replica: Replica, model_server: ModelServer) -> None:
    model_server.script([Text("All of it.")])
    dead = await new_worker(agent.pool)
    await agent.bus.publish(AGENTS_SLOTS, AgentSlots(worker_id=str(dead), free=3, runs_per_person=8))
    await replica.knows(3)
    await agent.pool.execute("DELETE FROM workers WHERE id = $1", dead)
    asked = await replica.ask()
    assert asked.question.status == "queued"
    await replica.settles()
    await replica.knows(0)
    agent.start()
    await is_whole(agent, asked.question, "All of it.")
    assert (await agent.row(asked.run_id))["attempt"] == 1


async def test_an_agent_that_does_not_answer_gets_no_further_run(
    agent: Agent, replica: Replica, model_server: ModelServer
) -> None:
    model_server.script([Text("All of it.")])
    frozen = await new_worker(agent.pool)
    await agent.bus.publish(AGENTS_SLOTS, AgentSlots(worker_id=str(frozen), free=3, runs_per_person=8))
    await replica.knows(3)
    asked = await replica.ask()
    assert asked.question.status == "running"
    await until(lambda: has_status(agent, asked.question, "queued"))
    await replica.knows(0)
    agent.start()
    await is_whole(agent, asked.question, "All of it.")


async def test_a_doubled_message_begins_nothing(agent: Agent, replica: Replica, model_server: ModelServer) -> None:
    model_server.script([Tools([("wait", {"key": "a"})]), Text("Done.")])
    worker = agent.start(concurrency=2)
    await replica.knows(2)
    asked = await replica.ask()
    subject, again = assigned_subject(worker.id), RunAssigned(run_id=str(asked.run_id))
    await agent.bus.publish(subject, again)
    async with asyncio.timeout(60):
        await agent.shelf.waiting.wait()
    await agent.bus.publish(subject, again)
    await replica.knows(1)
    agent.shelf.go.set()
    await is_whole(agent, asked.question, "Done.")
    await agent.bus.publish(subject, again)
    await replica.knows(2)
    assert agent.shelf.calls == [("wait", "a")]
    assert (await agent.row(asked.run_id))["attempt"] == 1
    assert len(model_server.requests) == 2


async def test_a_run_that_another_has_taken_over_is_not_begun(
    agent: Agent, replica: Replica, model_server: ModelServer
) -> None:
    model_server.script([Text("All of it.")])
    late = agent.start(sweep_seconds=60.0)
    await replica.knows(8)
    with replica.losing():
        asked = await replica.ask()
    await is_whole(agent, asked.question, "All of it.")
    await agent.bus.publish(assigned_subject(late.id), RunAssigned(run_id=str(asked.run_id)))
    await replica.knows(8)
    assert len(model_server.requests) == 1


async def test_a_cancel_before_the_agent_begins(agent: Agent, replica: Replica, model_server: ModelServer) -> None:
    async def cancel(submission: Submission) -> None:
        await agent.control(submission.run_id, "cancelled")

    agent.start()
    await replica.knows(8)
    asked = await replica.ask(before_wake=cancel)
    await until(lambda: has_ended(agent, asked.question))
    assert (await agent.row(asked.run_id))["status"] == "cancelled"
    assert not model_server.requests


async def test_an_agent_that_stops_returns_what_it_has_not_begun(
    agent: Agent, replica: Replica, model_server: ModelServer
) -> None:
    model_server.script([Text("All of it.")])
    stopping = agent.start()
    await replica.knows(8)
    asked = await replica.store_only()
    await agent.stop(stopping)
    await replica.knows(0)
    agent.start(sweep_seconds=60.0)
    await is_whole(agent, asked.question, "All of it.")
    assert (await agent.row(asked.run_id))["retry_count"] == 0
