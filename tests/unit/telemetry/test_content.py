"""The form of content in traces, and that it holds no secrets."""

import json

from echomind_lib.llms import ChatRequest, Completion, Message, ToolCall, Usage
from echomind_lib.telemetry import content

_SECRET = "hf_abcdefghijklmnopqrstuvwx12345"


def test_messages_have_the_form_of_the_convention_without_secrets() -> None:
    call = ToolCall("c1", "search", f'{{"query": "{_SECRET}"}}')
    messages = [
        Message("system", f"Use {_SECRET}."),
        Message("user", f"My key is {_SECRET}."),
        Message("assistant", "", [call]),
        Message("tool", f"Found {_SECRET}.", tool_call_id="c1"),
    ]
    completion = Completion(f"It is {_SECRET}.", "", [], "stop", Usage(1, 2), "m")
    found = content.of_model_call(ChatRequest(messages), completion)
    assert not any(_SECRET in str(value) for value in found.values())
    given = json.loads(str(found["gen_ai.input.messages"]))
    assert [message["role"] for message in given] == ["user", "assistant", "tool"]
    assert [message["parts"][0]["type"] for message in given] == ["text", "tool_call", "tool_call_response"]
    assert (given[1]["parts"][0]["id"], given[2]["parts"][0]["id"]) == ("c1", "c1")
    (written,) = json.loads(str(found["gen_ai.output.messages"]))
    assert (written["role"], written["finish_reason"]) == ("assistant", "stop")
    assert json.loads(str(found["gen_ai.system_instructions"]))[0]["content"] == "Use [secret]."


def test_long_texts_are_cut() -> None:
    assert len(content.masked("word " * 10_000)) == 16_001
