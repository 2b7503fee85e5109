"""Runs on the command line against the whole product: planning, asking, going back."""

import asyncio
import json
from collections.abc import Iterator

import pytest

from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.up import Up

PLAN = {"todos": [{"number": 1, "title": "Collect"}, {"number": 2, "title": "Report", "depends_on": [1]}]}


def _update(number: int, status: str) -> Tools:
    return Tools([("update_todo", {"number": number, "status": status, "result": f"result {number}"})])


REPORT: list[Turn] = [
    Tools([("write_todos", PLAN)]),
    _update(2, "completed"),
    _update(1, "completed"),
    Text("I believe that this is all."),
    _update(2, "completed"),
    Text("The report."),
]


@pytest.fixture
def scripted(up: Up, model_server: ModelServer) -> Iterator[ModelServer]:
    """The scripted model, as the default one for the time of a test."""
    name = f"scripted {model_server.url}"
    options = ("--provider", "openai", "--model", "m", "--endpoint", model_server.url, "--provider-key", "k")
    up.run("llms", "add", name, *options, "--default")
    yield model_server
    up.run("llms", "remove", name, "--yes")


async def test_a_run_by_itself_plans_and_ends_when_its_todos_are_done(up: Up, scripted: ModelServer) -> None:
    scripted.script(REPORT)
    await asyncio.to_thread(_report, up, scripted)


def _report(up: Up, scripted: ModelServer) -> None:
    done = up.run("runs", "start", "Write a report", "--wait")
    assert "The report." in done.stdout
    assert "Todos, 0 of 2 done:\n  [ ] 1. Collect\n  [ ] 2. Report\n" in done.stderr
    assert "it depends on todo 1 (“Collect”), which is pending" in done.stderr
    assert "[x] 2. Report - result 2" in done.stderr
    run = up.json("runs", "list", "--roots", "--limit", "1")["runs"][0]
    session = str(run["chatSessionId"])
    assert run["autoRun"]
    todos = up.json("todos", "list", session, "--run", run["id"])["todos"]
    assert [(todo["title"], todo["status"]) for todo in todos] == [
        ("Collect", "TODO_STATUS_COMPLETED"),
        ("Report", "TODO_STATUS_COMPLETED"),
    ]
    milestone = up.json("checkpoints", "list", session)["checkpoints"][0]
    assert milestone["checkpointType"] == "CHECKPOINT_TYPE_MILESTONE"
    prompt = up.json("runs", "prompt", run["id"], str(run["stepsExecuted"]))
    assert [message["content"] for message in prompt["messages"]] == [
        message["content"] or "" for message in scripted.requests[-1]["messages"]
    ]
    up.run("sessions", "undo", session)
    assert up.json("sessions", "messages", session)["messages"] == []
    up.run("checkpoints", "restore", milestone["id"])
    messages = up.json("sessions", "messages", session)["messages"]
    assert [message["role"] for message in messages] == ["MESSAGE_ROLE_USER", "MESSAGE_ROLE_ASSISTANT"]
    assert len(up.json("todos", "list", session)["todos"]) == 2


async def test_an_unreached_goal_lists_open_todos_with_reasons(up: Up, scripted: ModelServer) -> None:
    plan = {"todos": [{"number": 1, "title": "Knock"}, {"number": 2, "title": "Walk there", "priority": 5}]}
    ending = {"number": 1, "status": "failed", "reason": "Nobody is there."}
    goal = {"outcome": "not_reached", "summary": "The door is shut.", "todos": [ending]}
    scripted.script(
        [
            Tools([("write_todos", plan)]),
            Tools([("update_todo", {"number": 2, "status": "in_progress"})]),
            _update(2, "completed"),
            Tools([("finish_goal", goal)]),
        ]
    )
    await asyncio.to_thread(_give_up, up)


def _give_up(up: Up) -> None:
    done = up.run("runs", "start", "Visit them", "--wait", check=False)
    message = "The goal was not reached: The door is shut. Not done: 1. Knock (Nobody is there.)."
    assert done.exit_code == 1
    assert message in done.stderr
    assert "[!] 1. Knock - Nobody is there." in done.stderr
    run = up.json("runs", "show", up.json("runs", "list", "--roots", "--limit", "1")["runs"][0]["id"])
    assert run["status"] == "RUN_STATUS_FAILED"
    assert (run["error"]["reason"], run["error"]["message"]) == ("GOAL_NOT_REACHED", message)
    # The more important one was offered first.
    assert run["steps"][0]["toolCalls"][0]["result"].endswith("Next: 2. Walk there; 1. Knock")
    session = str(run["chatSessionId"])
    failed, completed = up.json("todos", "list", session, "--run", run["id"])["todos"]
    assert (failed["status"], failed["error"]) == ("TODO_STATUS_FAILED", "Nobody is there.")
    assert completed["status"] == "TODO_STATUS_COMPLETED"
    # Of the one the step that ends it, of the other those that begin and complete it.
    assert (failed["actualSteps"], completed["actualSteps"]) == (1, 2)
    assert int(completed["actualTokens"]) > 0
    assert up.json("sessions", "show", session)["status"] == "CHAT_SESSION_STATUS_FAILED"


async def test_a_question_of_a_run_is_answered_from_another_command(up: Up, scripted: ModelServer) -> None:
    scripted.script([Tools([("ask_user", {"question": "Which year?", "options": ["2024", "2025"]})]), Text("Thirty.")])
    await asyncio.to_thread(_answer, up, scripted)


def _answer(up: Up, scripted: ModelServer) -> None:
    asked = up.json("ask", "How many days?", "--ask-clarifications", check=False)
    assert (asked["status"], asked["pendingInput"]["question"]) == ("waiting_for_input", "Which year?")
    up.run("runs", "input", asked["waitingRunId"], "2025")
    up.run("runs", "watch", asked["runId"])
    assert up.json("sessions", "messages", str(asked["sessionId"]))["messages"][-1]["content"] == "Thirty."
    received = [request["messages"][-1] for request in scripted.requests if request["messages"][-1]["role"] == "tool"]
    assert "2025" in json.dumps(received[-1]["content"])
