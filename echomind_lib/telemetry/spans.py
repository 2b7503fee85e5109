"""Spans of traces: their tree within a process and across processes.

Nothing here loads OpenTelemetry. While traces are off, `recorder` is None, and code that would record a span asks only
for that: it makes no call.

Every span carries the fields of its scope, such as the session and the user, because the receivers look at spans one
by one. They travel between our processes beside the W3C header `traceparent`, and never to other servers.
"""

import json
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, TypeAlias
from uuid import UUID

from echomind_lib.telemetry import names

Value: TypeAlias = str | bool | int | float | Sequence[str]
Kind: TypeAlias = Literal["internal", "server", "client", "producer", "consumer"]

TRACEPARENT: Final = "traceparent"
FIELDS: Final = "echomind-trace"
"""Header of the fields of a scope, as JSON."""
_SAMPLED_BITS = 56
_LOW_64 = 2**64 - 1
_MAX_HEADER_BYTES = 8192


class Recorder(Protocol):
    """Receives the finished spans of a process."""

    has_content: bool
    """Whether spans may contain what people and models write."""

    def record(self, span: "Span") -> None:
        """Receives a finished span of a sampled trace. Neither blocks nor fails."""

    def is_sampled(self, trace_id: int) -> bool:
        """Returns whether the spans of a trace are recorded; all processes decide the same."""

    def new_fields(self) -> dict[str, Value]:
        """Returns the fields of every span of this installation."""


recorder: Recorder | None = None
"""Receives the spans of this process; None while traces are off. Set once, at the start of the process."""


@dataclass(slots=True)
class Scope:
    """What the spans of one trace in one process share."""

    trace_id: int
    fields: dict[str, Value]
    is_sampled: bool


@dataclass(slots=True, kw_only=True)
class Span:
    """A span; it is recorded once, when it has ended."""

    scope: Scope
    name: str
    kind: Kind = "internal"
    span_id: int = field(default_factory=lambda: secrets.randbits(64) or 1)
    parent_id: int | None = None
    model_parent_id: int | None = None
    """The closest span above it that is about generative AI: its parent where only such spans are sent."""
    start: int = field(default_factory=time.time_ns)
    """Nanoseconds since the epoch, as `end`."""
    end: int = 0
    attributes: dict[str, Value] = field(default_factory=dict)
    links: list[tuple[int, int]] = field(default_factory=list)
    """Trace and span ids of causes outside the trace."""
    error: str = ""
    """Kind of the error that ended it; never a message, which may quote content."""

    @property
    def is_of_model(self) -> bool:
        """Returns whether it is about generative AI."""
        return names.OPERATION in self.attributes

    def child(self, name: str, kind: Kind, attributes: dict[str, Value]) -> "Span":
        """Returns a span below this one that begins now."""
        above = self.span_id if self.is_of_model else self.model_parent_id
        return Span(
            scope=self.scope,
            name=name,
            kind=kind,
            parent_id=self.span_id,
            model_parent_id=above,
            attributes=attributes,
        )

    def finish(self) -> None:
        """Ends the span and records it."""
        self.end = self.end or time.time_ns()
        if self.scope.is_sampled and recorder is not None:
            recorder.record(self)

    def headers(self) -> dict[str, str]:
        """Returns the headers by which another of our processes continues the trace; empty if it is not sampled."""
        if not self.scope.is_sampled:
            return {}
        parent = f"00-{self.scope.trace_id:032x}-{self.span_id:016x}-01"
        return {TRACEPARENT: parent, FIELDS: json.dumps(self.scope.fields)}


current: ContextVar[Span | None] = ContextVar("current", default=None)
"""The span that the current task is in; None outside of traces."""


def span_id_of(run_id: UUID) -> int:
    """Returns the id of the span of a run, which each process can derive; so do those of its sub-runs."""
    return run_id.int & _LOW_64


def is_sampled(trace_id: int, ratio: float) -> bool:
    """Returns whether a trace belongs to the share `ratio` of all traces.

    The lowest 56 bits decide: the highest ones of a run's id are a time and the UUID's version and variant.
    """
    return bool((trace_id & (2**_SAMPLED_BITS - 1)) < ratio * 2**_SAMPLED_BITS)


def new_scope(trace_id: int | None = None, fields: Mapping[str, Value] | None = None) -> Scope:
    """Returns the scope of a trace; a new one without its id."""
    assert recorder is not None  # traces are on
    trace_id = trace_id or secrets.randbits(128) or 1
    return Scope(trace_id, recorder.new_fields() | dict(fields or {}), recorder.is_sampled(trace_id))


@contextmanager
def entered(span: Span) -> Iterator[Span]:
    """Makes a span the current one within the block; ends and records it behind the block, with the block's error."""
    token = current.set(span)
    try:
        yield span
    except BaseException as error:
        span.error = span.error or type(error).__name__
        raise
    finally:
        current.reset(token)
        span.finish()


@contextmanager
def child_span(name: str, kind: Kind, attributes: dict[str, Value]) -> Iterator[Span | None]:
    """Runs the block in a span below the current one; outside of sampled traces, only runs it."""
    parent = current.get()
    if parent is None or not parent.scope.is_sampled:
        yield None
        return
    with entered(parent.child(name, kind, attributes)) as span:
        yield span


def sending(subject: str) -> dict[str, str]:
    """Records the sending of a message below the current span; outside of sampled traces, does nothing.

    Returns:
        The headers by which its receiver continues the trace.
    """
    parent = current.get()
    if parent is None or not parent.scope.is_sampled:
        return {}
    attributes: dict[str, Value] = {names.MESSAGING_SYSTEM: "nats", names.MESSAGING_DESTINATION: subject}
    span = parent.child(f"send {subject}", "producer", attributes)
    span.finish()
    return span.headers()


def join_run(run_id: UUID, session_id: int, user_id: int) -> None:
    """Makes the current span, of a call that asks a question, a part of the trace of the run that answers it."""
    span = current.get()
    if span is None or recorder is None:
        return
    scope = span.scope
    scope.trace_id, scope.is_sampled = run_id.int, recorder.is_sampled(run_id.int)
    scope.fields |= {names.SESSION: str(session_id), names.CONVERSATION: str(session_id), names.USER: str(user_id)}
    span.parent_id = span.model_parent_id = span_id_of(run_id)


def parsed_traceparent(header: str) -> tuple[int, int] | None:
    """Returns the ids of trace and span of the header `traceparent`; None if it is not one of a sampled trace."""
    parts = header.strip().split("-")
    if len(parts) < 4 or [len(part) for part in parts[:4]] != [2, 32, 16, 2] or parts[0] == "ff":
        return None
    try:
        trace_id, span_id, flags = (int(part, 16) for part in parts[1:4])
    except ValueError:
        return None
    return (trace_id, span_id) if trace_id and span_id and flags & 1 else None


def continued(headers: Mapping[str, str], name: str, kind: Kind, attributes: dict[str, Value]) -> Span | None:
    """Returns a span that continues the trace of another of our processes.

    Args:
        headers: What that process sent: those of `Span.headers`, among others.
        name: The span's name.
        kind: Its kind.
        attributes: Its attributes.

    Returns:
        The span; None if the headers are not of a sampled trace.
    """
    sent = parsed_traceparent(headers.get(TRACEPARENT, ""))
    if sent is None:
        return None
    scope = new_scope(sent[0], _parsed_fields(headers.get(FIELDS, "")))
    scope.is_sampled = True  # its sender has decided
    return Span(scope=scope, name=name, kind=kind, parent_id=sent[1], attributes=attributes)


def continued_or_new(headers: Mapping[str, str], name: str, kind: Kind, attributes: dict[str, Value]) -> Span:
    """Returns a span that continues a trace as `continued`, or begins one."""
    new = continued(headers, name, kind, attributes)
    return new or Span(scope=new_scope(), name=name, kind=kind, attributes=attributes)


def _parsed_fields(text: str) -> dict[str, Value]:
    try:
        found = json.loads(text) if 0 < len(text) <= _MAX_HEADER_BYTES else {}
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
