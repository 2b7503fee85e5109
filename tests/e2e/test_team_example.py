"""A notebook's conversation with a team, read through the API in the form of an Agno run, as the guide maps it."""

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiohttp

from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.up import Up, sse
from tests.drivers.web_pages import post
from tests.factories.turns import delegated, goal_of, member_of

_GUIDE = Path(__file__).parents[2] / "docs/guide/teams.md"
_ROW = re.compile(r"^\| `([\w.]+)` \| `([\w.]+)` \| (.*?) ?\|$", re.MULTILINE)
_QUESTIONS = ("hello", "recommend books for a 9yo girl", "summarize each book")
# The fields of Agno's run object; the guide says which one has no counterpart.
_FIELDS = {
    *("run_id", "session_id", "team_id", "team_name", "agent_id", "agent_name", "status", "input", "content"),
    *("messages", "member_responses", "metrics", "events", "model", "model_provider", "citations", "created_at"),
}

Json = dict[str, Any]


def _answer(body: Json) -> Turn:
    results = sum(message["role"] == "tool" for message in body["messages"])
    if name := member_of(body):
        return Text("Three books." if name == "Researcher" else "# Three books")
    if goal_of(body) == "hello":
        return Text("Hello! Welcome to NotebookLM!")
    if goal_of(body).startswith("recommend"):
        return Text("These three.") if results else Tools([delegated("researcher", "Find books.")])
    tasks = [[delegated("researcher", "Sum them up.")], [delegated("writer", "Make it a list.")]]
    return Tools(tasks[results]) if results < 2 else Text("Here they are.")


def _field(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value[name]
    return value


def _agno(details: Json) -> Json:
    """Returns details of a run as Agno's run object, by the table of the guide."""
    run: Json = {"metrics": {}}
    for name, path, difference in _ROW.findall(_GUIDE.read_text(encoding="utf-8")):
        value: Any = None
        condition = re.match(r"if `([\w.]+)` is (not )?`(\w+)`", difference)
        if condition is None or (_field(details, condition[1]) == condition[3]) is not bool(condition[2]):
            value = _field(details, path)
        if prefix := re.match(r"with the prefix `(\w+)`", difference):
            assert value.startswith(prefix[1])
            value = value.removeprefix(prefix[1])
        elif difference.startswith("each has the fields"):
            value = [_agno(member) for member in value]
        elif difference.startswith("RFC 3339"):
            value = datetime.fromisoformat(value)
        parent, _, last = name.rpartition(".")
        (run[parent] if parent else run)[last] = value
    return run


async def test_three_messages_in_a_notebook_are_read_in_agnos_form(
    up: Up, http: aiohttp.ClientSession, model_server: ModelServer, tmp_path: Path
) -> None:
    model_server.respond(_answer)
    model = {"name": "Team example", "provider": "LLM_PROVIDER_OPENAI", "modelId": "gpt-example", "apiKey": "none"}
    llm = (await post(http, "llms", model | {"endpoint": model_server.url}))["id"]
    members = [
        (await post(http, "assistants", {"name": name, "llmId": llm, "systemPrompt": f"You are {name}.\n"}))["id"]
        for name in ("Researcher", "Writer")
    ]
    leader = {"name": "NotebookLM", "llmId": llm, "isVisible": True}
    team = await post(http, "assistants", leader | {"members": [{"assistantId": member} for member in members]})
    notebook = await post(http, "notebooks", {"title": "Books"})
    (tmp_path / "books.md").write_text("Three books for young readers.")
    await asyncio.to_thread(up.run, "ingest", str(tmp_path / "books.md"), "--connector", "Books", "--wait")
    async with http.get("/api/v1/connectors") as response:
        connectors = {connector["name"]: connector["id"] for connector in (await response.json())["connectors"]}
    await post(http, f"notebooks/{notebook['id']}/sources:add", {"connectorIds": [connectors["Books"]]})
    session_fields = {"notebookId": notebook["id"], "assistantId": team["id"], "title": "Books"}
    session = (await post(http, "chat-sessions", session_fields))["id"]
    began = datetime.now(UTC)
    runs = []
    for question in _QUESTIONS:
        path = f"/api/v1/chat-sessions/{session}/messages:stream"
        async with http.post(path, json={"content": question}) as response:
            events = [event async for event in sse(response)]
        run_id = events[-1]["runId"]
        async with http.get(f"/api/v1/runs/{run_id}/details") as response:
            runs.append(_agno(await response.json()))

    async with http.get(f"/api/v1/notebooks/{notebook['id']}/sessions") as response:
        assert [found["chatSessionId"] for found in (await response.json())["sessions"]] == [session]
    answers = ["Hello! Welcome to NotebookLM!", "These three.", "Here they are."]
    reports = [[], [("Researcher", "Three books.")], [("Researcher", "Three books."), ("Writer", "# Three books")]]
    for run, question, answer, expected in zip(runs, _QUESTIONS, answers, reports, strict=True):
        assert (run["team_id"], run["team_name"]) == (team["id"], "NotebookLM")
        assert (run["agent_id"], run["agent_name"]) == (None, None)
        assert (run["input"], run["content"], run["citations"]) == (question, answer, [])
        found = run["member_responses"]
        assert [(member["agent_name"], member["content"]) for member in found] == expected
        assert {member["agent_id"] for member in found} <= set(members)
        for each in [run, *found]:
            assert each.keys() == _FIELDS
            assert each["session_id"] == session
            assert (each["status"], each["model"], each["model_provider"]) == ("COMPLETED", "gpt-example", "OPENAI")
            assert [each["messages"][number]["role"] for number in (0, -1)] == ["system", "assistant"]
            assert each["messages"][-1]["content"] == each["content"]
            assert {event["runId"] for event in each["events"]} == {each["run_id"]}
            assert all(int(value) >= 0 for value in each["metrics"].values())
            assert int(each["metrics"]["input_tokens"]) > 0
            assert began <= each["created_at"] <= datetime.now(UTC)
        assert all((member["team_id"], member["member_responses"]) == (None, []) for member in found)
    assert len({each["run_id"] for run in runs for each in [run, *run["member_responses"]]}) == 6
