"""Runs that work by themselves: goal, plan, limits."""

from typing import Any

from echomind_lib.pb.echomind.public.v1 import run_pb2
from tests.drivers.agent import Agent
from tests.drivers.model_server import Hang, ModelServer, Text, Tools


def plan(*titles: str) -> tuple[str, dict[str, Any]]:
    return ("write_todos", {"todos": [{"number": number, "title": title} for number, title in enumerate(titles, 1)]})


def mark(number: int, status: str) -> tuple[str, dict[str, Any]]:
    return ("update_todo", {"number": number, "status": status})


async def test_it_continues_until_its_todos_are_done(agent: Agent, model_server: ModelServer) -> None:
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
    # Of each the step that brings it into progress and the one that completes it; the first has one between them.
    assert (first["actual_steps"], second["actual_steps"]) == (3, 2)
    assert first["actual_tokens"] > second["actual_tokens"] > 0
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
    assert final.finished.message.content.endswith("No 3.")  # the text so far stays
    assert len(model_server.requests) == 5
    status = await agent.pool.fetchval("SELECT status FROM chat_sessions WHERE id = $1", sent.chat_session_id)
    assert status == "failed"


def finish(outcome: str, summary: str, **endings: tuple[str, str]) -> tuple[str, dict[str, Any]]:
    """Returns a call of `finish_goal`; of each todo, as `t1`, its status and reason."""
    todos = [
        {"number": int(name[1:]), "status": status, "reason": reason} for name, (status, reason) in endings.items()
    ]
    return ("finish_goal", {"outcome": outcome, "summary": summary, "todos": todos})


async def test_a_goal_is_reached_by_the_word_of_the_run(agent: Agent, model_server: ModelServer) -> None:
    model_server.script(
        [
            Tools([plan("Look up a", "Ask b")]),
            Tools([mark(1, "in_progress")]),
            Tools([finish("reached", "It is one.", t1=("completed", "One."))]),
            Tools([finish("reached", "It is one.", t1=("completed", "One."), t2=("cancelled", "Not needed."))]),
        ]
    )
    agent.start()
    sent = await agent.ask("Find out.", autoRun=True)
    final = await agent.end(sent.run_id)
    assert final.finished.status == run_pb2.RUN_STATUS_COMPLETED
    assert final.finished.message.content == "It is one."
    # The reply named the open todo, and the first call did not end the goal.
    assert "Still open: todo 2 (“Ask b”)" in model_server.requests[3]["messages"][-1]["content"]
    assert len(model_server.requests) == 4
    first, second = await agent.pool.fetch("SELECT status, result, error, actual_steps FROM todos ORDER BY order_index")
    assert (first["status"], first["result"], second["status"], second["error"]) == (
        "completed",
        "One.",
        "cancelled",
        "Not needed.",
    )
    assert first["actual_steps"] == 3
    # A plan is done although its last todo was not needed.
    kinds = await agent.pool.fetch("SELECT checkpoint_type FROM checkpoints")
    assert [row["checkpoint_type"] for row in kinds] == ["milestone"]
    status = await agent.pool.fetchval("SELECT status FROM chat_sessions WHERE id = $1", sent.chat_session_id)
    assert status == "completed"


async def test_text_does_not_reach_a_goal_without_a_plan(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Text("I will begin now."), Tools([finish("reached", "It is one.")])])
    agent.start()
    final = await agent.end((await agent.ask("Find out.", autoRun=True)).run_id)
    assert final.finished.status == run_pb2.RUN_STATUS_COMPLETED
    assert final.finished.message.content == "I will begin now.\n\nIt is one."
    assert "call finish_goal with the outcome" in model_server.requests[1]["messages"][-1]["content"]
    model_server.script([Text(f"Nearly {number}.") for number in range(4)])
    final = await agent.end((await agent.ask("Find out more.", autoRun=True)).run_id)
    assert (final.finished.status, final.finished.error.reason) == (run_pb2.RUN_STATUS_FAILED, "GOAL_NOT_REACHED")
    assert final.finished.error.message == "The goal was not reached: the agent did not report that it is."
    assert final.finished.message.content.endswith("Nearly 3.")


async def test_a_run_reports_that_its_goal_cannot_be_reached(agent: Agent, model_server: ModelServer) -> None:
    model_server.script(
        [
            Tools([plan("Open the door", "Go in")]),
            Tools(
                [finish("not_reached", "The door is locked.", t1=("failed", "No key."), t2=("failed", "It is shut."))]
            ),
        ]
    )
    agent.start()
    sent = await agent.ask("Go in.", autoRun=True)
    final = await agent.end(sent.run_id)
    assert final.finished.status == run_pb2.RUN_STATUS_FAILED
    assert final.finished.error.reason == "GOAL_NOT_REACHED"
    assert final.finished.error.message == (
        "The goal was not reached: The door is locked. Not done: 1. Open the door (No key.); 2. Go in (It is shut.)."
    )
    assert final.finished.message.content == "The door is locked."


async def test_a_finished_goal_ends_its_run_after_a_crash_too(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([finish("not_reached", "It cannot be.")])])
    sent = await agent.send("Do it.", autoRun=True, maxSteps=5)
    # As if its worker had died between the call's result and the end of the run.
    await agent.pool.execute(
        "INSERT INTO steps (run_id, step_number, step_type, action, status, llm_input, llm_output, completed_at)"
        " VALUES ($1, 1, 'action', 'plan', 'completed', '[]', $2, now())",
        sent.run_id,
        {"text": "", "tool_calls": [{"id": "1", "name": "finish_goal", "arguments": "{}"}], "finish_reason": "stop"},
    )
    await agent.pool.execute(
        "INSERT INTO tool_calls (step_id, tool_call_id, tool_name, parameters, status, result, completed_at)"
        " SELECT id, '1', 'finish_goal', $2, 'completed', 'x', now() FROM steps WHERE run_id = $1",
        sent.run_id,
        finish("not_reached", "It cannot be.")[1],
    )
    await agent.pool.execute("UPDATE runs SET steps_executed = 1 WHERE id = $1", sent.run_id)
    agent.start()
    await agent.wake(sent.run_id)
    final = await agent.end(sent.run_id)
    assert final.finished.error.reason == "GOAL_NOT_REACHED"
    assert final.finished.message.content == "It cannot be."
    assert not model_server.requests


async def test_the_most_important_todo_is_offered_next(agent: Agent, model_server: ModelServer) -> None:
    todos = [
        {"number": 1, "title": "Minor"},
        {"number": 2, "title": "Blocked", "depends_on": [3], "priority": 9},
        {"number": 3, "title": "Major", "priority": 5},
    ]
    model_server.script(
        [
            Tools([("write_todos", {"todos": todos})]),
            Text("Done."),
            Tools([finish("reached", "Done.", t1=("completed", "."), t2=("completed", "."), t3=("completed", "."))]),
        ]
    )
    agent.start()
    await agent.end((await agent.ask("Do it.", autoRun=True)).run_id)
    planned, reminded = (body["messages"][-1]["content"] for body in model_server.requests[1:])
    assert planned.endswith("Next: 3. Major; 1. Minor")
    assert "still open: 3. Major; 1. Minor; 2. Blocked." in reminded


async def test_the_built_in_model_rejects_a_goal_with_a_reason(agent: Agent) -> None:
    await agent.use_built_in_model()
    agent.start()
    final = await agent.end((await agent.ask("Do it.", autoRun=True)).run_id)
    assert final.finished.error.reason == "LLM_UNAVAILABLE"
    assert "cannot work towards a goal" in final.finished.error.message


async def test_it_has_the_tools_for_planning_and_does_not_ask(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(askClarifications=True)
    model_server.script([Tools([finish("reached", "Done.")]), Text("Done.")])
    agent.start()
    await agent.end((await agent.ask("Do it.", autoRun=True)).run_id)
    await agent.end((await agent.ask("What?")).run_id)
    by_itself, asked = [{tool["function"]["name"] for tool in body["tools"]} for body in model_server.requests]
    assert {"write_todos", "update_todo", "finish_goal", "spawn_sub_agent", "call_in_parallel"} <= by_itself
    assert "ask_user" not in by_itself
    assert "ask_user" in asked
    assert not {"write_todos", "spawn_sub_agent", "finish_goal"} & asked


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


async def test_cancelling_a_goal_is_stored_in_its_session(agent: Agent, model_server: ModelServer) -> None:
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
