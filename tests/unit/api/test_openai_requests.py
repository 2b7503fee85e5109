"""Requests in OpenAI's form: the question in them, and what is refused."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from echomind_api.transports.openai.chat_request import ChatRequest, Message, read_question, read_request
from echomind_api.transports.openai.errors import OpenAiError, body_of, error_response
from echomind_api.transports.openai.models import _Usable, named, slug
from echomind_api.transports.openai.response_request import ResponseRequest, messages_of
from echomind_lib.errors import OverloadedError, RunActiveError
from echomind_lib.runs.caller import Caller, CallerMessage, CallerResult
from tests.drivers.tables import for_each

ASKED = {"role": "user", "content": "What?"}
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"properties": {}}}}
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


def _read(**fields: Any) -> tuple[str, Caller]:
    request = {"model": "m", "messages": [ASKED]} | fields
    return read_question(read_request(ChatRequest, json.dumps(request).encode()))


def test_a_plain_question_gives_nothing_besides() -> None:
    content, caller = _read(temperature=0.1, unknown={"a": 1})
    assert content == "What?"
    assert caller == Caller(messages=())
    assert not caller.is_untrusted


def test_everything_but_the_last_question_is_material() -> None:
    content, caller = _read(
        messages=[
            {"role": "developer", "content": "Short."},
            {"role": "user", "content": [{"type": "text", "text": "One"}, {"type": "text", "text": "two"}]},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": "seen"},
            {"role": "assistant", "content": "So."},
            ASKED,
            {"role": "assistant", "tool_calls": [CALL | {"id": "c2"}]},
            {"role": "tool", "tool_call_id": "c2", "content": "seen\u0000 again"},
            {"role": "system", "content": "Polite."},
        ]
    )
    assert content == "What?"
    assert caller.instructions == "Short.\n\nPolite."
    assert caller.messages == (
        CallerMessage("user", "One\ntwo"),
        CallerMessage("tool", "seen"),
        CallerMessage("assistant", "So."),
    )
    (result,) = caller.results
    assert (result.name, result.arguments) == ("look", "{}")
    assert "\0" not in result.result
    assert isinstance(result, CallerResult)
    assert caller.is_untrusted


@pytest.mark.parametrize(
    ("choice", "names", "must_call"),
    [
        (None, ["look"], False),
        ("none", [], False),
        ("required", ["look"], True),
        ({"type": "function", "function": {"name": "look"}}, ["look"], True),
    ],
)
def test_tool_choice_is_kept(choice: Any, names: list[str], must_call: bool) -> None:
    _, caller = _read(tools=[TOOL], tool_choice=choice)
    assert [tool.name for tool in caller.tools] == names
    assert caller.must_call is must_call
    assert all(tool.parameters["type"] == "object" for tool in caller.tools)


@for_each(
    ("fields", "param"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "system", "content": "x"}]}, "messages"),
        ({"messages": [{"role": "user", "content": " "}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": "x" * 100_001}]}, "messages.0.content"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url"}]}]}, "messages.0.content.0.type"),
        ({"messages": [ASKED, {"role": "assistant", "content": "So"}]}, "messages"),
        ({"messages": [ASKED, {"role": "tool", "tool_call_id": "no", "content": ""}]}, "messages.1.tool_call_id"),
        ({"n": 2}, "n"),
        ({"logprobs": True}, "logprobs"),
        ({"stream": "often"}, "stream"),
        ({"model": 5}, "model"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"tools": [{"type": "function", "function": {"name": "a b"}}]}, "tools.0.function.name"),
        ({"tools": [TOOL], "tool_choice": {"function": {"name": "other"}}}, "tool_choice"),
        ({"tools": [TOOL], "tool_choice": {"function": "look"}}, "tool_choice"),
        ({"tools": [{"type": "function", "function": {"name": "a", "parameters": {"type": "string"}}}]}, "tools"),
    ],
)
def test_what_cannot_be_read_is_named(fields: dict[str, Any], param: str) -> None:
    with pytest.raises(OpenAiError) as caught:
        _read(**fields)
    assert (caught.value.status, caught.value.param) == (400, param)


def test_a_body_that_is_no_json_is_refused() -> None:
    with pytest.raises(OpenAiError) as caught:
        read_request(ChatRequest, b"{")
    assert body_of(caught.value)["error"]["type"] == "invalid_request_error"


def test_errors_say_whether_a_retry_may_help() -> None:
    busy = error_response(OverloadedError("Wait.", retry_after_seconds=5))
    assert (busy.status_code, busy.headers["retry-after"]) == (429, "5")
    assert "x-should-retry" not in busy.headers
    assert json.loads(bytes(busy.body))["error"]["code"] == "rate_limit_exceeded"
    active = error_response(RunActiveError("A run is active."))
    assert (active.status_code, active.headers["x-should-retry"]) == (409, "false")
    assert json.loads(bytes(active.body))["error"]["code"] == "run_active"


def test_assistants_have_ids_that_stay_when_others_come() -> None:
    time = datetime(2026, 1, 1, tzinfo=UTC)
    names = ["Support", "support!", "Über uns", "客服", "***"]
    models = named([_Usable(id=number, name=name, creation_date=time) for number, name in enumerate(names, 5)])
    assert [model.id for model in models] == ["support", "support-6", "uber-uns", "客服", "assistant"]
    assert slug("Straße & Co.") == "strasse-co"


@for_each(
    ("fields", "param"),
    [
        ({"text": {"format": {"type": "json_object"}}}, "text.format"),
        ({"text": {"format": "json"}}, "text.format"),
        ({"tools": [{"type": "function", "name": ""}]}, "tools.0.name"),
        ({"tools": [{"type": "file_search"}, {"type": "function", "name": "look.up"}]}, "tools.1.name"),
    ],
)
def test_what_cannot_be_read_of_a_response_is_named(fields: dict[str, Any], param: str) -> None:
    with pytest.raises(OpenAiError) as caught:
        _read_response(**fields)
    assert (caught.value.status, caught.value.param) == (400, param)


def test_a_format_that_is_null_is_text() -> None:
    assert [message.content for message in _read_response(text={"format": None})] == ["What?"]


def _read_response(**fields: Any) -> list[Message]:
    request = read_request(ResponseRequest, json.dumps({"model": "m", "input": "What?"} | fields).encode())
    assert request.functions == []
    return messages_of(request, {})


def test_a_search_in_files_names_its_stores() -> None:
    def stores(*tools: dict[str, Any]) -> list[str]:
        body = {"model": "m", "input": "x", "tools": list(tools)}
        return read_request(ResponseRequest, json.dumps(body).encode()).stores

    search = {"type": "file_search", "vector_store_ids": ["vs_1", "vs_2"]}
    assert stores(search) == ["vs_1", "vs_2"]
    assert stores(search, {"type": "function", "name": "look"}) == ["vs_1", "vs_2"]
    assert stores(search, {"type": "file_search"}) == stores() == []
    with pytest.raises(OpenAiError, match="filters"):
        stores(search | {"filters": {"type": "eq", "key": "a", "value": 1}})
