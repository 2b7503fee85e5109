"""Runs that work by themselves: goal, plan, limits."""

from typing import Any

from echomind_lib.pb.echomind.public.v1 import run_pb2
from tests.drivers.agent import Agent
from tests.drivers.model_server import Hang, ModelServer, Text, Tools


def plan(*titles: str) -> tuple[str, dict[str, Any]]:
    return ("write_todos", {"todos": [{"number": number, "title": title} for number, title in enumerate(titles, 1)]})


def mark(number: int, status: str) -> tuple[str, dict[str, Any]]:
    return ("update_todo", {"number": number, "status": status})


async def test_it_goes_on_until_its_todos_are_done(agent: Agent, model_server: ModelServer) -> None:
    model_server.script(
        [
            Tools([plan("Look up a", "Look up b")]),
            Tools([mark(1, "in_progress")]),
            Tools([("look_up", {"key": "a"})]),
            Tools([mark(1, "completed")]),
            Text("The first is done."),
            Tools([mark(2, "in_progress")]),
            Tools([mark(2, "completed")]),
            Text("Both are done."),
        ]
    )
    agent.start()
    sent = await agent.ask("Look everything up.", autoRun=True)
    final = await agent.end(sent.run_id)
    assert final.finished.status == run_pb2.RUN_STATUS_COMPLETED
    assert final.finished.message.content.endswith("Both are done.")
    assert "2. Look up b" in model_server.requests[5]["messages"][-1]["content"]
    first, second = await agent.pool.fetch("SELECT * FROM todos ORDER BY order_index")
    assert (first["status"], second["status"]) == ("completed", "completed")
    assert first["actual_steps"] >= 2
    assert first["actual_tokens"] > 0
    plans = [event for event in await agent.stored(sent.chat_session_id) if event.HasField("todos")]
    assert [todo.title for todo in plans[-1].todos.todos] == ["Look up a", "Look up b"]
    (session,) = await agent.pool.fetch("SELECT status, goal FROM chat_sessions WHERE id = $1", sent.chat_session_id)
    assert (session["status"], session["goal"]) == ("completed", "Look everything up.")
    kinds = await agent.pool.fetch("SELECT checkpoint_type FROM checkpoints")
    assert [row["checkpoint_type"] for row in kinds] == ["milestone"]
    actions = [step["action"] for step in await agent.steps(sent.run_id)]
    assert actions == ["plan", "plan", "call_tool", "plan", "plan", "plan", "plan", "answer"]


async def test_a_goal_with_open_todos_fails_after_the_reminders(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([plan("Impossible")]), *[Text(f"No {number}.") for number in range(4)]])
    agent.start()
    sent = await agent.ask("Do it.", autoRun=True)
    final = await agent.end(sent.run_id)
    assert final.finished.status == run_pb2.RUN_STATUS_FAILED
    assert final.finished.error.reason == "GOAL_NOT_REACHED"
    assert final.finished.error.message == "The goal was not reached: the todo “1. Impossible” is still open."
    assert final.finished.message.content.endswith("No 3.")  # what was said stays
    assert len(model_server.requests) == 5
    status = await agent.pool.fetchval("SELECT status FROM chat_sessions WHERE id = $1", sent.chat_session_id)
    assert status == "failed"


async def test_the_built_in_model_refuses_a_goal_and_says_why(agent: Agent) -> None:
    await agent.use_built_in_model()
    agent.start()
    final = await agent.end((await agent.ask("Do it.", autoRun=True)).run_id)
    assert final.finished.error.reason == "LLM_UNAVAILABLE"
    assert "cannot work towards a goal" in final.finished.error.message


async def test_it_has_the_tools_for_planning_and_does_not_ask(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(askClarifications=True)
    model_server.script([Text("Done.")] * 2)
    agent.start()
    await agent.end((await agent.ask("Do it.", autoRun=True)).run_id)
    await agent.end((await agent.ask("What?")).run_id)
    by_itself, asked = [{tool["function"]["name"] for tool in body["tools"]} for body in model_server.requests]
    assert {"write_todos", "update_todo", "spawn_sub_agent", "call_in_parallel"} <= by_itself
    assert "ask_user" not in by_itself
    assert "ask_user" in asked
    assert not {"write_todos", "spawn_sub_agent"} & asked


async def test_a_limit_of_steps_ends_it_with_an_answer(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([plan("Much")]), Text("That is as far as I came.")])
    agent.start()
    sent = await agent.ask("Do it.", autoRun=True, maxSteps=2)
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "That is as far as I came."
    assert final.finished.error.reason == "GOAL_NOT_REACHED"
    assert "has taken its 2 steps" in final.finished.error.message
    assert model_server.requests[1]["tool_choice"] == "none"


async def test_a_limit_of_cost_ends_it(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([("look_up", {"key": "a"})]), Text("Done.")])
    agent.start()
    sent = await agent.send("Do it.", maxCost=0.01)
    # As if the steps of an earlier attempt had cost so much; no price is known of the scripted model.
    await agent.pool.execute("UPDATE runs SET cost = 0.02 WHERE id = $1", sent.run_id)
    await agent.wake(sent.run_id)
    final = await agent.end(sent.run_id)
    assert (final.finished.status, final.finished.error.reason) == (run_pb2.RUN_STATUS_FAILED, "MAX_COST")


async def test_a_cancelled_one_says_so_at_its_session(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Hang("So far ")])
    agent.start()
    sent = await agent.ask("Do it.", autoRun=True)
    await model_server.wait_for_requests(1)
    await agent.control(sent.run_id, "cancelled")
    await agent.end(sent.run_id)
    status = "SELECT status FROM chat_sessions WHERE id = $1"
    assert await agent.pool.fetchval(status, sent.chat_session_id) == "cancelled"
    model_server.script([Text("Done.")])
    await agent.answer("And now?", sent.chat_session_id)
    assert await agent.pool.fetchval(status, sent.chat_session_id) == "active"
