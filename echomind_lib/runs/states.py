"""The states of a run and the allowed transitions. The SQL in this package conforms to this table."""

from collections.abc import Mapping
from typing import Final

from echomind_lib.db.words import FINAL_RUN_STATUSES, RunKind, RunStatus
from echomind_lib.pb.echomind.public.v1 import run_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent, WarningCode
from echomind_lib.text import normalized

_ENDS: Final[frozenset[RunStatus]] = frozenset({"cancelled", "timeout"})

TRANSITIONS: Final[Mapping[RunStatus, frozenset[RunStatus]]] = {
    "queued": _ENDS | {"running", "paused"},
    # Back to queued: a worker that stops releases its runs.
    "running": _ENDS | {"queued", "completed", "failed", "waiting_for_input", "waiting_for_children", "paused"},
    # To paused: an answer must not resume a sub-agent whose tree is paused. When it is resumed, it asks again.
    "waiting_for_input": _ENDS | {"queued", "paused"},
    "waiting_for_children": _ENDS | {"queued", "paused"},
    "paused": _ENDS | {"queued"},
    "completed": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
    "timeout": frozenset(),
}
"""Allowed transitions, from the key to any of the values. Final states have none."""


def is_final(status: str) -> bool:
    """Returns whether a run with this status has ended."""
    return status in FINAL_RUN_STATUSES


def sources_of(target: RunStatus) -> list[RunStatus]:
    """Returns the states from which a run may change to `target`."""
    return [status for status, targets in TRANSITIONS.items() if target in targets]


def run_status(status: RunStatus) -> run_pb2.RunStatus.ValueType:
    """Returns the API's enum value of a status."""
    return run_pb2.RunStatus.Value(f"RUN_STATUS_{status.upper()}")


def run_kind(kind: RunKind) -> run_pb2.RunKind.ValueType:
    """Returns the API's enum value of a kind."""
    return run_pb2.RunKind.Value(f"RUN_KIND_{kind.upper()}")


def status_event(status: RunStatus, text: str, attempt: int = 0) -> SessionEvent:
    """Returns the event of a run's new status, which is not final."""
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS, text=text)
    event.status.status = run_status(status)
    if attempt:
        event.status.attempt = attempt
    return event


def warning_event(code: WarningCode.ValueType, text: str, subject: str = "") -> SessionEvent:
    """Returns the event of a warning.

    Args:
        code: The kind of warning.
        text: One line of text, in English.
        subject: The subject, whose meaning depends on the code.
    """
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_WARNING, text=normalized(text))
    event.warning.code, event.warning.subject = code, normalized(subject)
    return event
