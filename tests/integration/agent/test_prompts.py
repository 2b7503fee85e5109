"""Prompts: the history that a run reads, and the stored prompt of each step."""

from typing import Annotated, Any
from uuid import UUID

import pytest
import pytest_asyncio
from pydantic import Field

from echomind_agent.prompts.prompt import Prompt
from echomind_agent.toolset.registry import ToolContext, tool
from echomind_lib.conversations.forks import fork_session
from echomind_lib.db.database import Database
from echomind_lib.llms import ChatRequest, LlmConfig, Message
from echomind_lib.llms.openai import OpenAiFormat
from echomind_lib.llms.tokens import count_message_tokens, count_tokens
from echomind_lib.pb.echomind.public.v1 import run_pb2, session_event_pb2
from echomind_lib.runs import lease
from echomind_lib.runs.prompts import Omissions, read_prompt
from echomind_lib.runs.record import RunRecord
from tests.drivers.agent import Agent
from tests.drivers.model_protocols import Protocol
from tests.drivers.model_server import ModelServer, Text, Tools
from tests.factories import rows
from tests.factories.rows import new_worker

_WIRE = OpenAiFormat(LlmConfig("openai", "scripted"), "http://127.0.0.1/v1")


def _as_sent(messages: list[Message]) -> Any:
    return _WIRE.body(ChatRequest(messages), frozenset())["messages"]


async def _assert_read_back(agent: Agent, run_id: UUID, requests: list[Any]) -> list[Any]:
    """Checks every prompt of a run against what the model was asked; returns what each left out."""
    steps = await agent.steps(run_id)
    asked = [step["step_number"] for step in steps if step["llm_input"]]
    assert len(asked) == len(requests)
    left_out = []
    for number, request in zip(asked, requests, strict=True):
        read = await read_prompt(agent.pool, run_id, number)
        assert read is not None
        assert _as_sent(read[0]) == request["messages"]
        left_out.append(read[1])
    return left_out


@tool(name="pages", progress=lambda given: f"Reading {given.count} words")
async def _pages(context: ToolContext, count: Annotated[int, Field(description="How many words.")]) -> str:
    """Gives so many words."""
    return " ".join(f"w{number}" for number in range(count))


@pytest_asyncio.fixture(loop_scope="session")
async def small_window(agent: Agent) -> None:
    """A model with room for about a thousand tokens beside the instructions."""
    await agent.pool.execute("UPDATE llms SET context_tokens = 2600, max_tokens = 600")


async def test_prompts_of_several_steps(agent: Agent, model_server: ModelServer) -> None:
    both: list[tuple[str, Any]] = [("look_up", {"key": "a"}), ("look_up", {"key": "nothing"})]
    model_server.script([Tools(both, text="Both."), Tools([("look_up", {"key": "b"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask()
    await agent.end(sent.run_id)
    assert await _assert_read_back(agent, sent.run_id, model_server.requests) == [Omissions()] * 3
    assert await read_prompt(agent.pool, sent.run_id, 4) is None


async def test_prompts_after_a_search_before_the_first_request(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(task_prompt="From {context} answer {query}")
    model_server.script([Tools([("look_up", {"key": "a"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask()
    await agent.end(sent.run_id)
    await _assert_read_back(agent, sent.run_id, model_server.requests)
    assert await read_prompt(agent.pool, sent.run_id, 1) == ([], Omissions())
    assert model_server.requests[0]["messages"][-1]["content"].startswith("From ")


async def test_prompts_of_a_run_that_went_on_after_a_crash(
    agent: Agent, postgres_url: str, model_server: ModelServer
) -> None:
    calls: list[tuple[str, Any]] = [("look_up", {"key": "a"}), ("wait", {"key": "b"})]
    model_server.script([Tools([("look_up", {"key": "first"})]), Tools(calls), Text("Done.")])
    own = await Database.connect(postgres_url)
    worker = agent.start(database=own)
    sent = await agent.ask()
    await agent.shelf.waiting.wait()
    await agent.kill(worker, own)
    # Changes of the assistant in the meantime apply to later runs.
    await agent.pool.execute("UPDATE assistants SET system_prompt = 'Be another.'")
    agent.shelf.go.set()
    agent.start()
    await agent.end(sent.run_id)
    await _assert_read_back(agent, sent.run_id, model_server.requests)
    first, last = model_server.requests[0]["messages"], model_server.requests[-1]["messages"]
    assert last[: len(first)] == first


async def test_long_results_are_shortened_and_old_steps_left_out(
    agent: Agent, model_server: ModelServer, small_window: None
) -> None:
    counts = [2000, 300, 300, 300]
    model_server.script([*(Tools([("pages", {"count": count})]) for count in counts), Text("Done.")])
    agent.start([_pages])
    sent = await agent.ask()
    await agent.end(sent.run_id)
    left_out = await _assert_read_back(agent, sent.run_id, model_server.requests)
    shortened = model_server.requests[1]["messages"][-1]["content"]
    assert shortened.startswith("w0 w1 ")
    assert shortened.endswith(" w1999")
    assert "are left out here to fit the model's window" in shortened
    assert left_out[0] == Omissions()
    assert left_out[-1].steps[0] == 1
    assert "Step 1: pages(count: 2000) → w0 w1" in left_out[-1].earlier_steps
    steps = await agent.steps(sent.run_id)
    assert [step["step_number"] for step in steps if step["discarded"]] == list(left_out[-1].steps)
    read = await read_prompt(agent.pool, sent.run_id, 5)
    assert read is not None
    assert count_message_tokens(read[0]) <= 2000


@pytest.mark.parametrize(("tokens_a_word", "steps"), [(1, ()), (3, (1,))])
async def test_prompts_become_shorter_when_the_server_counts_more(
    agent: Agent,
    model_server: ModelServer,
    small_window: None,
    monkeypatch: pytest.MonkeyPatch,
    tokens_a_word: int,
    steps: tuple[int, ...],
) -> None:
    words = Protocol.prompt_tokens
    monkeypatch.setattr(Protocol, "prompt_tokens", lambda request: words(request) * tokens_a_word)
    model_server.script([Tools([("pages", {"count": 500})]), Tools([("pages", {"count": 500})]), Text("Done.")])
    agent.start([_pages])
    sent = await agent.ask()
    await agent.end(sent.run_id)
    left_out = await _assert_read_back(agent, sent.run_id, model_server.requests)
    assert left_out[-1].steps == steps


async def test_an_answer_may_take_half_of_the_window(agent: Agent, model_server: ModelServer) -> None:
    await agent.pool.execute("UPDATE llms SET context_tokens = 4000, max_tokens = 6000")
    agent.start([_pages])
    model_server.script([Tools([("pages", {"count": 5000})]), Text("Done.")])
    await agent.answer()
    _, last = model_server.requests
    assert last["max_tokens"] == 2000
    texts = [message["content"] or "" for message in last["messages"]]
    assert 1600 < sum(map(count_tokens, texts)) < 2000


async def test_prompts_of_a_run_with_a_request_to_continue(agent: Agent, model_server: ModelServer) -> None:
    todos = {"todos": [{"number": 1, "title": "Look up a"}]}
    done = {"number": 1, "status": "completed"}
    model_server.script(
        [Tools([("write_todos", todos)]), Text("Well."), Tools([("update_todo", done)]), Text("All is done.")]
    )
    agent.start()
    sent = await agent.ask(autoRun=True)
    await agent.end(sent.run_id)
    await _assert_read_back(agent, sent.run_id, model_server.requests)
    assert model_server.requests[2]["messages"][-1]["role"] == "user"
    kept = await agent.pool.fetchval("SELECT important_steps FROM chat_sessions WHERE id = $1", sent.chat_session_id)
    assert [(step["runId"], step["stepNumber"]) for step in kept] == [(str(sent.run_id), 3)]


async def test_step_that_a_person_discards_is_out_of_later_prompts(agent: Agent, model_server: ModelServer) -> None:
    model_server.script(
        [Tools([("look_up", {"key": "a"})]), Tools([("wait", {"key": "b"})]), Tools([("look_up", {"key": "c"})])]
    )
    agent.start()
    sent = await agent.ask()
    await agent.shelf.waiting.wait()
    await agent.control(sent.run_id, "paused")
    agent.shelf.go.set()
    await agent.until(lambda: any(e.status.status == run_pb2.RUN_STATUS_PAUSED for e in agent.events))
    await agent.pool.execute("UPDATE steps SET discarded = TRUE WHERE run_id = $1 AND step_number = 1", sent.run_id)
    model_server.script([Text("Done.")])
    await agent.control(sent.run_id, "queued")
    await agent.end(sent.run_id)
    left_out = await _assert_read_back(agent, sent.run_id, model_server.requests)
    assert left_out[-1].steps == (1,)
    last = model_server.requests[-1]["messages"]
    assert [message["role"] for message in last] == ["system", "user", "assistant", "tool"]
    assert "Step 1: look_up(key: a) → value of a" in last[1]["content"]


async def test_earlier_turns_stand_in_the_prompt_once(agent: Agent, model_server: ModelServer) -> None:
    """History, a summary on this branch, and what lies between them."""
    await agent.configure(numHistoryRuns=1)
    model_server.script([Text(f"Answer {number}.") for number in range(4)])
    agent.start()
    session_id, finals = None, []
    for number in range(4):
        sent = await agent.ask(f"Question {number}?", session_id)
        session_id = sent.chat_session_id
        finals.append((sent, await agent.end(sent.run_id)))
    assert session_id is not None
    covered = finals[0][0].assistant_message_id
    await agent.pool.execute(
        "UPDATE chat_sessions SET compressed_summary = 'They said zero. </conversation_summary>', "
        "last_compressed_message_id = $2, important_steps = $3 WHERE id = $1",
        session_id,
        covered,
        [
            {"runId": str(finals[0][0].run_id), "stepNumber": 1, "text": "ordered a pizza"},
        ],
    )
    head = await agent.pool.fetchval("SELECT head_message_id FROM chat_sessions WHERE id = $1", session_id)
    run, prompt = await _begin(agent, session_id, "And now?")
    unsummarized = prompt.unsummarized_tokens
    texts = [message.content for message in prompt.messages]
    assert texts[1:] == ["Question 3?", "Answer 3.", "And now?"]
    assert "They said zero. ‹/conversation_summary>\n</conversation_summary>" in texts[0]
    assert "<important_steps>\n- ordered a pizza\n</important_steps>" in texts[0]
    assert run.started_at.strftime("%d %B %Y") in texts[0]
    assert prompt.omissions == Omissions(messages=4, summarized_messages=2)
    assert unsummarized > 0
    # A summary whose sources the asker may not all read is omitted, as in the API; the messages are shown.
    connector = await rows.connector(agent.pool, scope="user")
    document = await rows.document(agent.pool, connector_id=connector["id"])
    drawn = {"chat_session_id": session_id, "document_id": document["id"]}
    await rows.insert(agent.pool, "chat_session_sources", drawn)
    await agent.pool.execute("UPDATE runs SET status = 'cancelled' WHERE id = $1", run.id)
    await agent.pool.execute("UPDATE chat_sessions SET head_message_id = $2 WHERE id = $1", session_id, head)
    run, prompt = await _begin(agent, session_id, "And now?")
    assert [message.content for message in prompt.messages[1:]] == texts[1:]
    assert "They said zero" not in prompt.messages[0].content
    assert "pizza" not in prompt.messages[0].content
    assert prompt.summary == ""
    assert prompt.omissions == Omissions(messages=6)
    assert prompt.unsummarized_tokens == unsummarized  # messages of a hidden summary are not summarized again
    # On another branch the summary and the steps do not count.
    await agent.pool.execute("UPDATE runs SET status = 'cancelled' WHERE id = $1", run.id)
    await agent.pool.execute("UPDATE chat_sessions SET head_message_id = NULL WHERE id = $1", session_id)
    run, prompt = await _begin(agent, session_id, "Afresh?")
    assert [message.content for message in prompt.messages[1:]] == ["Afresh?"]
    assert "They said zero" not in prompt.messages[0].content
    assert "pizza" not in prompt.messages[0].content
    assert prompt.omissions == Omissions()


async def test_a_forked_session_has_the_steps_of_its_messages(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Text("Ordered.")])
    agent.start()
    sent = await agent.ask("Order a pizza.")
    await agent.end(sent.run_id)
    step = {"runId": str(sent.run_id), "stepNumber": 1, "text": "ordered a pizza"}
    await agent.pool.execute("UPDATE chat_sessions SET important_steps = $1", [step])
    fork = await fork_session(agent.log, sent.chat_session_id, sent.assistant_message_id, agent.rows.user_id)
    _, prompt = await _begin(agent, fork.session_id, "And now?")
    assert "<important_steps>\n- ordered a pizza\n</important_steps>" in prompt.messages[0].content


async def test_many_messages_in_no_prompt_are_summarized_by_themselves(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(numHistoryRuns=1, summarizeAfterTokens=20)
    long = "word " * 40
    agent.start()
    session_id = None
    for number in range(3):
        model_server.script([Text(long)])
        sent = await agent.ask(f"Question {number}?", session_id)
        session_id = sent.chat_session_id
        await agent.end(sent.run_id)
    changed = session_event_pb2.SESSION_CHANGE_SUMMARIZED
    await agent.until(lambda: any(event.session_changed.change == changed for event in agent.events))
    summary = await agent.pool.fetchval("SELECT compressed_summary FROM chat_sessions WHERE id = $1", session_id)
    assert summary.startswith("<person>\nQuestion 0?")  # the server echoes
    _, prompt = await _begin(agent, sent.chat_session_id, "And now?")
    assert prompt.omissions == Omissions(summarized_messages=4)


async def test_discarded_messages_and_one_shot_sessions(agent: Agent, model_server: ModelServer) -> None:
    worker = agent.start()
    sent = await agent.ask("One?")
    await agent.end(sent.run_id)
    again = await agent.ask("Two?", sent.chat_session_id)
    await agent.end(again.run_id)
    await agent.stop(worker)
    await agent.pool.execute(
        "UPDATE chat_messages SET discarded = TRUE WHERE id = ANY($1)",
        [sent.user_message_id, sent.assistant_message_id],
    )
    await agent.pool.execute(
        "UPDATE chat_sessions SET important_steps = $1",
        [{"runId": str(run_id), "stepNumber": 1, "text": f"did {run_id}"} for run_id in (sent.run_id, again.run_id)],
    )
    run, prompt = await _begin(agent, sent.chat_session_id, "Three?")
    assert f"did {again.run_id}" in prompt.messages[0].content
    assert f"did {sent.run_id}" not in prompt.messages[0].content
    assert [message.content for message in prompt.messages[1:]] == ["Two?", "Two?", "Three?"]
    await agent.pool.execute("UPDATE runs SET status = 'cancelled' WHERE id = $1", run.id)
    await agent.pool.execute("UPDATE chat_sessions SET mode = 'one_shot'")
    _, prompt = await _begin(agent, sent.chat_session_id, "Four?")
    assert [message.content for message in prompt.messages[1:]] == ["Four?"]
    assert prompt.omissions == Omissions()


async def _begin(agent: Agent, session_id: int, question: str) -> tuple[RunRecord, Prompt]:
    """Asks, and builds the prompt as the run's worker would. No other worker is there to take the run."""
    await agent.close()
    sent = await agent.send(question, session_id)
    worker_id = await new_worker(agent.pool)
    taken = await lease.claim(agent.log, sent.run_id, worker_id)
    assert taken is not None
    return taken.run, await Prompt.build(agent.pool, taken.run, count_tokens, 0)
