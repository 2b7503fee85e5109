"""An answer while it grows: what both wire formats have in common between a received piece and a `Completion`."""

import secrets
from typing import Any, Protocol

import msgspec

from echomind_lib.llms.types import FinishReason, ReasoningDelta, TextDelta, ToolCall, Usage
from echomind_lib.text import storable

ChatDelta = TextDelta | ReasoningDelta

UNDECODABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for bytes that are not JSON, not UTF-8, or nested too deeply."""


class ProtocolError(Exception):
    """The server's answer is not what its protocol allows; the message says in what."""


class ServerReportedError(Exception):
    """The server says inside its answer that it failed; `error` is the decoded error object or text."""

    def __init__(self, error: Any) -> None:
        super().__init__(str(error))
        self.error = error


class AnswerDecoder(Protocol):
    """Decodes one answer of one wire format. Methods raise `ProtocolError` or `ServerReportedError`."""

    @property
    def finished(self) -> bool:
        """Returns whether the model has sent its stop reason: what is missing then is not part of the answer."""

    @property
    def ended(self) -> bool:
        """Returns whether the last event of the protocol was received."""

    def feed(self, payloads: list[bytes]) -> list[ChatDelta]:
        """Parses the payloads of server-sent events and returns the new deltas."""

    def feed_whole(self, body: bytes) -> list[ChatDelta]:
        """Parses a complete JSON answer, from a server that does not stream."""

    def take(self) -> list[ChatDelta]:
        """Returns the new deltas that an error kept `feed` from giving."""

    def finish(self) -> tuple[list[ChatDelta], "Answer"]:
        """Returns the deltas that were held back and the answer, at the end of the stream."""


class Answer:
    """Collects deltas and tool calls.

    Pieces of the same kind that arrive together become one delta: it is there as early, and cheaper for all who
    handle it.
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
        """Append to the text."""
        self._text.append(text)
        fresh = self._fresh
        if fresh and type(fresh[-1]) is TextDelta:
            fresh[-1].text += text
        else:
            fresh.append(TextDelta(text))

    def add_reasoning(self, text: str) -> None:
        """Append to the reasoning."""
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
    """A tool call as received: an id is made where the server gave none or repeats one, missing arguments are none.

    Raises:
        ProtocolError: When the call has no name.
    """
    if not name:
        raise ProtocolError("it calls a tool without naming it")
    repeated = any(call.id == received_id for call in before)
    call_id = f"call_{secrets.token_hex(12)}" if repeated or not received_id else received_id
    return ToolCall(call_id, name, "{}" if arguments.strip() in {"", "null"} else arguments)


def arguments_object(arguments: str) -> dict[str, Any]:
    """Returns the arguments of an earlier call as an object, for sending them back.

    What a model wrote is not always a JSON object, and servers refuse a conversation that holds such a call; it goes
    back as the value of the key `arguments`, so that the model sees what it wrote.
    """
    try:
        value = msgspec.json.decode(arguments)
    except UNDECODABLE:
        value = None
    return value if isinstance(value, dict) else {"arguments": arguments}
