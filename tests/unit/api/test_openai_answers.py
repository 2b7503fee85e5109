"""Answers for programs, read from the events of a run: text that is never taken back, and one clear end."""

import json
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest
from msgspec import structs

from echomind_api.transports.openai.answers import Answer, AnswerReader
from echomind_api.transports.openai.citations import file_citations, sources_text, url_citations
from echomind_api.transports.openai.errors import RunEndedError, error_response
from echomind_lib.models.public import Citation
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.caller import Caller, CallerTool
from tests.drivers.tables import for_each

RUN = UUID(int=7)
CALLER = Caller(tools=(CallerTool("look", "", {}),))


def _event(**detail: Any) -> SessionEvent:
    return SessionEvent(run_id=str(RUN), **detail)


def _delta(text: str, offset: int = 0, attempt: int = 1) -> SessionEvent:
    return _event(delta={"message_id": 3, "attempt": attempt, "offset": offset, "text": text})


def _end(text: str, status: run_pb2.RunStatus.ValueType = run_pb2.RUN_STATUS_COMPLETED, **fields: Any) -> SessionEvent:
    return _event(finished={"status": status, "message": {"id": 3, "content": text}, **fields})


def _call(name: str, step: int = 1, **parameters: Any) -> SessionEvent:
    event = _event(tool_call={"step_number": step, "tool_call_id": f"{name}{step}", "tool_name": name})
    event.tool_call.parameters.update(parameters)
    return event


async def _read(events: Sequence[SessionEvent], caller: Caller = CALLER) -> tuple[list[str], Answer]:
    async def given() -> AsyncIterator[SessionEvent]:
        for event in events:
            yield event

    submission = SimpleNamespace(run_id=RUN, question=SimpleNamespace(assistant_message_id=3))
    items = [item async for item in AnswerReader(cast("Any", submission), caller).read(given())]
    assert isinstance(items[-1], Answer)
    return [item for item in items[:-1] if isinstance(item, str)], items[-1]


async def test_text_is_given_out_once() -> None:
    pieces, answer = await _read([_delta("One "), _delta("two", 4), _end("One two.", prompt_tokens=5)])
    assert pieces == ["One ", "two", "."]
    assert (answer.text, answer.finish_reason, answer.prompt_tokens) == ("One two.", "stop", 5)


async def test_another_attempt_may_repeat_what_was_sent() -> None:
    again = [_delta("One ", attempt=2), _delta("two", 4), _delta("two three", 4, attempt=2)]
    pieces, answer = await _read([_delta("One two"), *again, _end("One two three")])
    assert "".join(pieces) == answer.text == "One two three"


@for_each(
    "events",
    [
        [_delta("One two"), _delta("Two", attempt=2)],
        [_delta("One two"), _end("One")],
        [_delta("One two"), _end("Two")],
        [_delta("One two")],
        [_delta("One"), _end("One", run_pb2.RUN_STATUS_FAILED, error={"reason": "X", "message": "Why."})],
        [_end("", run_pb2.RUN_STATUS_CANCELLED)],
        [_event(input_requested={"pending_input": {"kind": run_pb2.PENDING_INPUT_KIND_APPROVAL}})],
    ],
)
async def test_anything_else_is_an_error(events: list[SessionEvent]) -> None:
    with pytest.raises(RunEndedError):
        await _read(events)


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        ("QUOTA_EXCEEDED", "insufficient_quota"),
        ("LLM_QUOTA_EXHAUSTED", "insufficient_quota"),
        ("LLM_RATE_LIMITED", "rate_limit_exceeded"),
    ],
)
async def test_a_refused_run_says_when_to_ask_again(reason: str, code: str) -> None:
    error = run_pb2.RunError(reason=reason, message="Refused.")
    error.retry_at.FromDatetime(datetime.now(UTC) + timedelta(seconds=90))
    for failure, delay in ((error, "90"), (run_pb2.RunError(reason=reason, message="Refused."), None)):
        with pytest.raises(RunEndedError) as caught:
            await _read([_delta("One"), _end("One", run_pb2.RUN_STATUS_FAILED, error=failure)])
        response = error_response(caught.value)
        body = {"message": "Refused.", "type": code if "quota" in code else "requests", "param": None, "code": code}
        assert (response.status_code, json.loads(bytes(response.body))) == (429, {"error": body})
        assert (response.headers.get("retry-after"), response.headers["x-should-retry"]) == (delay, "false")


async def test_a_last_step_of_the_callers_tools_is_handed_over() -> None:
    _, answer = await _read([_call("search"), _call("look", 2, days=2.0, share=0.5, of=[1.0]), _end("")])
    assert [(call.name, call.parameters) for call in answer.calls] == [("look", {"days": 2, "share": 0.5, "of": [1]})]
    assert answer.finish_reason == "tool_calls"


async def test_a_program_that_wants_one_call_at_a_time_gets_the_first() -> None:
    first, second = _call("look", 2, days=1), _call("look", 2, days=2)
    second.tool_call.tool_call_id = "other"
    _, answer = await _read([first, second, _end("")])
    assert [call.parameters for call in answer.calls] == [{"days": 1}, {"days": 2}]
    _, answer = await _read([first, second, _end("")], structs.replace(CALLER, has_one_call=True))
    assert [call.parameters for call in answer.calls] == [{"days": 1}]


async def test_a_step_with_other_tools_is_not_handed_over() -> None:
    _, answer = await _read([_call("look"), _call("search"), _end("So.")])
    assert (answer.calls, answer.finish_reason) == ([], "stop")


async def test_a_question_of_the_assistant_is_an_answer() -> None:
    pending = {"kind": run_pb2.PENDING_INPUT_KIND_CLARIFICATION, "question": "Which?", "options": ["A", "B"]}
    pieces, answer = await _read([_delta("Well."), _event(input_requested={"pending_input": pending})])
    assert "".join(pieces) == answer.text == "Well.\n\nWhich?\n- A\n- B"
    assert answer.is_question


async def test_an_answer_ends_when_a_sub_run_waits_for_a_person() -> None:
    """Nobody could give it there, so that the call would wait until the run times out."""
    for kind in (run_pb2.PENDING_INPUT_KIND_APPROVAL, run_pb2.PENDING_INPUT_KIND_CLARIFICATION):
        asking = _event(input_requested={"pending_input": {"kind": kind, "question": "Delete?"}})
        asking.run_id = str(UUID(int=8))
        with pytest.raises(RunEndedError, match="waits for a person, in EchoMind: Delete") as caught:
            await _read([_delta("Well."), asking, _end("Well.")])
        assert (caught.value.code, caught.value.status) == ("input_required", 409)


def test_sources_are_numbered_and_doubts_are_marked() -> None:
    citations = [
        Citation(number=1, document_id=4, title="A [1]", supported=True, sentence_end=5, page=2),
        Citation(number=1, document_id=4, title="A [1]", supported=False),
        Citation(number=2, document_id=5, title="B"),
        Citation(number=3),
    ]
    assert sources_text(citations, "http://e") == (
        "\n\nSources:\n[1] [A (1)](http://e/documents/4), page 2\n"
        "[2] [B](http://e/documents/5) (the source does not support the sentence)"
    )
    assert [each["url"] for each in url_citations(citations, "http://e")] == ["http://e/documents/4"]
    assert sources_text([], "http://e") == ""


def test_web_pages_are_cited_with_their_own_address() -> None:
    page = "https://example.org/a_(b)"
    citations = [Citation(number=1, url=page, title="A", supported=True), Citation(number=2, url=page, title="A")]
    assert sources_text(citations, "http://e") == (
        "\n\nSources:\n[1] [A](https://example.org/a_%28b%29)\n"
        "[2] [A](https://example.org/a_%28b%29) (the source does not support the sentence)"
    )
    assert [each["url"] for each in url_citations(citations, "http://e")] == [page]
    assert file_citations(citations) == []
