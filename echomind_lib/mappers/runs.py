"""Runs and their steps."""

from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import AUDIT
from echomind_lib.models.public import Run, RunError, Step

ROW: Final = rows.Run
MODEL: Final = Run
INTERNAL: Final = {
    "user_id": "runs are listed for their owner; superadmins see the session's",
    "parent_step_id": "the step says which runs it started",
    "assistant_version": "not offered yet",
    "goal": "not offered yet",
    "inherited_context": "a part of the prompt, which the steps hold",
    "ask_clarifications": "not offered yet",
    "auto_run": "not offered yet",
    "state": "the agent's own notes",
    "pending_input": "not offered yet",
    "final_output": "the message, which is offered by its id",
    "result_summary": "not offered yet",
    "worker_id": "which process has the run is for administrators",
    "retry_count": "counted in `attempt`",
    "max_retries": "a limit of the system's",
    "control_requested": "the status follows at once",
    "request_id": "the caller's own",
    "external_id": "of imported runs",
    "otel_trace_id": "for administrators",
    "metadata_": "of imported runs",
    "last_update": "the events say what happened when",
    **AUDIT,
}
DERIVED: Final = {"message_id": "the message whose `run_id` it is"}


def to_model(row: Any) -> Run:
    """The run of a row that also has `message_id`."""
    return Run.model_validate(row, from_attributes=True)


def to_error(error: dict[str, str] | None) -> RunError | None:
    """The error of a run's column."""
    return RunError(reason=error["reason"], message=error["message"]) if error else None


def to_step(row: Any) -> Step:
    """The step of a row that also has `output` and `tool_calls`."""
    return Step.model_validate(row, from_attributes=True)
