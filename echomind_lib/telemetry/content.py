"""Content of spans: what people, models and tools write, in OpenTelemetry's form, without secrets.

Used only if an administrator has allowed content in traces.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from echomind_lib.llms import ChatRequest, Completion, Message, ToolCall
from echomind_lib.secret_text import redacted
from echomind_lib.telemetry import names
from echomind_lib.telemetry.spans import Value

_MAX_CHARACTERS: Final = 16_000
"""Longer texts are cut: receivers refuse large bodies."""


def masked(text: str) -> str:
    """Returns a text without secrets, cut if it is long."""
    return redacted(text[:_MAX_CHARACTERS]) + ("…" if len(text) > _MAX_CHARACTERS else "")


def text_message(role: str, text: str) -> str:
    """Returns a message of text as JSON."""
    return _json([{"role": role, "parts": _text(text)}])


def of_model_call(request: ChatRequest, completion: Completion) -> dict[str, Value]:
    """Returns the attributes for the messages of a model call."""
    system = [part for message in request.messages if message.role == "system" for part in _text(message.content)]
    given = [_message(message) for message in request.messages if message.role != "system"]
    written = {"role": "assistant", "parts": [*_text(completion.text), *_calls(completion.tool_calls)]}
    return {
        names.SYSTEM_INSTRUCTIONS: _json(system),
        names.INPUT_MESSAGES: _json(given),
        names.OUTPUT_MESSAGES: _json([written | {"finish_reason": completion.finish_reason}]),
    }


def _message(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        result = {"type": "tool_call_response", "id": message.tool_call_id, "response": masked(message.content)}
        return {"role": "tool", "parts": [result]}
    return {"role": message.role, "parts": [*_text(message.content), *_calls(message.tool_calls)]}


def _text(text: str) -> list[dict[str, Any]]:
    return [{"type": "text", "content": masked(text)}] if text else []


def _calls(calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    return [
        {"type": "tool_call", "id": call.id, "name": call.name, "arguments": masked(call.arguments)} for call in calls
    ]


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()
