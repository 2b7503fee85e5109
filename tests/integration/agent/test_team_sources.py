"""Sources of a team: its leader cites its members' sources, limited to those that the asker may read."""

from typing import Any

import pytest

from echomind_agent.tools.documents import search_documents
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2
from tests.drivers.agent import Agent
from tests.drivers.model_server import ModelServer, Text, Tools, Turn
from tests.drivers.stack import Stack
from tests.factories.turns import delegated, team_plays

QUERIES = {"Ada": "days of annual leave", "Bob": "colour of the stripe"}


def searches(name: str, body: dict[str, Any]) -> Turn:
    """Returns a member that searches for its part, and reports the first source that it finds, if any."""
    found = body["messages"][-1]
    if found["role"] != "tool":
        return Tools([("search_documents", {"query": QUERIES[name]})])
    return Text(f"{name} found it [1]." if "<source" in found["content"] else f"{name} found nothing.")


async def test_the_leader_cites_its_members_sources_with_numbers_of_its_own(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    """Both members call theirs [1]; the answer numbers what it cites from 1, whatever its leader's numbers are."""
    leave = await stack.index("# Annual leave\n\nThere are 30 days of annual leave.", "leave.md")
    stripe = await stack.index("# Printer\n\nThe colour of the stripe is blue.", "printer.md")
    await agent.lead(Ada="Knows leave.", Bob="Knows printers.")
    tasks = Tools([delegated("ada", "Leave."), delegated("bob", "Stripe.")])
    answer = Text("The stripe is blue [2]. There are 30 days of annual leave [1].")
    model_server.respond(team_plays([tasks, answer], searches))
    agent.start([search_documents(stack.retriever)], concurrency=1)
    sent = await agent.ask("Root?")
    message = (await agent.end(sent.run_id)).finished.message
    assert message.content == "The stripe is blue [1]. There are 30 days of annual leave [2]."
    assert {(each.number, each.title) for each in message.citations} == {(1, "Printer"), (2, "Annual leave")}
    reports = [call["result"] for call in await agent.calls(sent.run_id)]
    assert [report.splitlines()[0] for report in reports] == ["Ada found it [1].", "Bob found it [2]."]
    drawn = await agent.pool.fetch(
        "SELECT document_id FROM chat_session_sources WHERE chat_session_id = $1", sent.chat_session_id
    )
    assert {row["document_id"] for row in drawn} == {leave, stripe}


@pytest.mark.parametrize("rounds", [1, 2])
async def test_an_answer_after_members_searches_that_found_nothing_is_not_from_the_model_alone(
    agent: Agent, stack: Stack, model_server: ModelServer, rounds: int
) -> None:
    await agent.lead(Ada="Knows leave.", Bob="Knows nothing of it.")

    def member(name: str, body: dict[str, Any]) -> Turn:
        return searches(name, body) if name == "Ada" else Text("Bob knows nothing.")

    tasks: list[Turn] = [Tools([delegated(name, "Leave.")]) for name in ("ada", "bob")[:rounds]]
    model_server.respond(team_plays([*tasks, Text("Nobody knows.")], member))
    agent.start([search_documents(stack.retriever)])
    sent = await agent.ask("Root?")
    message = (await agent.end(sent.run_id)).finished.message
    assert message.basis == chat_message_pb2.ANSWER_BASIS_NO_SOURCE_FOUND


async def test_members_find_nothing_that_the_asker_may_not_read(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    document = await stack.index("# Annual leave\n\nThere are 30 days of annual leave.", "leave.md")
    other = await agent.pool.fetchval(
        "INSERT INTO users (user_name, email) VALUES ('other', 'other@example.org') RETURNING id"
    )
    await agent.pool.execute(
        "UPDATE connectors SET user_id = $1, scope = 'user' FROM documents"
        " WHERE connectors.id = documents.connector_id AND documents.id = $2",
        other,
        document,
    )
    await agent.lead(Ada="Knows leave.")
    model_server.respond(team_plays([Tools([delegated("ada", "Leave.")]), Text("Nothing.")], searches))
    agent.start([search_documents(stack.retriever)])
    sent = await agent.ask("Root?")
    assert not (await agent.end(sent.run_id)).finished.message.citations
    assert [call["result"] for call in await agent.calls(sent.run_id)] == ["Ada found nothing."]
    assert not any("30 days" in str(body) for body in model_server.requests)
    assert not await agent.pool.fetchval("SELECT count(*) FROM chat_session_sources")
    assert not any("leave.md" in str(event) for event in await agent.stored(sent.chat_session_id))


async def test_a_team_takes_several_times_the_tokens_of_one_assistant(
    agent: Agent, stack: Stack, model_server: ModelServer
) -> None:
    """The multiple that the guide tells of, on the same question, sources and words."""
    await stack.index("# Annual leave\n\nThere are 30 days of annual leave.", "leave.md")
    worker = agent.start([search_documents(stack.retriever)])
    model_server.script([Tools([("search_documents", {"query": QUERIES["Ada"]})]), Text("Ada found it [1].")])
    alone = await agent.row((await agent.end((sent := await agent.ask("Root?")).run_id)) and sent.run_id)
    await agent.lead(Ada="Knows leave.", Bob="Knows printers.", Eve="Writes.")
    QUERIES["Eve"] = QUERIES["Ada"]
    tasks = Tools([delegated(name, f"Part of {name}.") for name in ("ada", "bob", "eve")])
    model_server.respond(team_plays([tasks, Text("Ada found it [1].")], searches))
    sent = await agent.ask("Root?")
    await agent.end(sent.run_id)
    total = await agent.pool.fetchval(
        "SELECT sum(prompt_tokens + completion_tokens) FROM runs WHERE id = $1 OR parent_run_id = $1", sent.run_id
    )
    multiple = total / (alone["prompt_tokens"] + alone["completion_tokens"])
    print(f"\na team of three takes {multiple:.1f} times the tokens of one assistant")  # noqa: T201 -- the figure
    assert 2 < multiple < 8
    await agent.stop(worker)
