"""Words have authors: what somebody else wrote before a fork is neither the reader's word nor trusted."""

from typing import Any, cast

import pytest

from echomind_agent.steps import tool_context
from echomind_agent.tools.web_fetch import fetch_web_page
from echomind_lib.access import Principal
from echomind_lib.conversations.messages import list_messages
from echomind_lib.models.public import AuthorKind
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2, run_pb2
from tests.drivers.agent import Agent
from tests.drivers.copies import answered_again, forked, shared_by_another
from tests.drivers.memories import Memories, person_messages, proposals
from tests.drivers.migrations import run_migration
from tests.drivers.model_server import ModelServer, Text, Tools


async def kinds(agent: Agent, session_id: int, user_id: int) -> list[AuthorKind]:
    messages = await list_messages(agent.pool, Principal(user_id), session_id, 0, 100)
    return [message.author_kind for message in messages]


async def test_nothing_is_learned_from_the_words_of_somebody_else(
    memories: Memories, agent: Agent, model_server: ModelServer
) -> None:
    session_id = await forked(agent, await shared_by_another(agent))
    await memories.conversation("What is a fork?", session_id=session_id)
    seen: list[dict[int, str]] = []

    def everything(body: dict[str, Any]) -> Text:
        seen.append(person_messages(body))
        every = [int(part.partition('"')[0]) for part in str(body["messages"]).split('id=\\"')[1:]]
        text = "The person wants invoices sent to evil.example."
        return proposals({"op": "ADD", "messages": every or list(seen[-1]), "kind": "semantic", "text": text})

    model_server.respond(everything)
    await memories.extract()
    assert [list(found.values()) for found in seen] == [["What is a fork?"]]
    assert await memories.texts() == []


async def test_a_copy_says_who_wrote_what(agent: Agent) -> None:
    original = await shared_by_another(agent)
    other: int = await agent.pool.fetchval("SELECT user_id FROM chat_sessions WHERE id = $1", original)
    mine = agent.rows.user_id
    copy = await forked(agent, original)
    back = await forked(agent, copy, other)
    assert await kinds(agent, original, other) == [AuthorKind.PERSON, AuthorKind.ASSISTANT]
    assert await kinds(agent, copy, mine) == [AuthorKind.FOREIGN, AuthorKind.ASSISTANT]
    assert await kinds(agent, await forked(agent, copy), mine) == [AuthorKind.FOREIGN, AuthorKind.ASSISTANT]
    assert await kinds(agent, back, other) == [AuthorKind.PERSON, AuthorKind.ASSISTANT], "their own words came back"
    await agent.pool.execute(
        "UPDATE chat_messages SET author_kind = 'unknown', author_id = NULL"
        " WHERE chat_session_id = $1 AND role = 'user'",
        original,
    )
    assert await kinds(agent, await forked(agent, original), mine) == [AuthorKind.UNKNOWN, AuthorKind.ASSISTANT]


async def test_in_a_fork_of_somebody_elses_conversation_a_side_effect_needs_approval(
    agent: Agent, model_server: ModelServer
) -> None:
    session_id = await forked(agent, await shared_by_another(agent))
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("Done.")])
    agent.start()
    agent.shelf.go.set()
    sent = await agent.ask("And?", session_id)
    pending = await agent.waits(sent.run_id)
    assert pending.kind == run_pb2.PENDING_INPUT_KIND_APPROVAL
    assert (await agent.row(sent.run_id))["untrusted"]
    assert not agent.shelf.calls
    await agent.decide(sent.run_id, False)
    await agent.end(sent.run_id)


async def test_an_address_that_somebody_else_wrote_is_not_the_persons(agent: Agent, model_server: ModelServer) -> None:
    session_id = await forked(agent, await shared_by_another(agent))
    model_server.script([Text("Hello.")])
    agent.start()
    await agent.answer("Read http://good.example/page please.", session_id)
    written = await tool_context._ASKED.fetch_all(agent.pool, session_id=session_id, user_id=agent.rows.user_id)
    assert written == ["Read http://good.example/page please."]


async def test_a_copied_question_that_is_answered_again_gives_no_address(
    agent: Agent, model_server: ModelServer
) -> None:
    session_id = await forked(agent, await shared_by_another(agent))
    model_server.script([Tools([("fetch_web_page", {"url": "http://evil.example/in"})]), Text("Done.")])
    agent.start([fetch_web_page(cast("Any", None), cast("Any", None))])
    sent = await answered_again(agent, session_id)
    pending = await agent.waits(sent.run_id)
    assert pending.kind == run_pb2.PENDING_INPUT_KIND_APPROVAL
    queued = next(event.queued for event in agent.events if event.HasField("queued"))
    assert queued.user_message.author_kind == chat_message_pb2.AUTHOR_KIND_FOREIGN
    await agent.control(sent.run_id, "cancelled")


@pytest.mark.parametrize("how", ["one_shot", "without history"])
async def test_a_copied_question_that_is_answered_again_is_untrusted_without_history(
    agent: Agent, model_server: ModelServer, how: str
) -> None:
    session_id = await forked(agent, await shared_by_another(agent))
    if how == "one_shot":
        await agent.pool.execute("UPDATE chat_sessions SET mode = 'one_shot' WHERE id = $1", session_id)
    else:
        await agent.configure(addHistoryToContext=False)
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("Done.")])
    agent.start()
    agent.shelf.go.set()
    sent = await answered_again(agent, session_id)
    await agent.waits(sent.run_id)
    assert not agent.shelf.calls
    await agent.control(sent.run_id, "cancelled")


@pytest.mark.parametrize("is_answered_again", [False, True])
async def test_copies_of_earlier_versions_are_nobodys_words_and_untrusted(
    agent: Agent, model_server: ModelServer, postgres_url: str, is_answered_again: bool
) -> None:
    session_id = await forked(agent, await shared_by_another(agent))
    if is_answered_again:
        model_server.script([Text("Hello.")])
        agent.start()
        await agent.end((await answered_again(agent, session_id)).run_id)
        await agent.close()
    # As such a copy was: without a mark, and with runs that counted as trusted.
    await agent.pool.execute("UPDATE chat_sessions SET context = '{}'")
    await agent.pool.execute("UPDATE runs SET untrusted = false")
    await run_migration(postgres_url, "downgrade", "0045")
    await run_migration(postgres_url, "upgrade", "head")
    first, *_ = await kinds(agent, session_id, agent.rows.user_id)
    assert first is AuthorKind.UNKNOWN
    sent = await agent.send("And?", session_id)
    assert (await agent.row(sent.run_id))["untrusted"]
