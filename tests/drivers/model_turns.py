"""What the scripted model server may be told to do with a request, and what it says then."""

import asyncio
import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

Json = dict[str, Any]


class Text(msgspec.Struct, tag="text"):
    """Answers with a text, in deltas of one word or of `chunk` characters, `delay_ms` milliseconds apart.

    With `at_once` they are sent together, so that they arrive together however busy the machine is. With a `gate` the
    last one is sent when it is set.
    """

    text: str
    delay_ms: float = 0
    chunk: int | None = None
    reasoning: str = ""
    finish_reason: str = "stop"
    usage: bool = True
    at_once: bool = False
    gate: asyncio.Event | None = None


class Tools(msgspec.Struct, tag="tools"):
    """Calls tools: name and arguments (a text is sent as it is). `interleave` mixes the fragments of parallel calls."""

    calls: Sequence[tuple[str, Json | str]]
    text: str = ""
    delay_ms: float = 0
    chunk: int | None = 8
    reasoning: str = ""
    interleave: bool = False
    usage: bool = True


class Error(msgspec.Struct, tag="error"):
    """Answers with an HTTP error; `retry_after` is sent as `Retry-After`."""

    status: int
    message: str = "scripted error"
    kind: str = "scripted_error"
    retry_after: float | str | None = None


class CutOff(msgspec.Struct, tag="cut_off"):
    """Sends a text and drops the connection, or with `clean` ends the response without ending the answer."""

    after: str = ""
    clean: bool = False


class Malformed(msgspec.Struct, tag="malformed"):
    """Sends a text and then an event that is not JSON."""

    after: str = ""


class StreamError(msgspec.Struct, tag="stream_error"):
    """Sends a text and then an error object inside the stream."""

    after: str = ""
    message: str = "scripted error"
    kind: str = "server_error"


class Slow(msgspec.Struct, tag="slow"):
    """Waits before it answers anything."""

    seconds: float
    then: "Turn"


class Hang(msgspec.Struct, tag="hang"):
    """Sends a text and then nothing, until the client goes. With `silent` not even the head of the response is sent."""

    after: str = ""
    silent: bool = False


class Raw(msgspec.Struct, tag="raw"):
    """Sends these bytes, one write each, as the whole response body."""

    chunks: list[bytes]
    content_type: str = "text/event-stream"
    status: int = 200
    delay_ms: float = 0


Turn = Text | Tools | Error | CutOff | Malformed | StreamError | Slow | Hang | Raw
"""What becomes of a request."""


@dataclass
class Answer:
    """What a turn says, before it is put into a protocol."""

    text: str = ""
    reasoning: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    finish_reason: str = "stop"
    chunk: int | None = None
    interleave: bool = False
    usage: bool = True

    def pieces(self, text: str) -> list[str]:
        """Returns the text in deltas: of `chunk` characters, or of one word and the space before it."""
        if self.chunk is None:
            return re.findall(r"\s*\S+\s*$|\s*\S+|\s+$", text)
        return [text[start : start + self.chunk] for start in range(0, len(text), self.chunk)]

    def fragments(self) -> list[tuple[int, str]]:
        """Index of the call and piece of its arguments, in the order in which they are sent."""
        per_call = [[(i, piece) for piece in self.pieces(arguments)] for i, (_, arguments) in enumerate(self.calls)]
        if not self.interleave:
            return [fragment for fragments in per_call for fragment in fragments]
        rounds = itertools.zip_longest(*per_call)
        return [fragment for one_round in rounds for fragment in one_round if fragment is not None]

    def completion_tokens(self) -> int:
        """Returns the words of all that is generated."""
        return sum(len(part.split()) for part in (self.text, self.reasoning, *(call[1] for call in self.calls)))


def answer_of(turn: Turn) -> Answer:
    """Returns what a turn says; raises `TypeError` for one that says nothing."""
    if isinstance(turn, Text):
        return Answer(turn.text, turn.reasoning, [], turn.finish_reason, turn.chunk, usage=turn.usage)
    if isinstance(turn, Tools):
        calls = [(name, args if isinstance(args, str) else json.dumps(args)) for name, args in turn.calls]
        return Answer(turn.text, turn.reasoning, calls, "tool_calls", turn.chunk, turn.interleave, turn.usage)
    if isinstance(turn, CutOff | Malformed | StreamError | Hang):
        return Answer(turn.after)
    raise TypeError(f"{type(turn).__name__} has no answer")
