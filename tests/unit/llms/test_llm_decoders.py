"""Answers as different servers send them, decoded without a connection."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.llms import ReasoningDelta, TextDelta, ToolCall, Usage
from echomind_lib.llms.answer import Answer, AnswerDecoder, ChatDelta, ProtocolError
from echomind_lib.llms.anthropic import AnthropicDecoder
from echomind_lib.llms.openai import OpenAiDecoder
from echomind_lib.text import storable
from tests.drivers.tables import for_each

Json = dict[str, Any]


def decode(
    decoder: AnswerDecoder, events: list[Json], batches: list[int] | None = None
) -> tuple[list[ChatDelta], Answer]:
    """Feed the events, in batches of these sizes and then one by one."""
    payloads = [json.dumps(event).encode() for event in events]
    deltas: list[ChatDelta] = []
    for size in batches or []:
        deltas += decoder.feed(payloads[:size])
        payloads = payloads[size:]
    for payload in payloads:
        deltas += decoder.feed([payload])
    held, answer = decoder.finish()
    return deltas + held, answer


def chunk(finish_reason: str | None = None, **delta: Any) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}]}


def tool_chunk(*fragments: Json) -> Json:
    return chunk(tool_calls=list(fragments))


def fragment(arguments: Any, name: str | None = None, **fields: Any) -> Json:
    return {"function": {"arguments": arguments} | ({"name": name} if name else {}), **fields}


def calls_of(*events: Json) -> list[tuple[str, str]]:
    _, answer = decode(OpenAiDecoder(), [*events, chunk("tool_calls")])
    assert all(call.id for call in answer.tool_calls)
    assert len({call.id for call in answer.tool_calls}) == len(answer.tool_calls)
    return [(call.name, call.arguments) for call in answer.tool_calls]


EXPECTED = [("search", '{"q":1}'), ("list", '{"q":2}')]
PARALLEL_CALLS: dict[str, list[Json]] = {
    "fragments by index, interleaved": [
        tool_chunk(fragment("", "search", index=0, id="a"), fragment("", "list", index=1, id="b")),
        tool_chunk(fragment('{"q"', index=0)),
        tool_chunk(fragment('{"q"', index=1), fragment(":1}", index=0)),
        tool_chunk(fragment(":2}", index=1)),
    ],
    "whole calls in one chunk": [
        tool_chunk(fragment('{"q":1}', "search", index=0, id="a"), fragment('{"q":2}', "list", index=1, id="b"))
    ],
    "whole calls, all with index 0": [
        tool_chunk(fragment('{"q":1}', "search", index=0, id="a")),
        tool_chunk(fragment('{"q":2}', "list", index=0, id="b")),
    ],
    "whole calls without index or id": [
        tool_chunk(fragment('{"q":1}', "search"), fragment('{"q":2}', "list")),
    ],
    "empty ids": [
        tool_chunk(fragment('{"q":1}', "search", index=0, id="")),
        tool_chunk(fragment('{"q":2}', "list", index=0, id="")),
    ],
    "id and name repeated in each fragment": [
        tool_chunk(fragment('{"q"', "search", index=0, id="a")),
        tool_chunk(fragment(":1}", "search", index=0, id="a")),
        tool_chunk(fragment('{"q":2}', "list", index=1, id="b")),
        tool_chunk(fragment("", "list", index=1, id="b")),
    ],
    "the same id for all calls": [
        tool_chunk(fragment('{"q":1}', "search", index=0, id="a"), fragment('{"q":2}', "list", index=1, id="a"))
    ],
    "arguments as an object": [
        tool_chunk(fragment({"q": 1}, "search", index=0, id="a")),
        tool_chunk(fragment({"q": 2}, "list", index=1, id="b")),
    ],
    "a single call instead of a list": [
        chunk(tool_calls=fragment('{"q":1}', "search", index=0, id="a")),
        chunk(tool_calls=fragment('{"q":2}', "list", index=1, id="b")),
    ],
}


@for_each("events", PARALLEL_CALLS.values(), ids=PARALLEL_CALLS.keys())
def test_tool_calls_of_different_servers(events: list[Json]) -> None:
    assert calls_of(*events) == EXPECTED


@pytest.mark.parametrize("arguments", ["", "  ", None, "null", "{}"])
def test_no_arguments_are_an_empty_object(arguments: str | None) -> None:
    assert calls_of(tool_chunk(fragment(arguments, "list", index=0, id="a"))) == [("list", "{}")]


def test_arguments_are_passed_on_as_written() -> None:
    assert calls_of(tool_chunk(fragment('{"q": ', "list", index=0, id="a"))) == [("list", '{"q": ')]


def test_a_call_without_a_name_is_refused() -> None:
    with pytest.raises(ProtocolError, match="without naming it"):
        calls_of(tool_chunk(fragment("{}", index=0, id="a")))


@for_each(
    ("said", "calls", "reason"),
    [
        ("stop", False, "stop"),
        ("eos_token", False, "stop"),
        ("something_new", False, "stop"),
        ("length", False, "length"),
        ("length", True, "length"),
        ("stop", True, "tool_calls"),
        ("function_call", True, "tool_calls"),
        ("tool_calls", False, "stop"),
        ("content_filter", True, "content_filter"),
    ],
)
def test_openai_finish_reasons(said: str, calls: bool, reason: str) -> None:
    events = [tool_chunk(fragment("{}", "list", index=0, id="a"))] if calls else [chunk(content="x")]
    assert decode(OpenAiDecoder(), [*events, chunk(said)])[1].finish_reason == reason


@for_each(
    ("said", "reason"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("pause_turn", "stop"),
        ("something_new", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("tool_use", "stop"),
        ("refusal", "content_filter"),
    ],
)
def test_anthropic_stop_reasons(said: str, reason: str) -> None:
    _, answer = decode(AnthropicDecoder(), [{"type": "message_delta", "delta": {"stop_reason": said}}])
    assert answer.finish_reason == reason


def test_a_refusal_is_shown_and_distinguished() -> None:
    deltas, answer = decode(OpenAiDecoder(), [chunk(refusal="I cannot "), chunk(refusal="help."), chunk("stop")])
    assert deltas == [TextDelta("I cannot "), TextDelta("help.")]
    assert answer.finish_reason == "content_filter"


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning"])
def test_reasoning_fields(key: str) -> None:
    events = [
        chunk(**{key: "Hm. "}),
        chunk(**{key: "So."}, content=""),
        tool_chunk(fragment("{}", "list", index=0, id="a")),
        chunk("tool_calls"),
    ]
    deltas, answer = decode(OpenAiDecoder(), events)
    assert deltas == [ReasoningDelta("Hm. "), ReasoningDelta("So.")]
    assert json.loads(answer.provider_state)["openai"] == {key: "Hm. So."}


def test_reasoning_between_tags_is_not_text() -> None:
    events = [chunk(content=piece) for piece in ("<thi", "nk>Hm.", "</think>", "\n\n", "Yes", " <think>")]
    deltas, answer = decode(OpenAiDecoder(), [*events, chunk("stop")])
    assert deltas == [ReasoningDelta("Hm."), TextDelta("Yes"), TextDelta(" <think>")]
    assert answer.provider_state == ""


def test_extras_of_tool_calls_go_back() -> None:
    signature = {"google": {"thought_signature": "abc"}}
    events = [tool_chunk(fragment("{}", "list", index=0, id="a", extra_content=signature)), chunk("stop")]
    _, answer = decode(OpenAiDecoder(), events)
    assert json.loads(answer.provider_state)["calls"] == {"a": signature}


def test_usage_in_any_chunk() -> None:
    last = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": None}}
    cached = {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 3}}
    for events, usage in (
        ([chunk(content="x"), chunk("stop"), last], Usage(9, 4)),
        ([chunk(content="x"), chunk("stop") | {"usage": cached}], Usage(9, 4, cache_read_tokens=3)),
        (
            [chunk(content="x") | {"usage": {"prompt_tokens": 9, "completion_tokens": 1}}, chunk("stop"), last],
            Usage(9, 4),
        ),
        ([chunk(content="x"), chunk("stop") | {"usage": None}], None),
        ([chunk(content="x"), chunk("stop") | {"usage": {"prompt_tokens": 9, "completion_tokens": None}}], None),
    ):
        assert decode(OpenAiDecoder(), events)[1].usage == usage


def test_other_choices_and_unknown_fields_are_skipped() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "no"}}], "x": [1, {"y": None}]}
    deltas, _ = decode(
        OpenAiDecoder(), [chunk(content="yes", audio={"a": 1}), other, {"choices": []} | other, chunk("stop")]
    )
    assert deltas == [TextDelta("yes")]


ANTHROPIC_EVENTS: list[Json] = [
    {
        "type": "message_start",
        "message": {
            "model": "claude-x-20260101",
            "content": [],
            "usage": {
                "input_tokens": 5,
                "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 20,
                "output_tokens": 1,
            },
        },
    },
    {"type": "ping"},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s1"}},
    {"type": "content_block_stop", "index": 0},
    {"type": "content_block_start", "index": 1, "content_block": {"type": "redacted_thinking", "data": "secret"}},
    {"type": "content_block_stop", "index": 1},
    {"type": "content_block_start", "index": 2, "content_block": {"type": "server_tool_use", "id": "x", "name": "w"}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "input_json_delta", "partial_json": "{}"}},
    {"type": "content_block_start", "index": 3, "content_block": {"type": "text", "text": "I "}},
    {"type": "content_block_delta", "index": 3, "delta": {"type": "text_delta", "text": "look."}},
    {"type": "content_block_delta", "index": 3, "delta": {"type": "citations_delta", "citation": {"x": 1}}},
    {"type": "content_block_start", "index": 4, "content_block": {"type": "tool_use", "id": "t1", "name": "search"}},
    {
        "type": "content_block_start",
        "index": 5,
        "content_block": {"type": "tool_use", "id": "t2", "name": "l", "input": {}},
    },
    {"type": "content_block_delta", "index": 4, "delta": {"type": "input_json_delta", "partial_json": ""}},
    {"type": "content_block_delta", "index": 4, "delta": {"type": "input_json_delta", "partial_json": '{"q":'}},
    {"type": "content_block_delta", "index": 4, "delta": {"type": "input_json_delta", "partial_json": "1}"}},
    {"type": "some_new_event", "data": 1},
    {
        "type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": None},
        "usage": {"output_tokens": 42},
    },
    {"type": "message_stop"},
]


@given(st.lists(st.integers(0, 6), max_size=10))
def test_anthropic_events(batches: list[int]) -> None:
    decoder = AnthropicDecoder()
    deltas, answer = decode(decoder, ANTHROPIC_EVENTS, batches)
    assert decoder.ended
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == answer.text == "I look."
    assert "".join(d.text for d in deltas if isinstance(d, ReasoningDelta)) == answer.reasoning == "Hm."
    assert answer.tool_calls == [ToolCall("t1", "search", '{"q":1}'), ToolCall("t2", "l", "{}")]
    assert answer.usage == Usage(125, 42, cache_read_tokens=100, cache_write_tokens=20)
    assert answer.model == "claude-x-20260101"
    assert json.loads(answer.provider_state) == {
        "anthropic": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s1"},
            {"type": "redacted_thinking", "data": "secret"},
            {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": 1}},
            {"type": "tool_use", "id": "t2", "name": "l", "input": {}},
        ]
    }


def test_thinking_whose_text_is_withheld_goes_back_too() -> None:
    events: list[Json] = [
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s1"}},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    ]
    deltas, answer = decode(AnthropicDecoder(), events)
    assert deltas == []
    assert json.loads(answer.provider_state) == {"anthropic": [{"type": "thinking", "thinking": "", "signature": "s1"}]}


PIECES = st.lists(
    st.tuples(
        st.sampled_from(["content", "reasoning_content"]), st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
    )
)


@given(PIECES, st.lists(st.integers(1, 5)))
def test_deltas_joined_are_the_answer(pieces: list[tuple[str, str]], batches: list[int]) -> None:
    events = [chunk(**{key: text}) for key, text in pieces]
    deltas, answer = decode(OpenAiDecoder(), [chunk(content="x"), *events, chunk("stop")], batches)
    assert answer.text == "x" + "".join(storable(text) for key, text in pieces if key == "content")
    assert answer.reasoning == "".join(storable(text) for key, text in pieces if key == "reasoning_content")
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == answer.text
    assert "".join(d.text for d in deltas if isinstance(d, ReasoningDelta)) == answer.reasoning
    assert all(delta.text for delta in deltas)
