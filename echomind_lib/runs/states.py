"""Which state a run may go to from which. The one table; the SQL in this package follows it."""

from collections.abc import Mapping
from typing import Final

from echomind_lib.db.words import ACTIVE_RUN_STATUSES, FINAL_RUN_STATUSES, RunStatus

_ENDS: Final[frozenset[RunStatus]] = frozenset({"cancelled", "timeout"})

TRANSITIONS: Final[Mapping[RunStatus, frozenset[RunStatus]]] = {
    "queued": _ENDS | {"running", "paused"},
    # Back to queued: a worker that stops hands its runs over.
    "running": _ENDS | {"queued", "completed", "failed", "waiting_for_input", "waiting_for_children", "paused"},
    # To paused: an answer must not set a sub-agent to work whose tree is paused. When it is resumed, it asks again.
    "waiting_for_input": _ENDS | {"queued", "paused"},
    "waiting_for_children": _ENDS | {"queued", "paused"},
    "paused": _ENDS | {"queued"},
    "completed": frozenset(),
    "failed": frozenset(),
    "cancelled": frozenset(),
    "timeout": frozenset(),
}
"""A run may go from the key to any of the value. Final states are never left."""


def is_final(status: str) -> bool:
    """Whether a run with this status has ended."""
    return status in FINAL_RUN_STATUSES


def sources_of(target: RunStatus) -> list[RunStatus]:
    """The states from which a run may go to `target`."""
    return [status for status, targets in TRANSITIONS.items() if target in targets]


__all__ = ["ACTIVE_RUN_STATUSES", "FINAL_RUN_STATUSES", "TRANSITIONS", "is_final", "sources_of"]
