"""Recovery of runs whose worker died at a critical moment: every effect happens once."""

import asyncio
from collections import Counter
from typing import Any

import asyncpg
import pytest

from echomind_agent.tools.documents import SEARCH
from echomind_agent.toolset.registry import ToolContext, tool
from echomind_lib.conversations import checkpoints, summaries
from echomind_lib.jobs import lease as job_lease
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.runs import finish, lease, steps
from tests.drivers.agent import Agent
from tests.drivers.death import Death, is_whole
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.drivers.summaries import Sessions
from tests.drivers.wire import unheard


# -- between a commit and its announcement ---------------------------------------------------------------------------
async def test_the_end_is_stored_and_nobody_is_notified(agent: Agent, model_server: ModelServer, death: Death) -> None:
    model_server.script([Text("All of it."), Text("Again.")])
    death.at(finish, "finish", after=True)
    death.start()
    sent = await agent.ask()
    await death.comes()
    await is_whole(agent, sent, "All of it.")
    # The session is free for the next question.
    assert (await agent.answer("And?", sent.chat_session_id)).finished.message.content == "Again."
    assert len(model_server.requests) == 2


async def test_an_answer_to_a_question_is_stored_and_no_worker_is_notified(
    agent: Agent, model_server: ModelServer
) -> None:
    model_server.script([Tools([("ask_user", {"question": "Which?"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask(askClarifications=True)
    await agent.waits(sent.run_id)
    with unheard():
        await agent.reply(sent.run_id, "This.")
    await is_whole(agent, sent, "Done.")
    assert model_server.requests[-1]["messages"][-1]["content"] == "This."
    texts = [event.text for event in await agent.stored(sent.chat_session_id)]
    assert texts.count("Answered by a person") == 1


async def test_an_approval_is_stored_and_no_worker_is_notified(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(approvalTools=["order"])
    agent.shelf.go.set()
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask()
    await agent.waits(sent.run_id)
    with unheard():
        await agent.decide(sent.run_id, True)
    await is_whole(agent, sent, "Done.")
    assert agent.shelf.calls == [("order", "pizza")]


async def test_a_run_starts_to_wait_for_input_and_nobody_is_notified(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    model_server.script([Tools([("ask_user", {"question": "Which?"})]), Text("Done.")])
    death.at(lease, "release", after=True)
    death.start()
    sent = await agent.ask(askClarifications=True)
    await death.comes()
    asked = [e for e in await agent.stored(sent.chat_session_id) if e.HasField("input_requested")]
    assert [event.input_requested.pending_input.question for event in asked] == ["Which?"]
    await agent.reply(sent.run_id, "This.")
    await is_whole(agent, sent, "Done.")
    assert (await agent.row(sent.run_id))["retry_count"] == 0


# -- calls of tools --------------------------------------------------------------------------------------------------
async def test_after_a_step_is_recorded_its_calls_are_made_once(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    agent.shelf.go.set()
    model_server.script([Tools([("look_up", {"key": "a"}), ("order", {"key": "pizza"})]), Text("Done.")])
    death.at(steps, "record_step", after=True)
    death.start()
    sent = await agent.ask()
    await death.comes()
    await is_whole(agent, sent, "Done.")
    assert Counter(agent.shelf.calls) == {("look_up", "a"): 1, ("order", "pizza"): 1}
    assert len(model_server.requests) == 2


async def test_an_answer_reports_the_searches_of_an_earlier_attempt(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    @tool(name=SEARCH, description="Searches.", progress=lambda given: "Searching")
    async def search(context: ToolContext, query: str) -> str:
        return f"Nothing about {query}."

    model_server.script([Tools([(SEARCH, {"query": "leave"})]), Tools([(SEARCH, {"query": "days"})]), Text("Done.")])
    death.at(steps, "record_result", after=True)
    death.start([search])
    sent = await agent.ask("How many?")
    await death.comes([search])
    await is_whole(agent, sent, "Done.")
    message: Any = await agent.pool.fetchrow("SELECT * FROM chat_messages WHERE id = $1", sent.assistant_message_id)
    assert [call["parameters"]["query"] for call in message["tool_calls"]] == ["leave", "days"]
    assert message["rephrased_query"] == "leave"


async def test_a_result_that_was_not_stored_yet(agent: Agent, model_server: ModelServer, death: Death) -> None:
    """A call without a side effect is made again; one with a side effect is put to the person."""
    agent.shelf.go.set()
    model_server.script([Tools([("look_up", {"key": "a"})]), Tools([("order", {"key": "pizza"})]), Text("Done.")])
    death.at(steps, "record_result", after=False)
    death.start()
    sent = await agent.ask()
    await death.comes()
    await is_whole(agent, sent, "Done.")
    assert Counter(agent.shelf.calls) == {("look_up", "a"): 2, ("order", "pizza"): 1}


async def test_a_result_of_a_side_effect_that_was_not_stored_yet(
    agent: Agent, model_server: ModelServer, death: Death
) -> None:
    agent.shelf.go.set()
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("Done.")])
    death.at(steps, "record_result", after=False)
    death.start()
    sent = await agent.ask()
    await death.comes()
    assert (await agent.waits(sent.run_id)).kind == run_pb2.PENDING_INPUT_KIND_OUTCOME
    await agent.reply(sent.run_id, "It came.")
    await is_whole(agent, sent, "Done.")
    assert agent.shelf.calls == [("order", "pizza")]


async def test_between_a_checkpoint_and_its_side_effect(agent: Agent, model_server: ModelServer, death: Death) -> None:
    """The checkpoint goes together with the note that the call is begun: neither is there, and the call is made."""
    agent.shelf.go.set()
    model_server.script([Tools([("order", {"key": "pizza"})]), Text("Done.")])
    death.at(checkpoints, "create_in_run", after=True)
    death.start()
    sent = await agent.ask()
    await death.comes()
    await is_whole(agent, sent, "Done.")
    assert agent.shelf.calls == [("order", "pizza")]
    assert await agent.pool.fetchval("SELECT count(*) FROM checkpoints") == 1
    changes = [event for event in await agent.stored(sent.chat_session_id) if event.HasField("session_changed")]
    assert len(changes) == 1


# -- summaries -------------------------------------------------------------------------------------------------------
async def test_a_summary_is_written_and_not_stored_yet(
    sessions: Sessions, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_server.script([Text("The first summary."), Text("The second summary.")])
    session_id, messages = await sessions.session(6)
    reached = asyncio.Event()
    original = summaries.save

    async def stop(*arguments: Any, **options: Any) -> Any:
        if reached.is_set():
            return await original(*arguments, **options)
        reached.set()
        return await asyncio.Event().wait()

    async def is_gone(*arguments: Any) -> None:
        raise asyncpg.ConnectionDoesNotExistError("the worker is dead")

    monkeypatch.setattr(summaries, "save", stop)
    dying = await sessions.start()
    assert await summaries.request_summary(sessions.pool, sessions.bus, session_id)
    async with asyncio.timeout(60):
        await reached.wait()
    with monkeypatch.context() as dead:
        dead.setattr(job_lease, "release", is_gone)
        await sessions.stop(dying)
    await sessions.pool.execute("DELETE FROM workers")
    await sessions.start()
    session = await sessions.done(session_id)
    assert session["compressed_summary"] == "The second summary."
    assert session["last_compressed_message_id"] in messages
    assert not session["is_compressing"]
    job = await sessions.job(session_id)
    assert (job["status"], job["attempt"]) == ("completed", 2)
    told = await sessions.pool.fetchval(
        "SELECT count(*) FROM run_events WHERE chat_session_id = $1 AND payload ? 'sessionChanged'", session_id
    )
    assert told == 1
