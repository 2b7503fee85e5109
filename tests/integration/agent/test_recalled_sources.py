"""A memory keeps the documents that its text may come from, also through other memories."""

from collections.abc import Sequence

import pytest

from echomind_agent.tools.memory import MEMORY_TOOLS, remember, search_memory
from echomind_lib.access import Principal
from echomind_lib.learned.memories.rows import read_memories
from tests.drivers.agent import Agent
from tests.drivers.memories import Memories
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.factories.turns import delegated, sub_agent

BLUEBIRD = "The code name is Bluebird."


async def lose(agent: Agent, document: int) -> None:
    """Takes the right to read a document from the agent's person."""
    connector = "(SELECT connector_id FROM documents WHERE id = $1)"
    await agent.pool.execute(
        f"UPDATE connectors SET user_id = $2 WHERE id = {connector}", document, await agent.rows.user("stranger")
    )


async def visible(agent: Agent, ids: Sequence[int]) -> list[str]:
    """Returns the texts of memories as far as the agent's person may see them."""
    found = await read_memories(agent.pool, Principal(agent.rows.user_id), ids)
    return [memory.content for memory in found]


async def test_what_was_remembered_of_a_document_is_hidden_when_the_document_is_lost(
    memories: Memories, agent: Agent, model_server: ModelServer
) -> None:
    agent.start([remember()])
    model_server.script([Text("Hello."), Tools([("remember", {"text": BLUEBIRD})]), Text("Yes.")])
    first = await agent.ask("Hello?")
    await agent.end(first.run_id)
    document = await agent.rows.document()
    await agent.pool.execute(
        "INSERT INTO chat_session_sources (chat_session_id, document_id) VALUES ($1, $2)",
        first.chat_session_id,
        document,
    )
    await agent.answer("Remember its code name.", first.chat_session_id)
    (row,) = await memories.rows()
    assert await visible(agent, [row["id"]]) == [BLUEBIRD]
    await memories.index()
    model_server.script([Text("Bluebird.")])
    asked = await agent.ask("What is the code name?")
    await agent.end(asked.run_id)
    assert "Bluebird" in str(model_server.requests[-1])
    assert (await agent.row(asked.run_id))["untrusted"], "the memory may be the document's text"
    await lose(agent, document)
    assert await visible(agent, [row["id"]]) == []


@pytest.mark.parametrize("below", ["sub-agent", "member"])
async def test_whoever_works_for_a_run_that_recalls_a_document_needs_approval_too(
    memories: Memories, agent: Agent, model_server: ModelServer, below: str
) -> None:
    memory_id = await memories.remember(BLUEBIRD)
    source = "INSERT INTO memory_sources (memory_id, document_id) VALUES ($1, $2)"
    document = await agent.rows.document()
    await agent.pool.execute(source, memory_id, document)
    if below == "member":
        await agent.lead(Writer="Writes.")
        call = delegated("writer", "Order it.")
    else:
        await agent.configure(tools=["order", "spawn_sub_agent"])
        call = sub_agent("Order it.")
    model_server.script([Tools([call]), Tools([("order", {"key": "pizza"})])])
    agent.start([*agent.shelf.tools(), remember(), search_memory(memories.facts)])
    sent = await agent.ask("What is the code name?")
    await agent.until(lambda: any(event.HasField("input_requested") for event in agent.events))
    assert "Bluebird" in str(model_server.requests[0])
    assert not agent.shelf.calls
    (run,) = await agent.pool.fetch("SELECT * FROM runs WHERE parent_run_id = $1", sent.run_id)
    assert run["untrusted"]
    assert {tool["function"]["name"] for tool in model_server.requests[1]["tools"]}.isdisjoint(MEMORY_TOOLS)
    drawn = "SELECT document_id FROM chat_session_sources WHERE chat_session_id = $1"
    assert await agent.pool.fetchval(drawn, run["chat_session_id"]) == document
    await agent.control(sent.run_id, "cancelled")


@pytest.mark.parametrize("how", ["in the prompt", "by the tool"])
async def test_what_is_remembered_of_a_memory_has_its_sources(
    memories: Memories, agent: Agent, model_server: ModelServer, how: str
) -> None:
    document = await agent.rows.document()

    async def bluebird() -> int:
        memory_id = await memories.remember(BLUEBIRD)
        source = "INSERT INTO memory_sources (memory_id, document_id) VALUES ($1, $2)"
        await agent.pool.execute(source, memory_id, document)
        return memory_id

    agent.start([*agent.shelf.tools(), remember(), search_memory(memories.facts)])
    store = Tools([("remember", {"text": "The project is called Bluebird."})])
    if how == "in the prompt":
        first = await bluebird()
        model_server.script([store, Text("Yes.")])
        sent = await agent.ask("What is the code name? Remember it.")
    else:
        await memories.remember("The person sails on Sundays.")
        wait, find = Tools([("wait", {"key": "a"})]), Tools([("search_memory", {"query": "code name"})])
        model_server.script([wait, find, store, Text("Yes.")])
        sent = await agent.ask("What is the code name? Remember it.")
        await agent.shelf.waiting.wait()
        first = await bluebird()  # after the run has recalled what is in its prompt
        agent.shelf.go.set()
    await agent.waits(sent.run_id)
    await agent.decide(sent.run_id, True)
    await agent.end(sent.run_id)
    *_, second = await memories.rows()
    assert await visible(agent, [first, second["id"]]) == [BLUEBIRD, "The project is called Bluebird."]
    drawn = await agent.pool.fetch(
        "SELECT document_id FROM chat_session_sources WHERE chat_session_id = $1", sent.chat_session_id
    )
    assert [row["document_id"] for row in drawn] == [document]
    # A run that recalls only the second one is untrusted, too.
    await agent.pool.execute("UPDATE agent_memories SET valid_to = now() WHERE id = $1", first)
    await memories.index()
    model_server.script([Text("Bluebird.")])
    asked = await agent.ask("How is the project called?")
    await agent.end(asked.run_id)
    assert (await agent.row(asked.run_id))["untrusted"]
    await lose(agent, document)
    assert await visible(agent, [second["id"]]) == []
