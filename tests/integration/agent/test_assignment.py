"""Runs that are claimed by the statement that stores their question: what they are, and what is left of lost ones."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch
from uuid import UUID

import msgspec
import pytest

from echomind_agent.execution.worker import Worker
from echomind_lib.db.expressions import MAX_BIGINT
from echomind_lib.errors import RunActiveError
from echomind_lib.messaging import AGENTS_ASKED, AGENTS_SLOTS
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import AgentSlots, AgentSlotsAsked
from echomind_lib.runs import lease
from echomind_lib.runs.earlier_messages import EARLIER_MESSAGES, EarlierMessage
from tests.drivers.agent import Agent
from tests.drivers.death import has_status, is_whole, until
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.drivers.replica import Replica
from tests.factories.rows import new_worker


@contextmanager
def announcing_more_slots(worker: Worker) -> Iterator[None]:
    """Has a worker announce slots that it does not have, as an old announcement does."""
    original = AgentSlots

    def more(**values: Any) -> AgentSlots:
        return original(**(values | {"free": 5}))

    with patch("echomind_agent.execution.requests.AgentSlots", more):
        yield


async def test_a_run_begins_without_a_claim(agent: Agent, replica: Replica, model_server: ModelServer) -> None:
    model_server.script([Text("First."), Text("Second.")])
    worker = agent.start()
    await replica.knows(8)
    first = await replica.ask()
    assert first.question.status == "running"
    assert [event.text for event in first.events] == ["Queued", "Working"]
    assert [event.status.attempt for event in first.events] == [0, 1]
    await is_whole(agent, first.question, "First.")
    row = await agent.row(first.run_id)
    assert (row["attempt"], row["worker_id"], row["slot"], row["retry_count"]) == (1, worker.id, 1, 0)
    second = await replica.ask("And?", first.session_id)
    assert second.question.status == "running"
    assert (await agent.end(second.run_id)).finished.message.content == "Second."
    stored = await agent.stored(first.session_id)
    assert [event.text for event in stored if event.run_id == str(second.run_id)] == ["Queued", "Working", "Answered"]
    assert [event.id for event in second.events] == [e.id for e in stored if e.run_id == str(second.run_id)][:2]
    assert len(model_server.requests) == 2


async def test_it_is_the_run_that_a_claim_would_give(agent: Agent, replica: Replica, model_server: ModelServer) -> None:
    await agent.configure(maxSteps=7)
    model_server.script([Text("First.")])
    worker = agent.start(sweep_seconds=60.0)
    await replica.knows(8)
    model = await agent.pool.fetchval("SELECT id FROM llms WHERE is_default")
    options = {"llmId": model, "askClarifications": True}
    received = asyncio.Event()

    async def not_begun(*_: object) -> None:
        received.set()

    with patch.object(lease, "begin_assigned", not_begun):
        assigned = await replica.ask(options=options)
        assert assigned.question.status == "running"
        async with asyncio.timeout(60):
            await received.wait()
    begun = await lease.begin_assigned(agent.log, assigned.run_id, worker.id)
    assert begun is not None
    assert await lease.begin_assigned(agent.log, assigned.run_id, await new_worker(agent.pool)) is None
    await agent.stop(worker)  # which returns the run to the queue, so it is ended by hand
    await agent.pool.execute("UPDATE runs SET status = 'failed', completed_at = now()")
    queued = await agent.send("What?", **options)
    claimed = await lease.claim_named(agent.log, queued.run_id, worker.id)
    assert claimed is not None
    own = {"id", "message_id", "question_id", "started_at", "session", "earlier"}
    expected = {name: getattr(claimed.run, name) for name in claimed.run.__dataclass_fields__ if name not in own}
    assert {name: getattr(begun.run, name) for name in expected} == expected
    assert (begun.run.message_id, begun.run.question_id) == (
        assigned.question.assistant_message_id,
        assigned.question.user_message_id,
    )
    assert begun.run.session.id == assigned.session_id
    assert (begun.run.earlier, claimed.run.earlier) == ([], None)
    columns = "attempt, slot, llm_id, requested_llm_id, assistant_version, held_back, max_steps"
    rows = await agent.pool.fetch(f"SELECT {columns} FROM runs ORDER BY id")
    assert rows[0] == rows[1]


@pytest.mark.parametrize("is_summarized", [False, True])
async def test_its_earlier_messages_are_those_of_the_statement_that_reads_them(
    agent: Agent, replica: Replica, is_summarized: bool
) -> None:
    session_id = None
    for number in range(8):
        sent = await agent.send(f"Question {number}", session_id)
        session_id = sent.chat_session_id
        await agent.pool.execute("UPDATE runs SET status = 'completed', completed_at = now()")
        await agent.pool.execute(
            "UPDATE chat_messages SET status = 'completed', content = $2, token_count = $3, discarded = $4 "
            "WHERE id = $1",
            sent.assistant_message_id,
            f"Answer {number}",
            number % 2,
            number == 6,
        )
    messages = await agent.pool.fetch("SELECT id FROM chat_messages ORDER BY id")
    if is_summarized:
        summarized = "UPDATE chat_sessions SET compressed_summary = 'Before.', last_compressed_message_id = $1"
        await agent.pool.execute(summarized, messages[3]["id"])
    worker = await new_worker(agent.pool)
    await agent.bus.publish(AGENTS_SLOTS, AgentSlots(worker_id=str(worker), free=2, runs_per_person=8))
    await replica.knows(2)
    asked = await replica.ask("And?", session_id)
    begun = await lease.begin_assigned(agent.log, asked.run_id, worker)
    assert begun is not None
    read = await EARLIER_MESSAGES.fetch_all(
        agent.pool,
        question_id=asked.question.user_message_id,
        user_id=agent.rows.user_id,
        max_whole=10,
        max_counted=200,
        summarized_to=messages[3]["id"] if is_summarized else MAX_BIGINT,
    )
    assert msgspec.convert(begun.run.earlier, list[EarlierMessage]) == read
    assert [message.id for message in read] == [row["id"] for row in reversed(messages)]
    assert [message.content for message in read if message.content][-1] == "Answer 2"


async def test_an_agent_without_a_free_slot_returns_the_run(
    agent: Agent, replica: Replica, model_server: ModelServer
) -> None:
    model_server.script([Tools([("wait", {"key": "a"})]), Text("First."), Text("Second.")])
    worker = agent.start(concurrency=1)
    with announcing_more_slots(worker):
        await replica.knows(5)
        first = await replica.ask()
        async with asyncio.timeout(60):
            await agent.shelf.waiting.wait()
        second = await replica.ask()
        assert second.question.status == "running"
        await until(lambda: has_status(agent, second.question, "queued"))
        agent.shelf.go.set()
        await agent.end(first.run_id)
        assert (await agent.end(second.run_id)).finished.message.content == "Second."
    assert (await agent.row(second.run_id))["attempt"] == 2
    assert (await agent.row(second.run_id))["retry_count"] == 0


async def test_a_full_agent_is_known_to_be_full(agent: Agent, replica: Replica, model_server: ModelServer) -> None:
    model_server.script([Tools([("wait", {"key": "a"})]), Text("First."), Text("Second."), Text("Third.")])
    agent.start(concurrency=1)
    await replica.knows(1)
    first = await replica.ask()
    await replica.knows(0)
    second = await replica.ask()
    assert (first.question.status, second.question.status) == ("running", "queued")
    agent.shelf.go.set()
    assert (await agent.end(second.run_id)).finished.message.content == "Second."
    await replica.knows(1)
    assert (await replica.ask()).question.status == "running"


async def test_an_agent_that_may_begin_runs_again_announces_it(
    agent: Agent, replica: Replica, model_server: ModelServer
) -> None:
    model_server.script([Tools([("wait", {"key": "a"})]), Text("Done.")])
    agent.start()
    await replica.knows(8)
    asked = await replica.ask()
    async with asyncio.timeout(60):
        await agent.shelf.waiting.wait()
    with patch.object(Worker, "may_begin", False):
        await agent.bus.publish(AGENTS_ASKED, AgentSlotsAsked())
        await replica.knows(0)
    agent.shelf.go.set()
    await is_whole(agent, asked.question, "Done.")
    await replica.knows(8)


async def test_two_replicas_at_once(agent: Agent, replica: Replica, model_server: ModelServer) -> None:
    """They choose the same slots of the person and of the agent, and each run ends once."""
    other = Replica(agent)
    model_server.script([Text("Done.")] * 12)
    agent.start(concurrency=3, runs_per_person=12)
    try:
        await replica.knows(3)
        await other.knows(3)
        asked = await asyncio.gather(*(each.ask(f"{number}") for number in range(6) for each in (replica, other)))
        for each in asked:
            await is_ended(agent, each.run_id)
    finally:
        other.task.cancel()
        await asyncio.gather(other.task, return_exceptions=True)
    rows = await agent.pool.fetch("SELECT status, retry_count FROM runs")
    assert {tuple(row) for row in rows} == {("completed", 0)}
    assert len(model_server.requests) == 12
    assert any(each.question.status == "running" for each in asked)


async def is_ended(agent: Agent, run_id: UUID) -> None:
    assert (await agent.end(run_id)).finished.message.content == "Done."


async def test_a_person_without_a_free_slot_waits(agent: Agent, replica: Replica, model_server: ModelServer) -> None:
    model_server.script([Tools([("wait", {"key": "a"})]), Text("First."), Text("Second.")])
    agent.start(runs_per_person=1)
    await replica.knows(8)
    first, second = await replica.ask(), await replica.ask()
    assert (first.question.status, second.question.status) == ("running", "queued")
    assert [event.text for event in second.events] == ["Queued"]
    await replica.settles()
    assert replica.free == 7  # for others
    agent.shelf.go.set()
    assert (await agent.end(second.run_id)).finished.message.content == "Second."
    # By the order of their events: a claim that was being planned while the other run ended has the earlier time.
    began = next(event for event in agent.events if event.run_id == str(second.run_id) and event.text == "Working")
    assert began.id > (await agent.end(first.run_id)).id


async def test_runs_that_wait_come_first(agent: Agent, replica: Replica) -> None:
    worker = await new_worker(agent.pool)
    await agent.bus.publish(AGENTS_SLOTS, AgentSlots(worker_id=str(worker), free=2, runs_per_person=8))
    await replica.knows(2)
    await agent.send("Waits")
    first = await replica.ask()  # two may begin: this one and the one that waits
    assert first.question.status == "running"
    second = await replica.ask()
    assert second.question.status == "queued"


async def test_an_agent_of_an_earlier_release_gets_no_run(agent: Agent, replica: Replica) -> None:
    await new_worker(agent.pool)
    asked = await replica.ask()
    assert asked.question.status == "queued"


async def test_a_session_has_one_run_at_a_time(agent: Agent, replica: Replica, model_server: ModelServer) -> None:
    model_server.script([Tools([("wait", {"key": "a"})]), Text("Done.")])
    agent.start()
    await replica.knows(8)
    first = await replica.ask()
    with pytest.raises(RunActiveError):
        await replica.ask("And?", first.session_id)
    await replica.knows(7)
    agent.shelf.go.set()
    await is_whole(agent, first.question, "Done.")
