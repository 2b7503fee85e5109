"""What a call needs is computed while the call is stored."""

from collections import Counter
from collections.abc import Sequence

import pytest

from echomind_agent.tools.documents import search_documents
from echomind_agent.toolset.registry import ToolContext, tool
from echomind_lib.embeddings.embedder import Vectors
from tests.drivers.agent import Agent
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.drivers.stack import Stack


async def test_what_a_call_needs_begins_before_it_is_stored_and_the_call_after(
    agent: Agent, model_server: ModelServer
) -> None:
    """Only of calls that begin at once: not of one that waits for a person, and not of one that cannot be made."""
    begun: list[str] = []

    @tool(progress=lambda given: "Counting", expect=lambda given: begun.append(f"expected {given.word}"))
    async def count(context: ToolContext, word: str) -> str:
        """Counts a word."""
        stored = await agent.pool.fetchval("SELECT count(*) FROM tool_calls WHERE status = 'running'")
        begun.append(f"called {word} of {stored} stored")
        return "counted"

    @tool(progress=lambda given: "Sending", side_effect=True, expect=lambda given: begun.append("expected to send"))
    async def send(context: ToolContext, text: str) -> str:
        """Sends a text."""
        begun.append("sent")
        return "sent"

    await agent.configure(approvalTools=["send"])
    model_server.script([Tools([("count", {"word": "a"}), ("count", {"words": []}), ("send", {"text": "b"})])])
    agent.start([count, send])
    sent = await agent.ask()
    await agent.waits(sent.run_id)
    assert begun == ["expected a", "called a of 2 stored"]


async def test_a_question_is_embedded_once_and_its_passages_are_found(
    agent: Agent, stack: Stack, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await stack.index("Full-time employees get 30 days of annual leave a year.", "leave.md")
    embedded: list[list[str]] = []
    embed = stack.embeddings._query_vectors

    async def counted(texts: Sequence[str], model_id: str) -> Vectors:
        embedded.append(list(texts))
        return await embed(texts, model_id)

    monkeypatch.setattr(stack.embeddings, "_query_vectors", counted)
    expected = Counter[str]()
    expect = stack.embeddings.expect_query

    def noted(text: str, model_id: str = "") -> None:
        expected[text] += 1
        expect(text, model_id)

    monkeypatch.setattr(stack.embeddings, "expect_query", noted)
    query = "How many days of annual leave do I get?"
    model_server.script([Tools([("search_documents", {"query": query})]), Text("30 days.")] * 2)
    agent.start([search_documents(stack.retriever)])
    for _ in range(2):
        sent = await agent.ask(query)
        await agent.end(sent.run_id)
        (call,) = await agent.calls(sent.run_id)
        assert "30 days" in call["result"]
    assert embedded == [[query], [query]]
    assert expected[query] == 1, "the first search of a process reads which index there is"
