"""Follow-up questions: rewritten once if necessary, charged to the run, and the gain in retrieval."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from echomind_agent.execution import rephrasing
from echomind_agent.text.followups import is_follow_up, joined
from echomind_agent.tools.documents import search_documents
from tests.drivers.agent import Agent
from tests.drivers.model_server import Error, Json, ModelServer, Text, Tools, Turn
from tests.drivers.stack import Stack
from tests.paths import ROOT

SETS: dict[str, dict[str, Any]] = json.loads((ROOT / "tests" / "fixtures" / "followups.json").read_text())
_LEAVE = "How many days of annual leave do I get?"


def _is_rewriting(body: Json) -> bool:
    return "Rewrite the last question" in str(body["messages"][0]["content"])


def _search(query: str) -> Tools:
    return Tools([("search_documents", {"query": query})])


async def _follow(agent: Agent, stack: Stack, asked: str) -> tuple[Any, list[str]]:
    """Asks something after a first question; returns the answer's row and what was searched for."""
    await stack.index("Full-time employees get 30 days of annual leave a year.", "leave.md")
    agent.start([search_documents(stack.retriever)])
    first = await agent.ask(_LEAVE)
    await agent.end(first.run_id)
    sent = await agent.ask(asked, first.chat_session_id)
    await agent.end(sent.run_id)
    calls = await agent.pool.fetch(
        "SELECT parameters FROM tool_calls JOIN steps ON steps.id = step_id WHERE run_id = $1", sent.run_id
    )
    (row,) = await agent.pool.fetch(
        "SELECT message.*, run.prompt_tokens FROM chat_messages message JOIN runs run ON run.id = message.run_id "
        "WHERE run_id = $1",
        sent.run_id,
    )
    return row, [call["parameters"]["query"] for call in calls]


def _answers(rewriting: Turn, query: str) -> Callable[[Json], Turn]:
    """Returns a model that searches for a text, then answers; for a rewriting it gives `rewriting`."""

    def answer(body: Json) -> Turn:
        if _is_rewriting(body):
            return rewriting
        return Text("So.") if body["messages"][-1]["role"] == "tool" else _search(query)

    return answer


async def test_question_as_it_was_asked_is_rewritten(agent: Agent, stack: Stack, model_server: ModelServer) -> None:
    model_server.script([Text("30 days.")])
    model_server.respond(_answers(Text("“Can annual leave be carried over?”"), "Can I carry them over?"))
    row, searched = await _follow(agent, stack, "Can I carry them over?")
    assert searched == ["Can annual leave be carried over?"]
    assert row["rephrased_query"] == "Can annual leave be carried over?"
    (asked,) = [body for body in model_server.requests if _is_rewriting(body)]
    assert asked["messages"][1]["content"] == (
        f"<person>\n{_LEAVE}\n</person>\n<assistant>\n30 days.\n</assistant>\n"
        "<question>\nCan I carry them over?\n</question>"
    )
    # The server counts each word of each prompt; the run's tokens are those of all three requests.
    total = sum(_words(body) for body in model_server.requests[1:])
    assert row["prompt_tokens"] == total


def _words(body: Json) -> int:
    return sum(len(str(message.get("content") or "").split()) for message in body["messages"])


@pytest.mark.parametrize(
    ("asked", "query"),
    [
        ("Can I carry them over?", "carry over annual leave"),  # the model already rewrites the question
        ("How long is pay continued during sick leave?", "How long is pay continued during sick leave?"),
    ],
)
async def test_what_needs_none_costs_no_request(
    agent: Agent, stack: Stack, model_server: ModelServer, asked: str, query: str
) -> None:
    model_server.script([Text("30 days.")])
    model_server.respond(_answers(Text("Wrong"), query))
    _, searched = await _follow(agent, stack, asked)
    assert searched == [query]
    assert not any(_is_rewriting(body) for body in model_server.requests)


@pytest.mark.parametrize("rewriting", [Error(500), Text("...")])
async def test_rules_take_the_place_of_a_model_that_fails(
    agent: Agent, stack: Stack, model_server: ModelServer, rewriting: Turn
) -> None:
    model_server.script([Text("30 days.")])
    model_server.respond(_answers(rewriting, "And who approves it?"))
    _, searched = await _follow(agent, stack, "And who approves it?")
    assert searched == [f"{_LEAVE}\nAnd who approves it?"]


_ANSWER = "The head of your team approves it. " * 5


@pytest.mark.parametrize("written", [Text(_ANSWER), Text("The head of", finish_reason="length")])
async def test_a_model_that_answers_instead_leaves_the_question_as_it_is(
    agent: Agent, stack: Stack, model_server: ModelServer, written: Text
) -> None:
    model_server.script([Text("30 days.")])
    model_server.respond(_answers(written, "And who approves it?"))
    _, searched = await _follow(agent, stack, "And who approves it?")
    assert searched == ["And who approves it?"]


async def test_a_model_that_answers_each_question_instead_is_not_asked_for_a_while(
    agent: Agent, stack: Stack, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "And who approves it?"
    model_server.script([Text("30 days.")])
    model_server.respond(_answers(Text(_ANSWER), question))
    await _follow(agent, stack, question)
    for _ in range(4):
        first = await agent.answer(_LEAVE)
        await agent.answer(question, first.finished.message.chat_session_id)
    assert len(list(filter(_is_rewriting, model_server.requests))) == 3
    monkeypatch.setattr(rephrasing, "_PAUSE_SECONDS", -1.0)
    rephrasing._ABILITIES.clear()
    for _ in range(4):
        first = await agent.answer(_LEAVE)
        await agent.answer(question, first.finished.message.chat_session_id)
    assert len(list(filter(_is_rewriting, model_server.requests))) == 7, "asked again after the pause"


async def test_search_of_a_template_is_for_the_rewritten_question(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    await agent.configure("Use this:\n{context}\n\nQuestion: {query}")
    model_server.respond(lambda body: Text("Who approves annual leave?" if _is_rewriting(body) else "So."))
    row, searched = await _follow(agent, stack, "And who approves it?")
    assert searched == ["Who approves annual leave?"]
    assert row["rephrased_query"] == "Who approves annual leave?"
    query = "SELECT prompt_tokens FROM steps WHERE run_id = $1 AND action = 'retrieve'"
    assert await agent.pool.fetchval(query, row["run_id"]) > 0
    # The model receives the person's question.
    assert "Question: And who approves it?" in model_server.requests[-1]["messages"][-1]["content"]


async def test_rules_find_what_followups_are_about(stack: Stack) -> None:
    """Counts how often the right document is the first hit: as asked, and with the questions before it.

    In English 52 and 91 of 100, in German 61 and 89 when it was written.
    """
    figures = {}
    for language, part in SETS.items():
        ids = {name: await stack.index(text, f"{name}.md") for name, text in part["documents"].items()}

        async def first(query: str) -> int:
            hits = await stack.retriever.search(stack.reader(), query, limit=1)
            return hits[0].document_id if hits else 0

        needing = [dialogue for dialogue in part["dialogues"] if dialogue["needs"]]
        others = [dialogue for dialogue in part["dialogues"] if not dialogue["needs"]]
        as_asked = [await first(d["asked"]) == ids[d["document"]] for d in needing]
        rewritten = [await first(joined(d["asked"], d["turns"])) == ids[d["document"]] for d in needing]
        alone = [await first(d["asked"]) == ids[d["document"]] for d in others]
        assert not any(is_follow_up(d["asked"]) for d in others)
        figures[language] = (sum(as_asked) / len(needing), sum(rewritten) / len(needing), sum(alone) / len(others))
    for raw, ruled, standing_alone in figures.values():
        assert ruled >= 0.85
        assert ruled >= raw + 0.2
        assert standing_alone == 1
