"""Runs of conversations that began with a key with limits: what they search, and which assistants work in them."""

from dataclasses import replace
from typing import Any

import pytest

from echomind_agent.tools.documents import search_documents
from echomind_lib.access.principal import KeyLimits, Principal
from echomind_lib.conversations.forks import fork_session
from echomind_lib.conversations.questions import FirstQuestion, NextQuestion, Submission, submit
from echomind_lib.conversations.questions.submission import store
from echomind_lib.errors import AssistantUnavailableError, EchoMindError
from echomind_lib.runs.caller import Caller
from echomind_lib.runs.details import with_details
from echomind_lib.runs.lease import claim
from tests.drivers.agent import Agent
from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.stack import Stack
from tests.factories import rows
from tests.factories.turns import delegated, plays, sub_agent, team_plays


async def key_of(agent: Agent, **limits: list[int]) -> KeyLimits:
    """Returns the limits of a new key of whoever asks."""
    key = await rows.api_key(agent.pool, user_id=agent.rows.user_id, name="limited", **limits)
    return KeyLimits(
        int(key["id"]),
        frozenset(limits["assistant_ids"]) if "assistant_ids" in limits else None,
        frozenset(limits["connector_ids"]) if "connector_ids" in limits else None,
    )


async def ask(agent: Agent, limits: KeyLimits | None, **given: Any) -> Submission:
    """Asks with a key, in a new session or in one."""
    kind: Any = NextQuestion if "session_id" in given else FirstQuestion
    return await submit(agent.log, kind(user_id=agent.rows.user_id, content="Root?", limits=limits, **given))


async def assistant_named(agent: Agent, name: str) -> int:
    return int(
        await agent.pool.fetchval("INSERT INTO assistants (name, config) VALUES ($1, $2) RETURNING id", name, {})
    )


async def usual(agent: Agent) -> int:
    return int(await agent.pool.fetchval("SELECT id FROM assistants WHERE is_default"))


async def test_sub_agents_are_none_but_the_assistants_of_the_key(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(tools=["spawn_sub_agent", "look_up"])
    await assistant_named(agent, "Legal")
    allowed = await assistant_named(agent, "Sales")
    limits = await key_of(agent, assistant_ids=[await usual(agent), allowed])
    calls = [sub_agent("As Legal.", assistant="Legal"), sub_agent("As Sales.", assistant="Sales")]
    model_server.respond(plays([Tools(calls), Text("Done.")], lambda goal, body: Text("Found.")))
    agent.start()
    sent = await ask(agent, limits)
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    refused, started = await agent.calls(sent.run_id)
    assert (refused["status"], started["status"]) == ("failed", "completed"), started["error_message"]
    assert "There is no assistant 'Legal'" in refused["error_message"]
    assert "Sales" in refused["error_message"]
    (tool,) = (each for each in model_server.requests[0]["tools"] if each["function"]["name"] == "spawn_sub_agent")
    assert "Sales" in tool["function"]["description"]
    assert "Legal" not in tool["function"]["description"]


async def test_an_assistant_that_is_not_the_keys_does_not_run(agent: Agent, model_server: ModelServer) -> None:
    """The conversation's assistant is changed, or the run waits while the limit was lost."""
    other = await assistant_named(agent, "Other")
    own = await usual(agent)
    limits = await key_of(agent, assistant_ids=[own])
    first = await ask(agent, limits)
    model_server.respond(lambda body: Text("So."))
    worker = agent.start()
    await agent.end(first.run_id)
    await agent.pool.execute("UPDATE chat_sessions SET assistant_id = $1", other)
    for key in (limits, None):
        with pytest.raises(AssistantUnavailableError):
            await ask(agent, key, session_id=first.session_id)
    await agent.pool.execute("UPDATE chat_sessions SET assistant_id = $1", own)
    await agent.stop(worker)
    queued = await ask(agent, None, session_id=first.session_id)
    await agent.pool.execute("UPDATE runs SET assistant_id = $1 WHERE id = $2", other, queued.run_id)
    agent.start()
    await agent.end(queued.run_id)
    row = await agent.row(queued.run_id)
    assert (row["status"], row["error"]["reason"]) == ("failed", "ASSISTANT_UNAVAILABLE")


async def test_a_fork_keeps_the_limits_and_no_other_key_asks_in_it(agent: Agent, model_server: ModelServer) -> None:
    limits = await key_of(agent, assistant_ids=[await usual(agent)])
    model_server.respond(lambda body: Text("So."))
    agent.start()
    first = await ask(agent, limits)
    await agent.end(first.run_id)
    forked = await fork_session(agent.log, first.session_id, 0, agent.rows.user_id)
    columns = "SELECT limited_by, limited_assistants, limited_connectors FROM chat_sessions WHERE id = $1"
    kept = [tuple((await agent.pool.fetch(columns, each))[0]) for each in (first.session_id, forked.session_id)]
    assert kept[0] == kept[1] == (limits.api_key_id, [await usual(agent)], None)
    with pytest.raises(EchoMindError, match="no chat session"):
        await ask(agent, replace(limits, api_key_id=limits.api_key_id + 1), session_id=forked.session_id)
    assert await ask(agent, limits, session_id=forked.session_id)


async def test_limits_leave_out_memories_and_knowledge(agent: Agent) -> None:
    await agent.pool.execute("UPDATE users SET has_facts = TRUE")
    columns = "SELECT limited_by IS NOT NULL FROM chat_sessions WHERE id = $1"
    found = []
    for limits in (None, await key_of(agent, connector_ids=[1])):
        sent = await store(agent.log, FirstQuestion(user_id=agent.rows.user_id, content="Root?", limits=limits))
        claimed = await claim(agent.log, sent.run_id, await rows.new_worker(agent.pool))
        assert claimed is not None
        run = await with_details(agent.pool, claimed.run)
        assert await agent.pool.fetchval(columns, sent.session_id) == (limits is not None)
        found.append((run.memory.is_on, run.has_knowledge, run.session.limits))
    assert found[0][0]
    assert found[1] == (False, False, limits)


async def test_members_of_a_team_work_if_the_key_names_them(agent: Agent, model_server: ModelServer) -> None:
    await agent.lead(Writer="writes", Editor="edits")
    writer = await agent.pool.fetchval("SELECT id FROM assistants WHERE name = 'Writer'")
    limits = await key_of(agent, assistant_ids=[await usual(agent), writer])
    model_server.respond(
        team_plays([Tools([delegated("Writer", "Write.")]), Text("Done.")], lambda name, body: Text("Written."))
    )
    agent.start()
    sent = await ask(agent, limits)
    assert (await agent.end(sent.run_id)).finished.message.content == "Done."
    assert "Writer" in str(model_server.requests[0])
    assert "Editor" not in str(model_server.requests[0])
    members = await agent.pool.fetch("SELECT assistant_id, status FROM runs WHERE kind = 'member'")
    assert [tuple(member) for member in members] == [(writer, "completed")]


async def test_a_program_names_the_connectors_of_a_question(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    """The run and its sub-agents find nothing elsewhere; the next question is free again."""
    await agent.configure(tools=["spawn_sub_agent", "search_documents"])
    allowed, other = [await agent.rows.connector("user") for _ in range(2)]
    await stack.index("Employees get 28 days of paid leave each year.", connector_id=allowed)
    await stack.index("Interns get 15 days of paid leave each year.", connector_id=other)
    search = Tools([("search_documents", {"query": "days of paid leave each year"})])

    def search_once(goal: str, body: dict[str, Any]) -> Turn:
        return Text("Found.") if body["messages"][-1]["role"] == "tool" else search

    model_server.respond(plays([search, Tools([sub_agent("Look.")]), Text("Done."), search, Text("So.")], search_once))
    agent.start([search_documents(stack.retriever)])
    caller = Caller(connectors=(allowed,))
    sent = await ask(agent, None, caller=caller)
    await agent.end(sent.run_id)
    found = [str(body["messages"][-1]["content"]) for body in model_server.requests if "messages" in body]
    assert sum("28 days" in each for each in found) == 2
    assert not any("15 days" in each for each in found)
    later = await ask(agent, None, session_id=sent.session_id)
    await agent.end(later.run_id)
    assert "15 days" in str(model_server.requests[-1]["messages"][-1])
    limits = await key_of(agent, connector_ids=[other])
    none = Principal(agent.rows.user_id, limits=limits).within([allowed])
    assert none.limits == replace(limits, connectors=frozenset())
