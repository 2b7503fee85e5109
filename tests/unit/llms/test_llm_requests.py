"""Requests: bodies and headers of both wire formats."""

import json
from typing import Any

import pytest

from echomind_lib.llms import ChatRequest, LlmConfig, Message, Provider, ToolCall, ToolChoice, ToolSpec, complete
from echomind_lib.llms.anthropic import AnthropicFormat
from echomind_lib.llms.endpoints import normalise_endpoint
from echomind_lib.llms.openai import OpenAiFormat
from tests.drivers.model_server import ModelServer
from tests.factories.chat_models import MakeModel

SEARCH = ToolSpec("search", "Finds passages.", {"type": "object", "properties": {"query": {"type": "string"}}})
CONVERSATION = [
    Message("system", "Be brief."),
    Message("system", "Cite."),
    Message("user", "How many days?"),
    Message(
        "assistant",
        "I look.",
        [ToolCall("call:1", "search", '{"query": "days"}'), ToolCall("c2", "search", "not json")],
    ),
    Message("tool", "30 days", tool_call_id="call:1"),
    Message("tool", "", tool_call_id="c2"),
    Message("user", "Sure?"),
    Message("assistant", ""),
    Message("user", "Really?"),
]


def body_of(provider: Provider, request: ChatRequest, **settings: Any) -> dict[str, Any]:
    endpoint = "http://gpu:8000" if provider == "vllm" else None
    config = LlmConfig(provider, **({"model_id": "m", "endpoint": endpoint} | settings))
    if provider == "anthropic":
        return AnthropicFormat(config).body(request, frozenset())
    return OpenAiFormat(config, normalise_endpoint(provider, config.endpoint)).body(request, frozenset())


def test_openai_conversation() -> None:
    assert body_of("vllm", ChatRequest(CONVERSATION))["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "system", "content": "Cite."},
        {"role": "user", "content": "How many days?"},
        {
            "role": "assistant",
            "content": "I look.",
            "tool_calls": [
                {"id": "call:1", "type": "function", "function": {"name": "search", "arguments": '{"query":"days"}'}},
                {
                    "id": "c2",
                    "type": "function",
                    "function": {"name": "search", "arguments": '{"arguments":"not json"}'},
                },
            ],
        },
        {"role": "tool", "tool_call_id": "call:1", "content": "30 days"},
        {"role": "tool", "tool_call_id": "c2", "content": ""},
        {"role": "user", "content": "Sure?"},
        {"role": "assistant", "content": ""},
        {"role": "user", "content": "Really?"},
    ]


def test_anthropic_conversation() -> None:
    body = body_of("anthropic", ChatRequest(CONVERSATION))
    assert body["system"] == "Be brief.\n\nCite."
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "How many days?"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I look."},
                {"type": "tool_use", "id": "call_1", "name": "search", "input": {"query": "days"}},
                {"type": "tool_use", "id": "c2", "name": "search", "input": {"arguments": "not json"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "call_1", "content": "30 days"},
                {"type": "tool_result", "tool_use_id": "c2"},
                {"type": "text", "text": "Sure?"},
                {"type": "text", "text": "Really?"},
            ],
        },
    ]


def test_signed_reasoning_stays_where_it_was_and_calls_are_those_of_the_message() -> None:
    received = [
        {"type": "thinking", "thinking": "a", "signature": "s1"},
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "c1", "name": "search", "input": {"query": "days"}},
        {"type": "tool_use", "id": "c2", "name": "search", "input": {"query": "days"}},
        {"type": "redacted_thinking", "data": "b"},
    ]
    state = json.dumps({"anthropic": received})
    kept, other = ToolCall("c1", "search", '{"query": "days"}'), ToolCall("c3", "list")
    messages = [Message("user", "x"), Message("assistant", "I look.", [kept, other], provider_state=state)]
    content = body_of("anthropic", ChatRequest(messages))["messages"][1]["content"]
    added = {"type": "tool_use", "id": "c3", "name": "list", "input": {}}
    assert content == [*received[:3], received[4], added]


@pytest.mark.parametrize("provider_name", ["vllm", "anthropic"])
async def test_the_conversation_is_accepted(
    make_model: MakeModel, model_server: ModelServer, provider_name: Provider
) -> None:
    assert await complete(make_model(provider_name), ChatRequest(CONVERSATION))


def test_a_request_is_not_changed_by_being_sent() -> None:
    before = repr(CONVERSATION)
    body_of("anthropic", ChatRequest(CONVERSATION))
    body_of("openai", ChatRequest(CONVERSATION))
    assert repr(CONVERSATION) == before


@pytest.mark.parametrize(("choice", "anthropic"), [("auto", "auto"), ("none", "none"), ("required", "any")])
def test_tools(choice: ToolChoice, anthropic: str) -> None:
    request = ChatRequest(CONVERSATION, [SEARCH], tool_choice=choice)
    body = body_of("openai", request)
    function = {"name": "search", "description": "Finds passages.", "parameters": SEARCH.parameters}
    assert body["tools"] == [{"type": "function", "function": function}]
    assert body["tool_choice"] == choice
    assert "parallel_tool_calls" not in body
    body = body_of("anthropic", request)
    assert body["tools"] == [{"name": "search", "description": "Finds passages.", "input_schema": SEARCH.parameters}]
    assert body["tool_choice"] == {"type": anthropic}


def test_arguments_are_held_to_the_schema_where_it_is_asked_for() -> None:
    strict = ToolSpec(SEARCH.name, SEARCH.description, SEARCH.parameters, strict=True)
    tools = body_of("openai", ChatRequest(CONVERSATION, [SEARCH, strict]))["tools"]
    assert [tool["function"].get("strict") for tool in tools] == [None, True]


def test_one_tool_call_at_a_time() -> None:
    request = ChatRequest(CONVERSATION, [SEARCH], parallel_tool_calls=False)
    assert body_of("openai", request)["parallel_tool_calls"] is False
    assert body_of("anthropic", request)["tool_choice"] == {"type": "auto", "disable_parallel_tool_use": True}


@pytest.mark.parametrize("provider_name", ["openai", "anthropic"])
def test_without_tools_nothing_about_tools_is_sent(provider_name: Provider) -> None:
    body = body_of(provider_name, ChatRequest(CONVERSATION, tool_choice="none", parallel_tool_calls=False))
    assert not {"tools", "tool_choice", "parallel_tool_calls"} & body.keys()


def test_the_request_goes_before_the_configuration() -> None:
    settings = {"temperature": 1.5, "max_tokens": 100}
    assert body_of("vllm", ChatRequest(CONVERSATION))["stream_options"] == {"include_usage": True}
    assert "temperature" not in body_of("vllm", ChatRequest(CONVERSATION))
    assert body_of("vllm", ChatRequest(CONVERSATION), **settings)["temperature"] == 1.5
    body = body_of("vllm", ChatRequest(CONVERSATION, temperature=0.0, max_tokens=7), **settings)
    assert (body["temperature"], body["max_tokens"]) == (0.0, 7)


def test_limits_of_the_anthropic_format() -> None:
    assert body_of("anthropic", ChatRequest(CONVERSATION))["max_tokens"] == 4096
    assert body_of("anthropic", ChatRequest(CONVERSATION), max_tokens=9)["max_tokens"] == 9
    assert body_of("anthropic", ChatRequest(CONVERSATION), temperature=1.7)["temperature"] == 1.0


def test_openai_itself_gets_the_newer_name_of_the_token_limit() -> None:
    request = ChatRequest(CONVERSATION, max_tokens=7)
    assert body_of("openai", request)["max_completion_tokens"] == 7
    assert body_of("openai", request, endpoint="https://api.openai.com")["max_completion_tokens"] == 7
    assert body_of("openai", request, endpoint="https://gateway.example")["max_tokens"] == 7


@pytest.mark.parametrize("provider_name", ["openai", "anthropic"])
def test_extra_parameters_are_sent_as_they_are(provider_name: Provider) -> None:
    body = body_of(provider_name, ChatRequest(CONVERSATION), extra={"top_p": 0.9, "thinking": {"type": "adaptive"}})
    assert (body["top_p"], body["thinking"]) == (0.9, {"type": "adaptive"})


async def test_headers(make_model: MakeModel, model_server: ModelServer) -> None:
    for provider in ("openai", "vllm", "anthropic"):
        await complete(make_model(provider, api_key="sk-1"), ChatRequest([Message("user", "x")]))
        await complete(make_model(provider), ChatRequest([Message("user", "x")]))
    openai, openai_bare, vllm, _, anthropic, anthropic_bare = model_server.headers
    assert openai["authorization"] == vllm["authorization"] == "Bearer sk-1"
    assert "authorization" not in openai_bare
    assert openai["accept-encoding"] == "identity"
    assert anthropic["x-api-key"] == "sk-1"
    assert anthropic["anthropic-version"] == "2023-06-01"
    assert "x-api-key" not in anthropic_bare


def test_the_form_of_an_answer() -> None:
    words = {"type": "array", "items": {"type": "string"}}
    bounded = {"type": "array", "items": {"type": "string", "maxLength": 9}, "maxItems": 3}
    schema = {"type": "object", "properties": {"a": bounded}, "required": ["a"]}
    request = ChatRequest([Message("user", "A?")], answer_schema=schema)
    form = body_of("vllm", request)["response_format"]
    assert form == {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}
    config = body_of("anthropic", request, extra={"output_config": {"effort": "low"}})["output_config"]
    assert config == {
        "effort": "low",
        "format": {"type": "json_schema", "schema": schema | {"properties": {"a": words}}},
    }
    openai = body_of("openai", request)["response_format"]["json_schema"]["schema"]
    assert openai == schema | {"properties": {"a": words | {"maxItems": 3}}}
    assert "response_format" not in body_of("vllm", ChatRequest(CONVERSATION))
