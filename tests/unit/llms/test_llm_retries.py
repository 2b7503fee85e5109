"""Retries, their number, and parameters that are omitted after a server rejects them."""

import asyncio
import datetime as dt
from dataclasses import replace
from email.utils import format_datetime
from typing import Any

import pytest

from echomind_lib.llms import (
    RETRIES,
    ChatRequest,
    LlmBadRequest,
    Message,
    Provider,
    TextDelta,
    Timeouts,
    ToolCall,
    ToolSpec,
    complete,
)
from echomind_lib.network.retry_after import retry_after
from tests.drivers.model_server import CutOff, Error, Hang, Malformed, ModelServer, StreamError, Text
from tests.drivers.tables import for_each
from tests.factories.chat_models import REQUEST, MakeModel, failure


@pytest.mark.parametrize(
    "turn", [Error(503), Error(429, retry_after=0.01), CutOff(), Malformed(), StreamError(), Hang()]
)
async def test_nothing_shown_is_tried_again(
    make_model: MakeModel, model_server: ModelServer, provider: Provider, turn: Any
) -> None:
    model_server.script([turn, turn, Text("at last")])
    model = make_model(provider, timeouts=Timeouts(idle=0.3))
    events = [event async for event in model.stream(REQUEST)]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "at last"
    assert len(model_server.requests) == 3


async def test_tries_are_bounded(make_model: MakeModel, model_server: ModelServer, provider: Provider) -> None:
    model_server.script([Error(503)] * 10)
    await failure(make_model, provider, retries=replace(RETRIES, first=0.0))
    assert len(model_server.requests) == 3


async def test_a_retry_after_beyond_the_limit_is_left_to_the_caller(
    make_model: MakeModel, model_server: ModelServer
) -> None:
    model_server.script([Error(429, retry_after=3600)])
    error = await failure(make_model, retries=RETRIES)
    assert error.retry_after == 3600
    assert len(model_server.requests) == 1


def test_retry_after_headers() -> None:
    soon = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=100)
    assert retry_after({}) is None
    assert retry_after({"Retry-After": "7"}) == 7
    assert retry_after({"Retry-After": "0.5"}) == 0.5
    assert retry_after({"retry-after-ms": "250", "Retry-After": "7"}) == 0.25
    assert retry_after({"Retry-After": format_datetime(soon, usegmt=True)}) == pytest.approx(100, abs=2)
    assert retry_after({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after({"Retry-After": "soon"}) is None
    assert retry_after({"Retry-After": "-3"}) is None


@for_each(
    "headers",
    [
        {"Retry-After": "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"},
        {"Retry-After": "Mon, 01 Jan 2024 00:00:00 +99999999999999999999"},
        {"Retry-After": "Mon, 01 Jan 2024 00:00:00 GMT", "Date": "Mon, 01 Jan 99999999999999999999 00:00:00 GMT"},
        {"Retry-After": "1" * 400},
        {"retry-after-ms": "nan"},
        {"retry-after-ms": "inf"},
        {"retry-after-ms": "-inf"},
        {"retry-after-ms": "1e999"},
    ],
)
def test_delays_that_no_clock_can_show_are_ignored(headers: dict[str, str]) -> None:
    assert retry_after(headers) is None


REFUSALS: list[tuple[Provider, str, str, str | None]] = [
    ("openai", "temperature", "Unsupported value: 'temperature' does not support 0.2 with this model.", None),
    ("anthropic", "temperature", "`temperature` is deprecated for this model.", None),
    (
        "openai",
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "max_completion_tokens",
    ),
    ("vllm", "stream_options", "body.stream_options: Extra inputs are not permitted", None),
    ("openai", "parallel_tool_calls", "Unknown parameter: 'parallel_tool_calls'.", None),
    ("openai", "response_format", "'response_format' of type 'json_schema' is not supported with this model.", None),
    ("anthropic", "output_config", "output_config: Extra inputs are not permitted", None),
]


@pytest.mark.parametrize(("provider_name", "parameter", "message", "replacement"), REFUSALS)
async def test_a_refused_parameter_is_left_out_from_then_on(
    make_model: MakeModel,
    model_server: ModelServer,
    provider_name: Provider,
    parameter: str,
    message: str,
    replacement: str | None,
) -> None:
    model_server.respond(lambda body: Error(400, message) if parameter in body else Text("fine"))
    model = make_model(provider_name, temperature=0.2, max_tokens=50)
    form = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    tools = [ToolSpec("t", "T.", {"type": "object"})]
    request = ChatRequest(REQUEST.messages, tools, parallel_tool_calls=False, answer_schema=form)
    answers = await asyncio.gather(*(complete(model, request) for _ in range(3)))
    assert [answer.text for answer in answers] == ["fine"] * 3
    before = len(model_server.requests)
    await complete(model, request)
    assert len(model_server.requests) == before + 1
    if replacement:
        assert model_server.requests[-1][replacement] == 50


async def test_reasoning_is_left_out_for_a_server_that_refuses_it(
    make_model: MakeModel, model_server: ModelServer
) -> None:
    def respond(body: dict[str, Any]) -> Error | Text:
        refused = any("reasoning_content" in message for message in body["messages"])
        return Error(400, "messages.1.reasoning_content: Extra inputs are not permitted") if refused else Text("fine")

    model_server.respond(respond)
    state = '{"openai":{"reasoning_content":"why"}}'
    assistant = Message("assistant", "", [ToolCall("c1", "t")], provider_state=state)
    request = ChatRequest([*REQUEST.messages, assistant, Message("tool", "x", tool_call_id="c1")])
    assert (await complete(make_model("openai"), request)).text == "fine"
    assert len(model_server.requests) == 2


async def test_a_refusal_that_leaving_out_does_not_help_ends(make_model: MakeModel, model_server: ModelServer) -> None:
    model_server.script([Error(400, "temperature is not supported")], repeat=True)
    tool = ToolSpec("heat", "Heats.", {"type": "object", "properties": {"temperature": {"type": "number"}}})
    with pytest.raises(LlmBadRequest):
        await complete(make_model("openai", temperature=1.0), ChatRequest(REQUEST.messages, [tool]))
    assert len(model_server.requests) == 2


async def test_a_parameter_that_is_merely_mentioned_is_kept(make_model: MakeModel, model_server: ModelServer) -> None:
    model_server.script([Error(400, "max_tokens is too large: this model supports at most 16384 completion tokens")])
    await failure(make_model, max_tokens=99999)
    assert len(model_server.requests) == 1
