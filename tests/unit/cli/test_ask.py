"""`echomind ask` and `echomind runs watch`: streams that break, attempts that start again, ends of every kind."""

import json
from collections.abc import Sequence

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from echomind.cli.conversations.following import AnswerText
from echomind_lib.models.public import MessageDelta, MessageSnapshot, SessionEvent
from tests.drivers.api_server import ApiServer, about, in_turn, refusal, stream
from tests.drivers.shell import Shell
from tests.factories.session_events import (
    ANSWER,
    ASK,
    EVENTS,
    OTHER_RUN,
    QUEUED,
    RUN,
    SEARCHING,
    delta,
    event,
    finished,
    snapshot,
)


def test_the_answer_is_streamed_and_its_sources_are_numbered(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, stream(QUEUED, SEARCHING, delta(0, "You get "), delta(8, "30 days [1]."), finished()))
    result = shell.run("ask", "How many days?")
    assert result.stdout == f"{ANSWER}\n\n[1] Leave [leave.md], page 3\n[2] Rumours (not confirmed by the source)\n"
    assert "Searching for leave" in result.stderr
    assert "--session 7" in result.stderr
    (call,) = api.sent(ASK)
    assert call.body["content"] == "How many days?"
    assert call.body["requestId"]
    assert "chatSessionId" not in call.body


def test_json_is_one_object_of_the_fixed_shape(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, stream(QUEUED, SEARCHING, delta(0, "You"), finished()))
    source = {"documentId": "5", "url": "", "chunkId": "c", "snippet": "s", "score": 0.5}
    assert shell.json("ask", "How many days?") == {
        "answer": ANSWER,
        "basis": "sources",
        "otherTools": [],
        "citations": [
            {"number": 1, "title": "Leave", "fileName": "leave.md", "supported": True, "verified": False} | source,
            {"number": 2, "title": "Rumours", "fileName": "", "supported": False, "verified": False} | source,
        ],
        "sessionId": "7",
        "runId": RUN,
        "messageId": "12",
        "status": "completed",
    }


@pytest.mark.parametrize(
    ("basis", "word", "line"),
    [
        ("ANSWER_BASIS_NO_SOURCE_FOUND", "no_source_found", "No source found."),
        ("ANSWER_BASIS_OTHER", "other", "From web pages, knowledge, memories or tools, not from your documents."),
        ("ANSWER_BASIS_MODEL_ONLY", "model_only", "From the model alone, without your documents."),
    ],
)
def test_an_answer_without_sources_says_so(api: ApiServer, shell: Shell, basis: str, word: str, line: str) -> None:
    api.on(ASK, stream(QUEUED, finished(basis=basis)))
    assert shell.run("ask", "How many days?").stdout == f"{ANSWER}\n\n{line}\n"
    api.on(ASK, stream(QUEUED, finished(basis=basis)))
    assert shell.json("ask", "How many days?")["basis"] == word


def test_other_tools_that_were_used_are_named(api: ApiServer, shell: Shell) -> None:
    used = finished()
    used["finished"]["message"]["otherTools"] = ["search_web", "wiki__list_pages"]
    api.on(ASK, stream(QUEUED, used))
    assert shell.run("ask", "How many days?").stdout.endswith("Also used: Search the web, List pages (wiki).\n")


def test_a_broken_stream_is_taken_up_after_the_last_event(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, stream(QUEUED, SEARCHING, delta(0, "You get "), None))
    unavailable = refusal("DEPENDENCY_UNAVAILABLE", "Starting.", 503, "UNAVAILABLE")

    async def refuse(request: web.Request) -> web.StreamResponse:
        return unavailable()

    whole = stream(event("PROGRESS", 3, text="Reading"), snapshot("You get 30"), delta(10, " days [1]."), finished())
    api.on(EVENTS, in_turn(refuse, stream(None), whole))
    result = shell.run("ask", "How many days?")
    assert result.stdout.startswith(f"{ANSWER}\n")
    assert [call.headers["Last-Event-ID"] for call in api.sent(EVENTS)] == ["2", "2", "2"]
    assert len(api.sent(ASK)) == 1


def test_a_question_that_may_have_arrived_is_repeated_under_its_request_id(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, in_turn(stream(None), stream(QUEUED, finished())))
    shell.run("ask", "How many days?")
    first, second = api.sent(ASK)
    assert first.body["requestId"] == second.body["requestId"]


def test_a_refused_question_is_not_repeated(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, refusal("RUN_ACTIVE", "The session has a run.", 400, "FAILED_PRECONDITION"))
    assert "RUN_ACTIVE" in shell.run("ask", "How many days?", code=1).stderr
    assert len(api.sent(ASK)) == 1


def test_a_stream_that_ends_with_an_error_is_an_error(api: ApiServer, shell: Shell) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        body = {"code": "INTERNAL", "reason": "INTERNAL", "message": "A fault.", "metadata": {}}
        text = f"data: {json.dumps(QUEUED)}\n\nevent: error\ndata: {json.dumps({'error': body})}\n\n"
        return web.Response(text=text, content_type="text/event-stream")

    api.on(ASK, answer)
    assert "A fault. [INTERNAL]" in shell.run("ask", "How many days?", code=1).stderr


def test_a_missing_piece_of_text_is_fetched_by_a_snapshot(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, stream(QUEUED, delta(0, "You "), delta(20, "later"), finished()))
    api.on(EVENTS, stream(snapshot("You get 30 days [1]."), finished()))
    assert shell.run("ask", "How many days?").stdout.startswith(f"{ANSWER}\n")
    assert len(api.sent(EVENTS)) == 1


def test_an_answer_that_starts_over_is_written_again(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, stream(QUEUED, delta(0, "I think"), delta(0, "You get", attempt=2), delta(7, "?"), finished()))
    result = shell.run("ask", "How many days?")
    assert result.stdout.startswith(f"I think\n{ANSWER}\n")
    assert "starts again" in result.stderr


def test_events_of_other_runs_are_passed_over(api: ApiServer, shell: Shell) -> None:
    other = event("FINAL", 4, run=OTHER_RUN, finished={"status": "RUN_STATUS_FAILED"})
    api.on(ASK, stream(QUEUED, other, finished()))
    assert shell.json("ask", "How many days?")["status"] == "completed"


def test_control_characters_do_not_reach_the_terminal(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, stream(QUEUED, finished(text="\x1b[2Jgone\x07")))
    assert shell.run("ask", "How many days?").stdout.startswith("[2Jgone\n")


def test_a_failed_run_prints_its_reason(api: ApiServer, shell: Shell) -> None:
    error = {"reason": "LLM_RATE_LIMITED", "message": "Too many requests: wait.", "retryAt": "2026-05-01T12:30:00Z"}
    api.on(ASK, stream(QUEUED, finished(status="FAILED", text="", error=error)))
    assert "Too many requests: wait. [LLM_RATE_LIMITED]" in shell.run("ask", "How many days?", code=1).stderr
    result = shell.json("ask", "How many days?", code=1)
    assert result["status"] == "failed"
    assert result["error"] == {
        "code": "",
        "reason": "LLM_RATE_LIMITED",
        "message": "Too many requests: wait.",
        "metadata": {"retry_at": "2026-05-01T12:30:00+00:00"},
    }
    error = {"reason": "DEPENDENCY_UNAVAILABLE", "message": "It does not answer."}
    api.on(ASK, stream(QUEUED, finished(status="FAILED", text="", error=error)))
    assert shell.json("ask", "How many days?", code=1)["error"]["code"] == "UNAVAILABLE"


def test_a_paused_run_ends_the_command(api: ApiServer, shell: Shell) -> None:
    api.on(ASK, stream(QUEUED, delta(0, "You"), event("STATUS", 3, status={"status": "RUN_STATUS_PAUSED"})))
    result = shell.json("ask", "How many days?", code=1)
    assert (result["status"], result["answer"], result["messageId"]) == ("paused", "You", "12")
    assert f"`echomind runs resume {RUN}` resumes it" in shell.run("ask", "How many days?", code=1).stderr


def test_a_session_continues(api: ApiServer, shell: Shell) -> None:
    api.on(about("ChatMessageService/StreamMessage", chat_session_id=7), stream(QUEUED, finished()))
    shell.run("ask", "And then?", "--session", "7")
    shell.run("ask", "And then?", "--session", "7", "--assistant", "Legal", code=2)


def test_an_assistant_is_found_by_its_name(api: ApiServer, shell: Shell) -> None:
    assistants = [{"id": 3, "name": "Legal"}, {"id": 4, "name": "Sales"}]
    api.on("AssistantService/ListAssistants", {"assistants": assistants})
    api.on(ASK, stream(QUEUED, finished()))
    shell.run("ask", "How many days?", "--assistant", "sales")
    assert api.sent(ASK)[0].body["assistantId"] == 4
    error = shell.run("ask", "How many days?", "--assistant", "None", code=1).stderr
    assert "There is no assistant 'None'. Known: Legal, Sales." in error


def test_watching_follows_a_run_from_the_beginning(api: ApiServer, shell: Shell) -> None:
    api.on(about("RunService/GetRun", id=RUN), {"id": RUN, "chatSessionId": 7, "status": "RUN_STATUS_RUNNING"})
    change = {"status": "RUN_STATUS_PAUSED", "attempt": 1}
    api.on(EVENTS, stream(QUEUED, event("STATUS", 2, status=change), delta(0, "You get"), finished()))
    assert shell.run("runs", "watch", RUN).stdout.startswith(f"{ANSWER}\n")
    assert api.sent(EVENTS)[0].headers["Last-Event-ID"] == "0"


@st.composite
def arrivals(draw: st.DrawFn) -> tuple[str, Sequence[SessionEvent]]:
    """A text written in one or more attempts, cut into deltas that may overlap or repeat, with snapshots between."""
    events: list[SessionEvent] = []
    text = ""
    for attempt in range(1, draw(st.integers(1, 3)) + 1):
        text = draw(st.text(max_size=30))
        written = 0
        while written < len(text):
            begin = draw(st.integers(0, written))
            end = draw(st.integers(written + 1, len(text)))
            piece = MessageDelta(message_id=1, attempt=attempt, offset=begin, text=text[begin:end])
            events.append(SessionEvent(delta=piece))
            written = end
            if draw(st.booleans()):
                whole = MessageSnapshot(message_id=1, attempt=attempt, text=text[:written])
                events.append(SessionEvent(snapshot=whole))
            if attempt > 1 and draw(st.booleans()):
                late = MessageDelta(message_id=1, attempt=attempt - 1, offset=draw(st.integers(0, 99)), text="late")
                events.append(SessionEvent(delta=late))
        if not text:
            events.append(SessionEvent(snapshot=MessageSnapshot(message_id=1, attempt=attempt, text="")))
    return text, events


@given(arrivals())
def test_the_text_is_that_of_the_last_attempt(arrived: tuple[str, Sequence[SessionEvent]]) -> None:
    text, events = arrived
    answer = AnswerText()
    assert all(answer.apply(each) for each in events)
    assert answer.text == text
