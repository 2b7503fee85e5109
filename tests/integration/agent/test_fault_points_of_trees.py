"""Trees of runs after the death of a worker, or a control, at a critical moment."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.plans import todos
from echomind_lib.runs import controls, finish, lease, steps, sub_runs
from echomind_lib.runs.controls import move_run
from tests.drivers.agent import Agent
from tests.drivers.death import Death, has_status, is_whole, sub_agents_of, until
from tests.drivers.model_server import Hang, ModelServer, Text, Tools, Turn
from tests.drivers.wire import unheard
from tests.factories.turns import delegated, goal_of, member_of, plays, sub_agent, team_plays


def is_sub_agent(pool: Any, taken: Any, *_: Any) -> bool:
    return taken.run.parent_run_id is not None


async def test_sub_agents_are_stored_and_no_worker_is_notified(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    model_server.respond(
        plays([Tools([sub_agent("A."), sub_agent("B.")]), Text("Both.")], lambda goal, body: Text(f"Found {goal}"))
    )
    death.at(sub_runs, "start", after=True)
    death.start()
    sent = await agent.ask("Root?")
    await death.comes()
    await is_whole(agent, sent, "Both.")
    assert await sub_agents_of(agent, sent) == [("A.", "completed"), ("B.", "completed")]
    assert Counter(map(goal_of, model_server.requests)) == {"Root?": 2, "A.": 1, "B.": 1}


async def test_a_sub_agent_ends_and_its_parent_is_not_woken(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    waiting = run_pb2.RUN_STATUS_WAITING_FOR_CHILDREN

    async def respond(body: dict[str, Any]) -> Turn:
        if goal_of(body) == "Root?":
            return next(root)
        await agent.until(lambda: any(event.status.status == waiting for event in agent.events))
        return Text("Found.")

    root: Iterator[Turn] = iter([Tools([sub_agent("A.")]), Text("Done.")])
    model_server.respond(respond)
    death.at(finish, "finish", after=True, when=is_sub_agent)
    death.start()
    sent = await agent.ask("Root?")
    await death.comes()
    await is_whole(agent, sent, "Done.")
    assert await sub_agents_of(agent, sent) == [("A.", "completed")]
    assert Counter(map(goal_of, model_server.requests)) == {"Root?": 2, "A.": 1}


async def test_a_parent_begins_to_wait_after_its_sub_agent_has_ended(
    agent: Agent, model_server: ModelServer, death: Death, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sub-agent has found nobody to wake, and the parent's worker dies before it looks again."""
    await agent.configure(tools=["spawn_sub_agent"])
    leaves = asyncio.Event()

    async def respond(body: dict[str, Any]) -> Turn:
        if goal_of(body) == "Root?":
            return next(root)
        await leaves.wait()
        return Text("Found.")

    root: Iterator[Turn] = iter([Tools([sub_agent("A.")]), Text("Done.")])
    model_server.respond(respond)
    leave = lease.release

    async def leave_late(*arguments: Any, **named: Any) -> Any:
        leaves.set()
        await agent.until(lambda: any(event.HasField("finished") for event in agent.events))
        return await leave(*arguments, **named)

    monkeypatch.setattr(lease, "release", leave_late)
    death.at(lease, "release", after=True)
    death.start()
    sent = await agent.ask("Root?")
    await death.comes()
    await is_whole(agent, sent, "Done.")
    assert Counter(map(goal_of, model_server.requests)) == {"Root?": 2, "A.": 1}


async def test_a_step_is_closed_and_its_other_sub_agents_are_not_cancelled(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    """The next attempt cancels them at once, not when the run ends."""
    await agent.configure(tools=["spawn_sub_agent"], waitStrategy="WAIT_STRATEGY_ANY")
    cancelled = run_pb2.RUN_STATUS_CANCELLED

    async def respond(body: dict[str, Any]) -> Turn:
        if goal_of(body) == "Root?":
            if body["messages"][-1]["role"] != "tool":
                return Tools([sub_agent("Quick."), sub_agent("Slow.")])
            await agent.until(lambda: any(event.finished.status == cancelled for event in agent.events))
            return Text("Enough.")
        return Text("Here.") if goal_of(body) == "Quick." else Hang("Still ")

    model_server.respond(respond)
    death.at(steps, "close_step", after=True)
    death.start()
    sent = await agent.ask("Root?")
    await death.comes()
    await is_whole(agent, sent, "Enough.")
    assert await sub_agents_of(agent, sent) == [("Quick.", "completed"), ("Slow.", "cancelled")]
    assert [call["status"] for call in await agent.calls(sent.run_id)] == ["completed", "cancelled"]


async def test_a_run_ends_and_its_sub_agents_are_not_cancelled(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    model_server.respond(plays([Tools([sub_agent("A.")])], lambda goal, body: Hang("So ")))
    death.at(controls, "move_below", after=False)
    agent.start()
    sent = await agent.ask("Root?")
    await model_server.wait_for_requests(2)
    # As a gateway that dies after the first statement of a cancellation.
    task = asyncio.create_task(move_run(agent.log, sent.run_id, "cancelled"))
    await until(lambda: has_status(agent, sent, "cancelled"))
    task.cancel()

    async def reached() -> bool:
        return await sub_agents_of(agent, sent) == [("A.", "cancelled")]

    await until(reached)
    await model_server.wait_for_disconnects(1)


# -- controls in the gaps --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("target", "status"), [("cancelled", "cancelled"), ("paused", "paused")])
@pytest.mark.parametrize("waits_for", ["person", "sub_agents"])
async def test_a_control_comes_while_a_run_begins_to_wait(
    agent: Agent,
    model_server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    target: Any,
    status: str,
    waits_for: str,
) -> None:
    """It is not lost: the run is in the worker's hands when it is asked for, and waiting a moment later."""
    call = ("ask_user", {"question": "Which?"}) if waits_for == "person" else sub_agent("A.")
    await agent.configure(tools=["spawn_sub_agent"])
    model_server.respond(plays([Tools([call]), Text("Done.")], lambda goal, body: Hang("So ")))
    original = lease.release
    controlled = False

    async def late(*arguments: Any, **named: Any) -> Any:
        nonlocal controlled
        if not controlled:
            controlled = True
            with unheard():
                await agent.control(sent.run_id, target)
            assert (await agent.row(sent.run_id))["status"] == "running"
        return await original(*arguments, **named)

    monkeypatch.setattr(lease, "release", late)
    agent.start()
    sent = await agent.ask("Root?", askClarifications=True)

    async def there() -> bool:
        rows = await agent.pool.fetch("SELECT status, control_requested, depth FROM runs")
        # A sub-agent claimed by a worker is notified, and pauses at the end of its step.
        told = [row["status"] == status or (row["depth"] and row["control_requested"] == "pause") for row in rows]
        return all(told)

    await until(there)
    if status == "paused" and waits_for == "person":
        await agent.control(sent.run_id, "queued")
        await agent.waits(sent.run_id)
        await agent.reply(sent.run_id, "This.")
        await is_whole(agent, sent, "Done.")
    assert controlled


async def test_a_cancellation_is_not_taken_back_by_a_pause(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Hang("So far")])
    agent.start()
    sent = await agent.ask()
    await agent.until(lambda: 1 in agent.texts(sent.assistant_message_id))
    with unheard():
        await agent.control(sent.run_id, "cancelled")
    await move_run(agent.log, sent.run_id, "paused")  # refused if the worker has read of the cancellation meanwhile
    assert (await agent.end(sent.run_id)).finished.status == run_pb2.RUN_STATUS_CANCELLED


# -- a team of three -------------------------------------------------------------------------------------------------
def is_member(pool: Any, taken: Any, *_: Any) -> bool:
    return bool(taken.run.kind == "member")


@pytest.mark.parametrize(
    ("module", "name", "when"),
    [
        (sub_runs, "start", lambda *_, **__: True),
        (finish, "finish", is_member),
        (steps, "record_result", lambda *_, **__: True),
    ],
)
async def test_a_worker_dies_while_a_team_of_three_works(
    agent: Agent, model_server: ModelServer, death: Death, module: Any, name: str, when: Any
) -> None:
    """Nothing is lost, and nothing is done twice."""
    await agent.lead(Ada="Counts.", Bob="Reads.", Eve="Writes.")
    tasks = [delegated(member, f"Task of {member}.") for member in ("ada", "bob", "eve")]
    model_server.respond(
        team_plays([Tools(tasks), Text("All three.")], lambda member, body: Text(f"{member} is done."))
    )
    death.at(module, name, after=True, when=when)
    death.start()
    sent = await agent.ask("Root?")
    await death.comes()
    await is_whole(agent, sent, "All three.")
    done = [(f"Task of {member}.", "completed") for member in ("ada", "bob", "eve")]
    assert sorted(await sub_agents_of(agent, sent)) == done
    asked = Counter(map(member_of, model_server.requests))
    assert asked.pop("") == 2
    # A member that was answering when the worker died is called again, but not a third time.
    assert asked.keys() == {"Ada", "Bob", "Eve"}
    assert max(asked.values()) <= 2
    results = [call["result"] for call in await agent.calls(sent.run_id)]
    assert results == ["Ada is done.", "Bob is done.", "Eve is done."]


# -- the end of a goal -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("module", "name", "after"),
    [(todos, "close", False), (todos, "close", True), (finish, "finish", False), (finish, "finish", True)],
)
async def test_a_worker_dies_while_a_goal_is_finished(
    agent: Agent, model_server: ModelServer, death: Death, module: Any, name: str, after: bool
) -> None:
    """The model is not asked again, each todo has its end, and the goal ends once."""
    ending = {"number": 1, "status": "cancelled", "reason": "Not needed."}
    plan = {"todos": [{"number": 1, "title": "Ask b"}]}
    goal = {"outcome": "reached", "summary": "It is one.", "todos": [ending]}
    model_server.script([Tools([("write_todos", plan)]), Tools([("finish_goal", goal)])])
    death.at(module, name, after=after)
    death.start()
    sent = await agent.ask("Find out.", autoRun=True)
    await death.comes()
    await is_whole(agent, sent, "It is one.")
    assert len(model_server.requests) == 2
    rows = await agent.pool.fetch("SELECT status, error FROM todos")
    assert [tuple(row) for row in rows] == [("cancelled", "Not needed.")]
    planned = [event for event in await agent.stored(sent.chat_session_id) if event.HasField("todos")]
    assert [event.todos.todos[0].error for event in planned] == ["", "Not needed."]
