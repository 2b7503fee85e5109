"""Incremental assembly of an answer, shared by both wire formats: from received pieces to a `Completion`."""

import secrets
from typing import Any, Protocol

import msgspec

from echomind_lib.llms.types import FinishReason, ReasoningDelta, TextDelta, ToolCall, Usage
from echomind_lib.text import storable

ChatDelta = TextDelta | ReasoningDelta

UNDECODABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are not JSON, not UTF-8, or nested too deeply."""


class ProtocolError(Exception):
    """The server's response violates its protocol; the message says how."""


class ServerReportedError(Exception):
    """The server reports a failure in its response; `error` is the decoded error object or text."""

    def __init__(self, error: Any) -> None:
        super().__init__(str(error))
        self.error = error


class AnswerDecoder(Protocol):
    """Decodes one answer of one wire format. Methods raise `ProtocolError` or `ServerReportedError`."""

    @property
    def finished(self) -> bool:
        """Returns whether the model has sent its stop reason, after which the answer is complete."""

    @property
    def ended(self) -> bool:
        """Returns whether the last event of the protocol was received."""

    def feed(self, payloads: list[bytes]) -> list[ChatDelta]:
        """Parses the payloads of server-sent events and returns the new deltas."""

    def feed_whole(self, body: bytes) -> list[ChatDelta]:
        """Parses a complete JSON answer, from a server that does not stream."""

    def take(self) -> list[ChatDelta]:
        """Returns the new deltas that `feed` did not return because of an error."""

    def finish(self) -> tuple[list[ChatDelta], "Answer"]:
        """Returns the buffered deltas and the answer, at the end of the stream."""


class Answer:
    """Collects deltas and tool calls.

    Consecutive pieces of the same kind that arrive together become one delta, which is no later, and cheaper for all
    consumers.
    """

    __slots__ = ("_fresh", "_reasoning", "_text", "finish_reason", "model", "provider_state", "tool_calls", "usage")

    def __init__(self) -> None:
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._fresh: list[ChatDelta] = []
        self.tool_calls: list[ToolCall] = []
        self.finish_reason: FinishReason | None = None
        self.usage: Usage | None = None
        self.model = ""
        self.provider_state = ""

    @property
    def text(self) -> str:
        """The text so far."""
        return storable("".join(self._text))

    @property
    def reasoning(self) -> str:
        """The reasoning so far."""
        return storable("".join(self._reasoning))

    def add_text(self, text: str) -> None:
        """Appends to the text."""
        if not text:
            return
        self._text.append(text)
        fresh = self._fresh
        if fresh and type(fresh[-1]) is TextDelta:
            fresh[-1].text += text
        else:
            fresh.append(TextDelta(text))

    def add_reasoning(self, text: str) -> None:
        """Appends to the reasoning."""
        self._reasoning.append(text)
        fresh = self._fresh
        if fresh and type(fresh[-1]) is ReasoningDelta:
            fresh[-1].text += text
        else:
            fresh.append(ReasoningDelta(text))

    def take(self) -> list[ChatDelta]:
        """Returns the deltas since the last call."""
        fresh, self._fresh = self._fresh, []
        for delta in fresh:
            delta.text = storable(delta.text)
        return [delta for delta in fresh if delta.text]

    def settle(self) -> None:
        """Makes stop reason and calls consistent: servers differ in the reason that they send with tool calls."""
        if self.finish_reason == "stop" and self.tool_calls:
            self.finish_reason = "tool_calls"
        elif self.finish_reason == "tool_calls" and not self.tool_calls:
            self.finish_reason = "stop"


def make_tool_call(received_id: str, name: str, arguments: str, before: list[ToolCall]) -> ToolCall:
    """Returns a received tool call. A missing or repeated id is replaced, missing arguments become `{}`.

    Raises:
        ProtocolError: The call has no name.
    """
    if not name:
        raise ProtocolError("it calls a tool without naming it")
    repeated = any(call.id == received_id for call in before)
    call_id = f"call_{secrets.token_hex(12)}" if repeated or not received_id else received_id
    return ToolCall(call_id, name, "{}" if arguments.strip() in {"", "null"} else arguments)


def arguments_object(arguments: str) -> dict[str, Any]:
    """Returns the arguments of an earlier call as an object, for sending them back.

    A model's arguments are not always a JSON object, and servers reject a conversation with such a call; they are sent
    back as the value of the key `arguments`, so that the model sees its own output.
    """
    try:
        value = msgspec.json.decode(arguments)
    except UNDECODABLE:
        value = None
    return value if isinstance(value, dict) else {"arguments": arguments}
