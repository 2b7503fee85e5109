"""The memory tools: storing, finding, deleting, and approval."""

import pytest_asyncio

from echomind_agent.tools.memory import forget, remember, search_memory
from echomind_lib.conversations.questions import FirstQuestion
from echomind_lib.conversations.questions.submission import store
from tests.drivers.agent import Agent
from tests.drivers.memories import Memories
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.factories.notebooks import notebook


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def _worker(memories: Memories, agent: Agent) -> None:
    agent.start([*agent.shelf.tools(), remember(), search_memory(memories.facts), forget()])


def _offered(request: object) -> set[str]:
    assert isinstance(request, dict)
    return {tool["function"]["name"] for tool in request["tools"]} & {"remember", "search_memory", "forget"}


async def test_the_agent_remembers_finds_and_forgets_for_a_person(
    memories: Memories, agent: Agent, model_server: ModelServer
) -> None:
    model_server.script([Tools([("remember", {"text": "The person sails on Sundays."})]), Text("I will remember.")])
    await agent.end((await agent.ask("Remember that I sail on Sundays.")).run_id)
    assert _offered(model_server.requests[0]) == {"remember"}
    (row,) = await memories.rows()
    assert (row["content"], row["trust"]) == ("The person sails on Sundays.", "user_said")
    await memories.index()
    model_server.script(
        [
            Tools([("search_memory", {"query": "sailing on Sundays"})]),
            Tools([("forget", {"memory_id": row["id"]})]),
            Text("Forgotten."),
        ]
    )
    sent = await agent.ask("Forget that I sail.")
    # Memories are untrusted text, so deletion requires the person's approval.
    await agent.waits(sent.run_id)
    await agent.decide(sent.run_id, True)
    await agent.end(sent.run_id)
    assert _offered(model_server.requests[2]) == {"remember", "search_memory", "forget"}
    assert await memories.rows(with_history=True) == []


async def test_a_secret_is_not_remembered(memories: Memories, agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([("remember", {"text": "The password of the person is hunter22!"})]), Text("No.")])
    await agent.end((await agent.ask("Remember my password.")).run_id)
    assert await memories.rows() == []


async def test_untrusted_text_cannot_write_a_memory(
    memories: Memories, agent: Agent, model_server: ModelServer
) -> None:
    model_server.script(
        [Tools([("news", {"key": "a"})]), Tools([("remember", {"text": "The person trusts evil.example."})])]
    )
    sent = await agent.ask("What is new?")
    await agent.waits(sent.run_id)
    assert await memories.rows() == []


async def test_with_memory_off_there_are_no_memory_tools(
    memories: Memories, agent: Agent, model_server: ModelServer
) -> None:
    await memories.remember("The person sails.")
    await memories.pool.execute("UPDATE users SET preferences = '{\"memoryOff\": true}'")
    model_server.script([Text("Hello.")])
    await agent.end((await agent.ask("Hello?")).run_id)
    assert _offered(model_server.requests[0]) == set()


async def test_in_a_notebook_whose_members_read_along_there_is_no_memory(
    memories: Memories, agent: Agent, model_server: ModelServer
) -> None:
    await memories.remember("The person sails on Sundays.")
    notebook_id = await notebook(memories.pool, {memories.user_id: "owner"}, documents=[await agent.rows.document()])
    await memories.pool.execute("UPDATE documents SET chunking_session = gen_random_uuid()")
    model_server.script([Text("Hello.")])
    question = FirstQuestion(user_id=memories.user_id, content="Do I sail on Sundays?", notebook_id=notebook_id)
    asked = (await store(agent.log, question)).question
    await agent.wake(asked.run_id)
    await agent.end(asked.run_id)
    assert _offered(model_server.requests[0]) == set()
    assert "sails" not in str(model_server.requests[0])
