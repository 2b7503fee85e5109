"""Sub-agents: runs below a run, on whichever worker, and the parent that waits for them."""

from typing import Any

import pytest

from echomind_agent.tools.documents import search_documents
from echomind_lib.db.database import Database
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.runs.inputs import approve
from tests.drivers.agent import Agent
from tests.drivers.model_server import Hang, ModelServer, Text, Tools, Turn
from tests.drivers.stack import Stack
from tests.factories.turns import goal_of, plays, sub_agent, uses


async def test_sub_agents_work_at_the_same_time_and_report(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["look_up", "spawn_sub_agent"])
    model_server.respond(
        plays(
            [
                Tools([sub_agent("Left.", background="It is cold."), sub_agent("Right.")], text="I split it."),
                Text("Both."),
            ],
            lambda goal, body: Text(f"Found {goal}"),
        )
    )
    agent.start(concurrency=1)
    sent = await agent.ask("Root?")
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "I split it.\n\nBoth."
    left, right = await agent.pool.fetch("SELECT * FROM runs WHERE parent_run_id = $1 ORDER BY id", sent.run_id)
    assert [(run["kind"], run["status"], run["depth"], run["goal"]) for run in (left, right)] == [
        ("sub_agent", "completed", 1, "Left."),
        ("sub_agent", "completed", 1, "Right."),
    ]
    assert left["result_summary"] == "Found Left."
    assert "It is cold." in left["inherited_context"]
    assert "Root?" in left["inherited_context"]
    step, _ = await agent.steps(sent.run_id)
    assert (step["action"], step["id"]) == ("delegate", left["parent_step_id"])
    assert [call["external_task_id"] for call in await agent.calls(sent.run_id)] == [str(left["id"]), str(right["id"])]
    parents = [body for body in model_server.requests if goal_of(body) == "Root?"]
    assert [message["content"] for message in parents[1]["messages"][-2:]] == ["Found Left.", "Found Right."]
    request = next(body for body in model_server.requests if goal_of(body) == "Left.")
    assert "It is cold." in request["messages"][0]["content"]
    notices = [
        event.sub_run_started for event in await agent.stored(sent.chat_session_id) if event.HasField("sub_run_started")
    ]
    started = [(str(left["id"]), "Left."), (str(right["id"]), "Right.")]
    assert [(event.run_id, event.goal) for event in notices] == started
    statuses = [
        event.status.status for event in await agent.stored(sent.chat_session_id) if event.run_id == str(sent.run_id)
    ]
    assert run_pb2.RUN_STATUS_WAITING_FOR_CHILDREN in statuses
    assert await agent.pool.fetchval("SELECT count(*) FROM chat_messages") == 2


async def test_a_question_allows_tools_to_its_run_and_those_below(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["look_up", "order", "calculator", "spawn_sub_agent"])
    model_server.respond(plays([Tools([sub_agent("Left.")]), Text("Done.")], lambda goal, body: Text("Found.")))
    agent.start(concurrency=1)
    sent = await agent.ask("Root?", tools=["look*", "spawn_sub_agent"])
    await agent.end(sent.run_id)
    offered = [{tool["function"]["name"] for tool in body["tools"]} for body in model_server.requests]
    assert offered == [{"look_up", "spawn_sub_agent"}] * 3


async def test_depth_ten_with_one_worker_does_not_lock_up(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["spawn_sub_agent"], maxDepth=10, maxSteps=4_000, timeoutSeconds=30_000)

    def respond(body: dict[str, Any]) -> Turn:
        if body["messages"][-1]["role"] == "tool":
            return Text(f"<{body['messages'][-1]['content']}>")
        may_delegate = any(tool["function"]["name"] == "spawn_sub_agent" for tool in body.get("tools") or [])
        return Tools([sub_agent("Go on.")]) if may_delegate else Text("bottom")

    model_server.respond(respond)
    agent.start(concurrency=1)
    sent = await agent.ask("Root?")
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "<" * 10 + "bottom" + ">" * 10
    assert await agent.pool.fetchval("SELECT max(depth) FROM runs") == 10


@pytest.mark.parametrize(("strategy", "ended"), [("ANY", 1), ("MAJORITY", 2)])
async def test_wait_strategy_holds_for_sub_agents(
    agent: Agent, model_server: ModelServer, strategy: str, ended: int
) -> None:
    await agent.configure(tools=["spawn_sub_agent"], waitStrategy=f"WAIT_STRATEGY_{strategy}")
    quick = [f"Quick {number}." for number in range(ended)]
    slow = [f"Slow {number}." for number in range(3 - ended)]
    model_server.respond(
        plays(
            [Tools([sub_agent(goal) for goal in quick + slow]), Text("Enough.")],
            lambda goal, body: Text("Here.") if goal.startswith("Quick") else Hang("Still "),
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    assert (await agent.end(sent.run_id)).finished.message.content == "Enough."
    await agent.until(lambda: sum(event.HasField("finished") for event in agent.events) == 4)
    rows = await agent.pool.fetch("SELECT status FROM runs WHERE parent_run_id = $1 ORDER BY id", sent.run_id)
    assert [row["status"] for row in rows] == ["completed"] * ended + ["cancelled"] * len(slow)
    calls = [call["status"] for call in await agent.calls(sent.run_id)]
    assert calls == ["completed"] * ended + ["cancelled"] * len(slow)


async def test_cancel_reaches_all_runs_below(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    model_server.respond(plays([Tools([sub_agent("A."), sub_agent("B.")])], lambda goal, body: Hang("So ")))
    agent.start()
    sent = await agent.ask("Root?")
    await model_server.wait_for_requests(3)
    await agent.control(sent.run_id, "cancelled")
    await model_server.wait_for_disconnects(2)
    await agent.until(lambda: sum(event.HasField("finished") for event in agent.events) == 3)
    assert {row["status"] for row in await agent.pool.fetch("SELECT status FROM runs")} == {"cancelled"}


async def test_pause_and_resume_of_the_whole_tree(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["wait", "spawn_sub_agent"])
    model_server.respond(
        plays(
            [Tools([sub_agent("A.")]), Text("Done.")],
            lambda goal, body: uses("wait", "k", body, "Found."),
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    await agent.shelf.waiting.wait()
    await agent.until(
        lambda: any(event.status.status == run_pb2.RUN_STATUS_WAITING_FOR_CHILDREN for event in agent.events)
    )
    await agent.control(sent.run_id, "paused")
    agent.shelf.go.set()
    await agent.until(lambda: sum(event.status.status == run_pb2.RUN_STATUS_PAUSED for event in agent.events) == 2)
    assert {row["status"] for row in await agent.pool.fetch("SELECT status FROM runs")} == {"paused"}
    await agent.control(sent.run_id, "queued")
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    assert agent.shelf.calls == [("wait", "k")]


async def test_the_parent_re_attaches_after_its_workers_death(
    agent: Agent, postgres_url: str, model_server: ModelServer
) -> None:
    await agent.configure(tools=["wait", "spawn_sub_agent"])
    model_server.respond(
        plays(
            [Tools([("wait", {"key": "k"}), sub_agent("A.")]), Text("Done.")],
            lambda goal, body: Text("Found."),
        )
    )
    own = await Database.connect(postgres_url)
    worker = agent.start(database=own, concurrency=1)
    sent = await agent.ask("Root?")
    await agent.shelf.waiting.wait()
    await agent.kill(worker, own)
    agent.shelf.go.set()
    agent.start(concurrency=1)
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    assert await agent.pool.fetchval("SELECT count(*) FROM runs WHERE parent_run_id IS NOT NULL") == 1
    received = [message["content"] for message in model_server.requests[-1]["messages"] if message["role"] == "tool"]
    assert received == ["waited for k", "Found."]


async def test_a_failed_or_cancelled_sub_agent_is_reported_to_the_parent(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    model_server.respond(
        plays(
            [Tools([sub_agent("Fails."), sub_agent("Hangs.")]), Text("I see.")],
            lambda goal, body: Text("") if goal == "Fails." else Hang("So "),
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    await agent.until(lambda: any(event.HasField("finished") for event in agent.events))
    sub_run = await agent.pool.fetchval("SELECT id FROM runs WHERE goal = 'Hangs.'")
    await model_server.wait_for_requests(3)
    await agent.control(sub_run, "cancelled")
    assert (await agent.end(sent.run_id)).finished.message.content == "I see."
    received = [message["content"] for message in model_server.requests[-1]["messages"] if message["role"] == "tool"]
    assert "empty answer" in received[0]
    assert "cancelled" in received[1]


async def test_a_sub_agent_and_those_below_it_know_the_summary(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["spawn_sub_agent"])
    model_server.respond(
        plays(
            [Text("Hello."), Tools([sub_agent("A.")]), Text("Done.")],
            lambda goal, body: (
                Text("x") if goal == "B." or body["messages"][-1]["role"] == "tool" else Tools([sub_agent("B.")])
            ),
        )
    )
    agent.start()
    first = await agent.ask("Root?")
    await agent.end(first.run_id)
    await agent.pool.execute(
        "UPDATE chat_sessions SET compressed_summary = 'They are planning a zoo.', last_compressed_message_id = $1",
        first.assistant_message_id,
    )
    await agent.end((await agent.ask("Root?", first.chat_session_id)).run_id)
    below = await agent.pool.fetch("SELECT inherited_context FROM runs WHERE kind = 'sub_agent' ORDER BY depth")
    assert len(below) == 2
    assert all("They are planning a zoo." in run["inherited_context"] for run in below)


async def test_untrusted_passes_up_and_down(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["news", "order", "spawn_sub_agent"])
    agent.shelf.go.set()
    model_server.respond(
        plays(
            [Tools([sub_agent("Read the news.")]), Tools([("order", {"key": "pizza"})]), Text("Done.")],
            lambda goal, body: uses("news", "a", body, "Read."),
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    pending = await agent.waits(sent.run_id)
    assert [call.tool_name for call in pending.tool_calls] == ["order"]
    await agent.decide(sent.run_id, True)
    await agent.end(sent.run_id)
    assert agent.shelf.calls == [("news", "a"), ("order", "pizza")]


async def test_a_sub_agents_question_for_permission_is_answered_at_the_sub_agent(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.configure(tools=["look_up", "spawn_sub_agent"], approvalTools=["look_up"])
    model_server.respond(
        plays(
            [Tools([sub_agent("A.")]), Text("Done.")],
            lambda goal, body: uses("look_up", "a", body, "Found."),
        )
    )
    agent.start()
    sent = await agent.ask("Root?")
    await agent.until(lambda: any(event.HasField("input_requested") for event in agent.events))
    sub_run = await agent.pool.fetchval("SELECT id FROM runs WHERE parent_run_id = $1", sent.run_id)
    await agent.decide(sub_run, True)
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."


async def test_pausing_a_tree_pauses_a_sub_agent_that_waits_for_a_person(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.configure(tools=["order", "spawn_sub_agent"], approvalTools=["order"])
    agent.shelf.go.set()
    model_server.respond(
        plays([Tools([sub_agent("Buy.")]), Text("Bought.")], lambda goal, body: uses("order", "pizza", body, "Done."))
    )
    agent.start()
    sent = await agent.ask("Root?")
    await agent.until(lambda: any(event.HasField("input_requested") for event in agent.events))
    sub_run = await agent.pool.fetchval("SELECT id FROM runs WHERE parent_run_id = $1", sent.run_id)
    await agent.control(sent.run_id, "paused")
    assert (await agent.row(sub_run))["status"] == "paused"
    assert not await approve(agent.log, sub_run, agent.rows.user_id, "", True, "")
    await agent.control(sent.run_id, "queued")
    await agent.waits(sub_run)
    await agent.decide(sub_run, True)
    assert (await agent.end(sent.run_id)).finished.message.content == "Bought."
    assert agent.shelf.calls == [("order", "pizza")]


async def test_when_enough_sub_agents_are_done_a_pending_question_is_withdrawn(
    agent: Agent, model_server: ModelServer
) -> None:
    await agent.configure(tools=["spawn_sub_agent"], waitStrategy="WAIT_STRATEGY_ANY")
    question = ("ask_user", {"question": "Or do you know?"})
    model_server.respond(
        plays([Tools([sub_agent("Find out."), question]), Text("Found.")], lambda goal, body: Text("It is so."))
    )
    agent.start()
    sent = await agent.ask("Root?", askClarifications=True)
    assert (await agent.end(sent.run_id)).finished.message.content == "Found."
    assert [call["status"] for call in await agent.calls(sent.run_id)] == ["completed", "cancelled"]
    assert (await agent.row(sent.run_id))["pending_input"] is None


async def test_documents_found_by_a_sub_agent_are_sources_of_its_session(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    found = await stack.index("# Annual leave\n\nThere are 30 days of annual leave.", "leave.md")
    await agent.configure(tools=["search_documents", "spawn_sub_agent"])

    def below(goal: str, body: Any) -> Turn:
        searched = body["messages"][-1]["role"] == "tool"
        return Text("30.") if searched else Tools([("search_documents", {"query": "days of annual leave"})])

    model_server.respond(plays([Tools([sub_agent("Days of leave.")]), Text("Many.")], below))
    agent.start([search_documents(stack.retriever)])
    sent = await agent.ask("Root?")
    await agent.end(sent.run_id)
    (source,) = await agent.pool.fetch("SELECT * FROM chat_session_sources")
    assert (source["chat_session_id"], source["document_id"], source["connector_id"]) == (
        sent.chat_session_id,
        found,
        None,
    )
