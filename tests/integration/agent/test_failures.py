"""Runs whose model, limits or tools fail."""

from dataclasses import replace
from typing import Any

import pytest
from prometheus_client import REGISTRY

from echomind_lib.db.words import RunStatus
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2, run_pb2, session_event_pb2
from echomind_lib.runs.prompts import read_prompt
from echomind_lib.runs.record import RUN_RETRIES
from tests.drivers.agent import Agent
from tests.drivers.death import until
from tests.drivers.model_server import CutOff, Error, Hang, Malformed, ModelServer, StreamError, Text, Tools, Turn
from tests.factories.run_writes import new_citation


def _failed(reason: str) -> float:
    """Returns how many runs of this process have failed for a reason."""
    return REGISTRY.get_sample_value("echomind_agent_runs_ended_total", {"status": "failed", "reason": reason}) or 0


async def _is_counted(reason: str, count: float) -> bool:
    return _failed(reason) == count


@pytest.mark.parametrize(
    "turn",
    [
        CutOff("The beginning of"),
        CutOff("The beginning of", clean=True),
        Malformed("The beginning of"),
        StreamError("The beginning of"),
    ],
    ids=["cut off", "ended early", "malformed", "error in the stream"],
)
async def test_a_broken_stream_is_retried_and_the_text_starts_over(
    agent: Agent, model_server: ModelServer, turn: Turn
) -> None:
    model_server.script([turn, Text("The whole answer.", delay_ms=40)])
    agent.start()
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "The whole answer."
    texts = agent.texts(sent.assistant_message_id)
    assert sorted(texts) == [1, 2]
    assert "The whole answer.".startswith(texts[2])
    row = await agent.row(sent.run_id)
    assert (row["attempt"], row["retry_count"], row["status"]) == (2, 1, "completed")
    (retried,) = [
        event
        for event in await agent.stored(sent.chat_session_id)
        if event.kind == session_event_pb2.SESSION_EVENT_KIND_WARNING
    ]
    assert retried.warning.code == session_event_pb2.WARNING_CODE_RUN_RETRIED
    assert retried.warning.subject in {"LLM_STREAM_BROKEN", "LLM_UNAVAILABLE"}
    assert retried.status.status == run_pb2.RUN_STATUS_QUEUED


async def test_stream_that_always_breaks_fails_the_run(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([CutOff("Half")], repeat=True)
    before = _failed("LLM_STREAM_BROKEN")
    agent.start()
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    assert (final.finished.status, final.finished.error.reason) == (run_pb2.RUN_STATUS_FAILED, "LLM_STREAM_BROKEN")
    await until(lambda: _is_counted("LLM_STREAM_BROKEN", before + 1))
    assert len(model_server.requests) == RUN_RETRIES + 1
    assert final.finished.message.content == "Half"
    assert final.finished.message.status == chat_message_pb2.MESSAGE_STATUS_FAILED


@pytest.mark.parametrize(
    ("turns", "answer"),
    [
        ([Error(429, retry_after=0), Text("Now.")], "Now."),
        ([Error(500), Text("Now.")], "Now."),
    ],
)
async def test_busy_model_is_asked_again_in_the_same_attempt(
    agent: Agent, model_server: ModelServer, turns: list[Turn], answer: str
) -> None:
    model_server.script(turns)
    agent.start()
    sent = await agent.ask()
    assert (await agent.end(sent.run_id)).finished.message.content == answer
    assert (await agent.row(sent.run_id))["attempt"] == 1


@pytest.mark.parametrize(
    ("turns", "reason"),
    [
        ([Error(429, retry_after=0)] * 3, "LLM_RATE_LIMITED"),
        ([Error(500)] * 3, "LLM_UNAVAILABLE"),
        ([Error(401, "Incorrect API key provided", "invalid_request_error")], "LLM_AUTH_FAILED"),
        (
            [Error(400, "This model's maximum context length is 4096 tokens.", "context_length_exceeded")],
            "LLM_CONTEXT_TOO_LONG",
        ),
        ([Text("")], "EMPTY_ANSWER"),
        ([Text("", finish_reason="content_filter")], "LLM_CONTENT_FILTERED"),
    ],
)
async def test_a_model_without_an_answer_fails_the_run_with_the_reason(
    agent: Agent, model_server: ModelServer, turns: list[Turn], reason: str
) -> None:
    model_server.script(turns)
    agent.start()
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    assert (final.finished.status, final.finished.error.reason) == (run_pb2.RUN_STATUS_FAILED, reason)
    assert final.finished.error.message
    assert final.finished.message.error == final.finished.error.message
    message = await agent.pool.fetchval("SELECT status FROM chat_messages WHERE id = $1", sent.assistant_message_id)
    assert message == "failed"
    # The step of the failed model call is stored with its error.
    (step,) = await agent.steps(sent.run_id)
    assert (step["status"], step["error_message"]) == ("failed", final.finished.error.message)
    assert (await agent.row(sent.run_id))["steps_executed"] == 1
    prompt = await read_prompt(agent.pool, sent.run_id, 1)
    assert prompt is not None
    assert [message.content for message in prompt[0]] == [
        message["content"] for message in model_server.requests[-1]["messages"]
    ]
    # The session is free again.
    assert (await agent.answer("Again?", sent.chat_session_id)).finished.status == run_pb2.RUN_STATUS_COMPLETED


async def test_only_superadmins_see_the_address_and_message_of_a_models_server(
    agent: Agent, model_server: ModelServer
) -> None:
    model_server.script([Error(401, "wrong key at gpu-7.internal", "invalid_request_error")])
    agent.start()
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    row = await agent.row(sent.run_id)
    # The address is kept for `GetRun`, which tells superadmins.
    assert "127.0.0.1" in row["error"]["detail"]
    assert "gpu-7.internal" in row["error"]["detail"]
    (step,) = await agent.steps(sent.run_id)
    events = [str(event) for event in await agent.stored(sent.chat_session_id)]
    for received in (str(final), row["error"]["message"], step["error_message"], *events):
        assert "127.0.0.1" not in received
        assert "gpu-7.internal" not in received
    assert "administrator" in final.finished.error.message


@pytest.mark.parametrize("turn", [Text("", reasoning="Hm hm"), Tools([("look_up", {"key": "a"})], reasoning="Hm hm")])
async def test_call_that_gave_no_answer_is_a_step_and_counts(
    agent: Agent, model_server: ModelServer, turn: Turn
) -> None:
    model_server.script([turn])
    agent.start()
    sent = await agent.ask(maxSteps=1)
    final = await agent.end(sent.run_id)
    (step,) = await agent.steps(sent.run_id)
    assert (step["status"], step["reasoning"]) == ("failed", "Hm hm")
    assert step["error_message"] == final.finished.error.message
    row = await agent.row(sent.run_id)
    assert row["steps_executed"] == 1
    assert (row["prompt_tokens"], row["completion_tokens"]) == (step["prompt_tokens"], step["completion_tokens"])
    assert row["prompt_tokens"] > 10
    assert row["completion_tokens"] >= 2
    assert await agent.calls(sent.run_id) == []


async def test_a_cost_limit_that_cannot_be_enforced_is_reported_once(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Tools([("look_up", {"key": "a"})]), Text("Done.")])
    agent.start()
    sent = await agent.ask(maxCost=0.01)
    assert (await agent.end(sent.run_id)).finished.status == run_pb2.RUN_STATUS_COMPLETED
    (warning,) = [
        e for e in await agent.stored(sent.chat_session_id) if e.kind == session_event_pb2.SESSION_EVENT_KIND_WARNING
    ]
    assert "price" in warning.text
    assert warning.warning.code == session_event_pb2.WARNING_CODE_PRICE_UNKNOWN


async def test_answer_cut_at_the_token_limit_is_kept_with_a_warning(agent: Agent, model_server: ModelServer) -> None:
    model_server.script([Text("A long answ", finish_reason="length")])
    agent.start()
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    assert (final.finished.status, final.finished.message.content) == (run_pb2.RUN_STATUS_COMPLETED, "A long answ")
    warnings = [
        e for e in await agent.stored(sent.chat_session_id) if e.kind == session_event_pb2.SESSION_EVENT_KIND_WARNING
    ]
    assert ["cut off" in warning.text for warning in warnings] == [True]
    assert warnings[0].warning.code == session_event_pb2.WARNING_CODE_ANSWER_CUT_OFF


async def test_model_must_answer_at_the_last_step(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(maxSteps=2)
    model_server.script([Tools([("look_up", {"key": "a"})]), Text("From what I have.")])
    agent.start()
    sent = await agent.ask()
    assert (await agent.end(sent.run_id)).finished.message.content == "From what I have."
    first, last = model_server.requests
    assert first.get("tool_choice", "auto") == "auto"
    # The tools are still sent: some providers reject earlier calls without their definitions.
    assert (last["tool_choice"], last["tools"]) == ("none", first["tools"])


async def test_model_that_never_answers_meets_the_limit_of_steps(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(maxSteps=3)
    model_server.script([Tools([("look_up", {"key": "a"})])], repeat=True)
    agent.start()
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    assert (final.finished.status, final.finished.error.reason) == (run_pb2.RUN_STATUS_FAILED, "MAX_STEPS")
    assert len(model_server.requests) == 3
    assert len(await agent.calls(sent.run_id)) == 2


async def test_limit_of_tokens(agent: Agent, model_server: ModelServer) -> None:
    await agent.configure(maxRunTokens=10)
    model_server.script([Tools([("look_up", {"key": "a"})])], repeat=True)
    agent.start()
    final = await agent.answer()
    assert final.finished.error.reason == "MAX_TOKENS"
    assert len(model_server.requests) == 1


@pytest.mark.parametrize("waiting_for", ["model", "tool"])
async def test_time_out(agent: Agent, model_server: ModelServer, waiting_for: str) -> None:
    await agent.configure(timeoutSeconds=1)
    model_server.script([Hang("So far") if waiting_for == "model" else Tools([("wait", {"key": "a"})], text="So far")])
    agent.start()
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    assert (final.finished.status, final.finished.error.reason) == (run_pb2.RUN_STATUS_TIMEOUT, "TIMEOUT")
    assert final.finished.message.content == "So far"
    status: RunStatus = (await agent.row(sent.run_id))["status"]
    assert status == "timeout"
    (step,) = await agent.steps(sent.run_id)
    assert (step["status"], step["error_message"]) == ("timeout", final.finished.error.message)
    assert step["llm_output"]["text"] == "So far"
    calls = await agent.calls(sent.run_id)
    assert [call["status"] for call in calls] == (["timeout"] if waiting_for == "tool" else [])


async def test_question_longer_than_the_models_window(agent: Agent, model_server: ModelServer) -> None:
    await agent.pool.execute("UPDATE llms SET context_tokens = 1000 WHERE provider = 'openai'")
    agent.start()
    final = await agent.answer("long " * 2000)
    assert final.finished.error.reason == "QUESTION_TOO_LONG"
    assert not model_server.requests


async def test_account_that_was_deactivated_calls_no_tool(agent: Agent, model_server: ModelServer) -> None:
    async def respond(body: dict[str, Any]) -> Turn:
        await agent.pool.execute("UPDATE users SET is_active = FALSE WHERE id = $1", agent.rows.user_id)
        return Tools([("look_up", {"key": "secret"})])

    model_server.respond(respond)
    await agent.swept(agent.start(sweep_seconds=600))  # a sweep would cancel the run
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    assert (final.finished.status, final.finished.error.reason) == (run_pb2.RUN_STATUS_FAILED, "PERMISSION_DENIED")
    assert not agent.shelf.calls


async def test_no_model(agent: Agent) -> None:
    await agent.pool.execute("UPDATE llms SET is_active = FALSE")
    agent.start()
    final = await agent.answer()
    assert final.finished.error.reason == "LLM_UNAVAILABLE"
    assert "No chat model is active" in final.finished.error.message


async def test_fault_ends_the_run_and_not_the_worker(agent: Agent, model_server: ModelServer) -> None:
    def breaks(arguments: str) -> Any:
        raise ZeroDivisionError

    tools = [replace(tool, parse=breaks) if tool.name == "look_up" else tool for tool in agent.shelf.tools()]
    model_server.script([Tools([("look_up", {"key": "a"})]), Text("Fine.")])
    agent.start(tools)
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    assert (final.finished.status, final.finished.error.reason) == (run_pb2.RUN_STATUS_FAILED, "INTERNAL")
    assert (await agent.answer("Again?", sent.chat_session_id)).finished.message.content == "Fine."


LOST = {
    "hidden": "UPDATE assistants SET is_visible = FALSE",
    "for another group": "UPDATE assistants SET groups = '{elsewhere}', is_default = FALSE",
    "removed": "UPDATE assistants SET deleted_date = now()",
}


@pytest.mark.parametrize("loss", LOST)
async def test_an_assistant_that_was_lost_before_a_worker_claimed_the_run_does_not_answer(
    agent: Agent, model_server: ModelServer, loss: str
) -> None:
    sent = await agent.send("What?")
    await agent.pool.execute(LOST[loss])
    agent.start()
    await agent.wake(sent.run_id)
    final = await agent.end(sent.run_id)
    assert (final.finished.status, final.finished.error.reason) == (run_pb2.RUN_STATUS_FAILED, "ASSISTANT_UNAVAILABLE")
    assert "choose another assistant" in final.finished.error.message
    assert not model_server.requests
    assert not agent.shelf.calls


@pytest.mark.parametrize("loss", LOST)
async def test_a_sub_agent_and_its_waiting_parent_lose_their_assistant_too(
    agent: Agent, model_server: ModelServer, loss: str
) -> None:
    await agent.configure(tools=["look_up", "spawn_sub_agent"])
    model_server.script([Tools([("spawn_sub_agent", {"goal": "Left."})]), Hang()], repeat=True)
    worker = agent.start(concurrency=1)
    root = (await agent.ask("Root?")).run_id
    await agent.until(lambda: any(e.run_id != str(root) and e.HasField("status") for e in agent.events))
    await agent.stop(worker)  # requeues the sub-agent
    assert (await agent.row(root))["status"] == "waiting_for_children"
    await agent.pool.execute(LOST[loss])
    agent.start()
    sub_run = await agent.pool.fetchval("SELECT id FROM runs WHERE parent_run_id = $1", root)
    assert (await agent.end(sub_run)).finished.error.reason == "ASSISTANT_UNAVAILABLE"
    assert (await agent.end(root)).finished.error.reason == "ASSISTANT_UNAVAILABLE"
    assert len(model_server.requests) <= 2


@pytest.mark.parametrize(
    "spoil",
    [
        "UPDATE assistants SET config = '{\"tools\": 5}'",
        "UPDATE chat_sessions SET important_steps = '\"none\"'",
    ],
)
async def test_stored_data_that_cannot_be_read_ends_its_run(
    agent: Agent, model_server: ModelServer, spoil: str
) -> None:
    """And not the claim, which would be made again without end."""
    sent = await agent.send("What?")
    await agent.pool.execute(spoil)
    agent.start()
    await agent.wake(sent.run_id)
    final = await agent.end(sent.run_id)
    assert final.finished.error.reason == "INTERNAL"
    assert (await agent.row(sent.run_id))["attempt"] == 1
    assert not model_server.requests


@pytest.mark.parametrize(
    "function", ["echomind_agent.steps.executor.normalized", "echomind_agent.execution.finish.cite"]
)
async def test_data_rejected_by_the_database_fails_the_run_immediately_with_a_reason(
    agent: Agent, model_server: ModelServer, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    citation = new_citation(title="a\x00b", snippet="a\x00b")
    spoiled = (lambda text: f"{text}\x00") if function.endswith("normalized") else (lambda *_: [citation])
    monkeypatch.setattr(function, spoiled)
    model_server.script([Tools([("look_up", {"key": "a"})]), Text("An answer.")])
    agent.start()
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    assert (final.finished.status, final.finished.error.reason) == (run_pb2.RUN_STATUS_FAILED, "DATA_REJECTED")
    assert final.finished.error.message == "Something in it cannot be stored: a character that is not allowed."
    row = await agent.row(sent.run_id)
    assert (row["status"], row["attempt"], row["retry_count"]) == ("failed", 1, 0)
    # The session is free again.
    monkeypatch.undo()
    model_server.script([Text("An answer.")])
    assert (await agent.answer("Again?", sent.chat_session_id)).finished.status == run_pb2.RUN_STATUS_COMPLETED


async def test_text_of_tools_and_models_is_stored_without_what_cannot_be(
    agent: Agent, model_server: ModelServer
) -> None:
    model_server.script([Tools([("look_up", {"key": "Cafe\u0301\x00"})]), Text("Cafe\u0301\x00.")])
    agent.start()
    sent = await agent.ask()
    final = await agent.end(sent.run_id)
    assert final.finished.message.content == "Cafe\u0301."  # as it was streamed
    (call,) = await agent.calls(sent.run_id)
    assert "\x00" not in call["result"]
