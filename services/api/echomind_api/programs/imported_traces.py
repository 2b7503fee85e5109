"""Runs and steps of imported traces: what an agent of another program did for a question.

They are shown like those of this installation, but no model was called for them here, and nothing resumes them.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from echomind_lib.db.words import RunStatus, StepStatus, StepType
from echomind_lib.text import normalized, single_line, storable_tree

_STATUSES: Final[Mapping[str, RunStatus]] = {
    "failed": "failed",
    "error": "failed",
    "in_progress": "cancelled",
    "cancelled": "cancelled",
    "timeout": "timeout",
}
_TYPES: Final[tuple[tuple[str, StepType], ...]] = (("planner", "planner"), ("synthes", "synthesizer"))
_ERROR_CHARACTERS: Final = 2_000
_NAME_CHARACTERS: Final = 200
MAX_STEPS: Final = 10_000
"""Maximum number of steps of an imported run."""
_BETWEEN: Final = "\n\n"

ReadTime = Callable[[object], datetime | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedStep:
    """A step of a trace."""

    step_type: StepType
    status: StepStatus
    prompt: str
    output: str
    model: str
    error: str
    created_at: datetime | None
    row: Any
    """What the file has of it, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTrace:
    """A trace: how a question was answered."""

    id: str
    status: RunStatus
    error: str
    completed_at: datetime | None
    row: Any
    """What the file has of it, as JSON."""
    steps: tuple[ImportedStep, ...]
    merged_steps: int = 0
    """Number of its steps that are together in the last one of `steps`."""


def read_trace(value: Mapping[str, Any], time: ReadTime) -> ImportedTrace:
    """Returns a trace as `TraceFile` of the command line writes it; every value may have another type.

    Args:
        value: The trace.
        time: Returns a time, or None if it cannot be right.
    """
    given = value.get("steps")
    listed = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    steps = [_step(each, time) for each in listed]
    first, rest = steps[: MAX_STEPS - 1], steps[MAX_STEPS - 1 :]
    return ImportedTrace(
        id=single_line(_text(value.get("id")), _NAME_CHARACTERS),
        status=_STATUSES.get(_text(value.get("status")).lower(), "completed"),
        error=_text(value.get("error"))[:_ERROR_CHARACTERS],
        completed_at=time(value.get("completed_at")),
        row=storable_tree(value.get("metadata")),
        steps=(*first, _merged(rest)) if len(rest) > 1 else tuple(steps),
        merged_steps=len(rest) if len(rest) > 1 else 0,
    )


def with_session(trace: ImportedTrace, session: Any, text: str) -> ImportedTrace:
    """Returns a trace with a further first step that shows what the file has of its session.

    Args:
        trace: The first trace of the session.
        session: The session, as JSON.
        text: The same as text.
    """
    step = ImportedStep(
        step_type="action",
        status="completed",
        prompt="",
        output=text,
        model="",
        error="",
        created_at=trace.steps[0].created_at if trace.steps else None,
        row=storable_tree(session),
    )
    return replace(trace, steps=(step, *trace.steps))


def _merged(steps: list[ImportedStep]) -> ImportedStep:
    """Returns one step with the texts and rows of several ones."""
    errors = [step.error for step in steps if step.error]
    return replace(
        steps[-1],
        status="failed" if errors else "completed",
        prompt=_BETWEEN.join(step.prompt for step in steps if step.prompt),
        output=_BETWEEN.join(step.output for step in steps if step.output),
        error=_BETWEEN.join(errors)[:_ERROR_CHARACTERS],
        created_at=steps[0].created_at,
        row=[step.row for step in steps],
    )


def _step(value: Mapping[str, Any], time: ReadTime) -> ImportedStep:
    kind, error = _text(value.get("type")).lower(), _text(value.get("error"))
    return ImportedStep(
        step_type=next((step_type for name, step_type in _TYPES if kind.startswith(name)), "action"),
        status="failed" if error else "completed",
        prompt=_text(value.get("prompt")),
        output=_text(value.get("output")),
        model=single_line(_text(value.get("model")), _NAME_CHARACTERS),
        error=error[:_ERROR_CHARACTERS],
        created_at=time(value.get("created_at")),
        row=storable_tree(value.get("row")),
    )


def _text(value: object) -> str:
    if value is None:
        return ""
    return normalized(value if isinstance(value, str) else json.dumps(value, ensure_ascii=True))
