"""Knowledge in runs: availability of the tool, and citations as evidence."""

from typing import Any

import pytest

from echomind_agent.tools.knowledge import SEARCH_KNOWLEDGE, search_knowledge
from echomind_ingestor.facts.indexing import FactIndexing
from echomind_lib.jobs import INDEX_FACTS, enqueue, lease
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.knowledge.search import KnowledgeSearch
from echomind_lib.learned.knowledge.uses import cited_in
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2
from tests.drivers.agent import Agent
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.drivers.stack import Stack
from tests.factories import rows as factories


class Known:
    """Knowledge that can be found."""

    def __init__(self, stack: Stack) -> None:
        self._stack, self._pool = stack, stack.pool
        self._vectors = FactVectors(stack.pool, stack.vectors, stack.embeddings)
        self.tool = search_knowledge(KnowledgeSearch(stack.pool, self._vectors))

    async def add(self, content: str, *document_ids: int, **values: Any) -> int:
        made: int = (await factories.knowledge(self._pool, content=content, **values))["id"]
        for document_id in document_ids:
            await self._pool.execute("INSERT INTO knowledge_sources VALUES ($1, $2)", made, document_id)
        await enqueue(self._pool, INDEX_FACTS)
        job = await lease.claim(self._pool, [INDEX_FACTS], self._stack.worker_id)
        assert job is not None
        await FactIndexing(self._pool, self._vectors).work(job)
        await lease.complete(self._pool, job, again_after=0)
        return made


@pytest.fixture
def known(stack: Stack) -> Known:
    return Known(stack)


def offered(model_server: ModelServer, number: int = 0) -> list[str]:
    return [tool["function"]["name"] for tool in model_server.requests[number].get("tools", [])]


async def test_what_an_answer_cites_is_evidence_once_in_a_conversation(
    agent: Agent, stack: Stack, known: Known, model_server: ModelServer
) -> None:
    document = await stack.index("Releases happen on Tuesdays.", "releases.md")
    rule = await known.add("Releases are made on Tuesdays before noon.", document, level="organization")
    other = await known.add("Releases are announced in the channel.", level="organization")
    model_server.script(
        [Tools([(SEARCH_KNOWLEDGE, {"query": "When are releases made?"})]), Text(f"On Tuesdays [K{rule}]. [K999999]")]
        * 2
    )
    agent.start([known.tool])
    sent = await agent.ask("When do we release?")
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == f"On Tuesdays [K{rule}]. [K999999]"
    assert final.finished.message.basis == chat_message_pb2.ANSWER_BASIS_OTHER
    (call,) = await agent.calls(sent.run_id)
    assert f'name="K{rule}"' in call["result"]
    assert "before noon" in call["result"]
    events = [event for event in await agent.stored(sent.chat_session_id) if event.HasField("knowledge")]
    assert [entity.id for entity in events[0].knowledge.entities] == [rule, other]
    drawn = await stack.pool.fetch(
        "SELECT document_id FROM chat_session_sources WHERE chat_session_id = $1", sent.chat_session_id
    )
    assert [row["document_id"] for row in drawn] == [document]
    await agent.end((await agent.ask("And next week?", sent.chat_session_id)).run_id)
    found = await stack.pool.fetch(
        "SELECT id, alpha, beta, usage_count, last_used_at IS NOT NULL AS used FROM knowledge_entities ORDER BY id"
    )
    assert [tuple(row) for row in found] == [(rule, 8.1, 2.0, 2, True), (other, 8.0, 2.0, 2, True)]
    uses = await stack.pool.fetch("SELECT step_number, cited FROM knowledge_uses WHERE knowledge_id = $1", rule)
    assert [tuple(row) for row in uses] == [(1, True), (1, True)]


async def test_the_tool_is_there_for_whom_there_is_any_knowledge(
    agent: Agent, stack: Stack, known: Known, model_server: ModelServer
) -> None:
    model_server.script([Text("One."), Text("Two."), Text("Three.")])
    agent.start([known.tool])
    await agent.answer("One?")
    await known.add("Somebody else likes tea.", user_id=await stack.rows.user("other"))
    await agent.answer("Two?")
    await known.add("This person likes tea.", user_id=stack.rows.user_id)
    await agent.answer("Three?")
    assert [offered(model_server, number) for number in range(3)] == [[], [], [SEARCH_KNOWLEDGE]]


async def test_only_valid_entities_are_found(
    agent: Agent, stack: Stack, known: Known, model_server: ModelServer
) -> None:
    text = "Bicycles are parked in the cellar."
    kept = await known.add(text, level="organization")
    await known.add(text, level="organization", alpha=8.0, beta=40.0)  # too many negative votes
    await known.add(text, user_id=await stack.rows.user("other"))
    other = await stack.rows.user("third")
    connector = await stack.rows.connector("user", user_id=other)
    private = await stack.index("Bicycles.", "private.md", connector_id=connector)
    await known.add(text, private, level="organization")
    model_server.script([Tools([(SEARCH_KNOWLEDGE, {"query": "Where are bicycles parked?"})]), Text("There.")])
    agent.start([known.tool])
    sent = await agent.ask("Where are bicycles parked?")
    await agent.end(sent.run_id)
    (call,) = await agent.calls(sent.run_id)
    assert call["result"].count("<knowledge") == 1
    assert f'name="K{kept}"' in call["result"]


@pytest.mark.parametrize(
    ("text", "ids"), [("As [K12] says.", [12]), ("[K3, K4] and [K3]", [3, 4]), ("[1] [K] [k2] K5 [K1x]", [])]
)
def test_names_of_entities_in_answers(text: str, ids: list[int]) -> None:
    assert cited_in(text) == ids
