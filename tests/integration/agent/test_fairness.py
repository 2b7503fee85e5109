"""Workers that many people's runs wait for."""

import asyncio

import asyncpg
import pytest
from nats.aio.msg import Msg

from echomind_lib.conversations.questions import StoredQuestion
from echomind_lib.messaging import RUNS_REQUESTED
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import RunRequested
from echomind_lib.runs import queue
from tests.drivers.agent import Agent
from tests.drivers.model_server import Hang, Json, ModelServer, Text, Turn
from tests.factories.questions import ask


async def _ask(agent: Agent, user_id: int, content: str) -> StoredQuestion:
    sent = await ask(agent.log, user_id, None, content)
    await agent.wake(sent.run_id)
    return sent


async def test_another_persons_question_does_not_wait_for_a_flood(agent: Agent, model_server: ModelServer) -> None:
    asked: list[str] = []

    def respond(request: Json) -> Turn:
        asked.append(request["messages"][-1]["content"])
        return Text("So.", delay_ms=20)

    model_server.respond(respond)
    other = await agent.rows.user("other")
    flood = [await _ask(agent, agent.rows.user_id, f"flood {number}") for number in range(30)]
    single = await _ask(agent, other, "single")
    agent.start(concurrency=2)
    await agent.end(single.run_id)
    assert asked.index("single") <= 2
    for sent in flood:
        await agent.end(sent.run_id)
    assert len(asked) == 31


def _hold_first(model_server: ModelServer) -> asyncio.Event:
    """Lets the model answer the question "first" once the event that is returned is set, and others at once."""
    release = asyncio.Event()

    async def respond(request: Json) -> Turn:
        if request["messages"][-1]["content"] == "first":
            await release.wait()
        return Text("So.")

    model_server.respond(respond)
    return release


async def test_a_held_back_question_is_reported_and_starts_when_another_ends(
    agent: Agent, model_server: ModelServer
) -> None:
    """Without a sweep: the run that ends wakes a worker."""
    release = _hold_first(model_server)
    agent.start(runs_per_person=1, sweep_seconds=600)
    first = await _ask(agent, agent.rows.user_id, "first")
    await agent.until(lambda: any(event.text == "Working" for event in agent.events))
    second = await _ask(agent, agent.rows.user_id, "second")
    third = await _ask(agent, agent.rows.user_id, "third")

    def told(sent: StoredQuestion) -> list[str]:
        return [event.text for event in agent.events if event.run_id == str(sent.run_id)]

    await agent.until(lambda: len(told(second)) > 1 and len(told(third)) > 1)
    assert told(second) == told(third) == ["Queued", "Waiting for your running question"]
    release.set()
    for sent in (first, second, third):
        assert (await agent.end(sent.run_id)).finished.message.content == "So."
    assert told(second) == ["Queued", "Waiting for your running question", "Working", "Answered"]


async def test_a_run_whose_message_brought_another_persons_run_is_held_back(
    agent: Agent, model_server: ModelServer
) -> None:
    """Without a sweep: else nobody would know of it when its person's run ends."""
    release = _hold_first(model_server)
    agent.start(runs_per_person=1, sweep_seconds=600)
    await _ask(agent, agent.rows.user_id, "first")
    await agent.until(lambda: any(event.text == "Working" for event in agent.events))
    second = await agent.send("second")
    other = await ask(agent.log, await agent.rows.user("other"), None, "other")
    await agent.wake(second.run_id)
    await agent.end(other.run_id)
    release.set()
    assert (await agent.end(second.run_id)).finished.message.content == "So."


async def test_the_sweep_of_a_busy_worker_wakes_nobody(
    agent: Agent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could not take the runs itself, and the sweeps of others wake those who can."""
    model_server.script([Hang("Half"), *[Text("So.")] * 3])
    sweeps, enough, woken = 0, asyncio.Event(), []

    async def counted(pool: asyncpg.Pool) -> None:
        nonlocal sweeps
        sweeps += 1
        if sweeps == 20:
            enough.set()

    async def on_request(message: Msg) -> None:
        woken.append(RunRequested.FromString(message.data).run_id)

    agent.start(concurrency=1, sweep_seconds=0.05)
    running = await agent.ask("one")
    await agent.until(lambda: bool(agent.texts(running.assistant_message_id)))
    waiting = [await agent.send(f"waits {number}") for number in range(3)]
    await agent.bus.subscribe(RUNS_REQUESTED, on_request)
    monkeypatch.setattr(queue, "promote_goals", counted)
    async with asyncio.timeout(60):
        await enough.wait()
    await agent.bus.flush()
    assert woken == []
    await agent.control(running.run_id, "cancelled")
    for sent in waiting:
        await agent.end(sent.run_id)


async def test_requests_reach_whoever_has_a_free_slot(agent: Agent, model_server: ModelServer) -> None:
    """Without a sweep: a busy worker gets no requests, and claims what waits when it has a slot."""
    asked: list[str] = []
    release = asyncio.Event()

    async def respond(request: Json) -> Turn:
        asked.append(request["messages"][-1]["content"])
        if asked[-1].startswith("long"):
            await release.wait()
        return Text("So.")

    model_server.respond(respond)
    busy = agent.start(concurrency=1, sweep_seconds=600, runs_per_person=50)
    first = await agent.ask("long 1")
    await agent.until(lambda: any(event.text == "Working" for event in agent.events))
    agent.start(concurrency=2, sweep_seconds=600, runs_per_person=50)
    for number in range(10):
        await agent.end((await agent.ask(f"short {number}")).run_id)
    await agent.ask("long 2")
    await agent.ask("long 3")
    async with asyncio.timeout(60):
        while len(asked) < 13:  # noqa: ASYNC110 - a list tells nobody that it has grown
            await asyncio.sleep(0.01)
    waiting = [await agent.ask(f"late {number}") for number in range(5)]
    assert (await agent.row(first.run_id))["worker_id"] == busy.id
    release.set()
    for sent in waiting:
        await agent.end(sent.run_id)


async def test_runs_that_were_requested_while_nobody_listened_start_with_the_worker(
    agent: Agent, model_server: ModelServer
) -> None:
    """Without a sweep."""
    model_server.respond(lambda request: Text("So."))
    asked = [await agent.ask(f"early {number}") for number in range(5)]
    agent.start(concurrency=2, sweep_seconds=600)
    for sent in asked:
        await agent.end(sent.run_id)


async def test_runs_that_were_requested_while_the_worker_was_disconnected_start_afterwards(
    agent: Agent, model_server: ModelServer
) -> None:
    """Without a sweep, and without another request."""
    model_server.respond(lambda request: Text("So."))
    agent.start(sweep_seconds=600)
    await agent.answer("one")
    sent = await agent.send("two")
    transport = agent.bus.client._transport
    assert transport is not None
    transport.close()  # type: ignore[no-untyped-call]
    await agent.until(lambda: agent.final(sent.run_id) is not None)


async def test_after_a_cancelled_run_the_next_one_starts(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Hang("Half"), Text("So.")])
    agent.start(runs_per_person=1, sweep_seconds=600)
    first = await _ask(agent, agent.rows.user_id, "first")
    await agent.until(lambda: bool(agent.texts(first.assistant_message_id)))
    second = await _ask(agent, agent.rows.user_id, "second")
    await agent.until(lambda: any(event.run_id == str(second.run_id) for event in agent.events))
    await agent.control(first.run_id, "cancelled")
    assert (await agent.end(second.run_id)).finished.message.content == "So."


async def test_runs_of_a_deactivated_account_end_without_anybody_saying_so(
    agent: Agent, model_server: ModelServer
) -> None:
    """An account may be deactivated by other ways than the API; then the sweep finds out."""
    model_server.script([Hang("Half")])
    agent.start(runs_per_person=1)
    running = await agent.ask("one")
    await agent.until(lambda: bool(agent.texts(running.assistant_message_id)))
    waiting = await agent.send("two")
    await agent.pool.execute("UPDATE users SET is_active = FALSE")
    for sent in (running, waiting):
        await agent.end(sent.run_id)
        assert (await agent.row(sent.run_id))["status"] == "cancelled"
