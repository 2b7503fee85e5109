"""The steps of a run that a worker executes; each is recorded before its tool calls run. See `fence`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import asyncpg
import msgspec

from echomind_lib.db.words import (
    ParallelStatus,
    RunControl,
    StepAction,
    StepStatus,
    StepType,
    ToolApproval,
    ToolCallStatus,
    WaitStrategy,
)
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.asker import Asker
from echomind_lib.runs.elicitation import Elicitation
from echomind_lib.runs.fence import LeaseLostError, RunLease, append_fenced
from echomind_lib.runs.step_statements import (
    ASK_PERSON,
    CLOSE_STEP,
    EXCLUDE_STEPS,
    RECORD_RESULT,
    RECORD_STEP,
    TOUCH_CALL,
)


@dataclass(slots=True)
class NewToolCall:
    """A tool call requested by the model."""

    tool_call_id: str
    tool_name: str
    parameters: dict[str, Any]
    status: ToolCallStatus = "running"
    """`running` for a call that starts at once, `pending` for one that has to wait."""
    side_effect: bool = False
    approval: ToolApproval | None = None
    max_retries: int = 0


@dataclass(slots=True, kw_only=True)
class NewStep:
    """A step to record: before its tool calls run, or with the answer."""

    step_type: StepType
    action: StepAction
    status: StepStatus
    llm_model: str
    llm_input: list[dict[str, Any]]
    """Messages that this step adds to the previous step's prompt."""
    llm_output: dict[str, Any]
    started_at: datetime
    input_data: dict[str, Any] | None = None
    """What its prompt omitted."""
    output_data: dict[str, Any] | None = None
    reasoning: str = ""
    error_message: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    wait_strategy: WaitStrategy = "all"
    tool_calls: list[NewToolCall] = field(default_factory=list)


def step_record(step: NewStep | None) -> list[dict[str, Any]]:
    """Returns the parameter `step` of `inserted_step`; None stands for no step."""
    if step is None:
        return []
    return [
        {
            "step_type": step.step_type,
            "action": step.action,
            "status": step.status,
            "llm_model": step.llm_model,
            "llm_input": step.llm_input,
            "llm_output": step.llm_output,
            "input_data": step.input_data or None,
            "output_data": step.output_data,
            "reasoning": step.reasoning or None,
            "error_message": step.error_message or None,
            "is_parallel": len(step.tool_calls) > 1,
            "wait_strategy": step.wait_strategy,
            "prompt_tokens": step.prompt_tokens,
            "completion_tokens": step.completion_tokens,
            "started_at": step.started_at.isoformat(),
        }
    ]


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A step as it was recorded."""

    step_id: int
    step_number: int
    control_requested: RunControl | None
    """The control that is currently requested for the run."""
    asker: Asker
    """The account of the user that the run is for, as it was then."""


async def record_step(
    log: EventLog,
    lease: RunLease,
    step: NewStep,
    events: Sequence[SessionEvent],
    *,
    cost: float = 0.0,
    seconds: float = 0.0,
    first_token_ms: int | None = None,
) -> RecordedStep:
    """Commits a step and its calls, before any of them runs.

    Args:
        log: The event log.
        lease: The run.
        step: The step.
        events: Its events.
        cost: US dollars that the step's model call cost.
        seconds: Active seconds of the run so far.
        first_token_ms: Milliseconds from its first claim until its model began to answer.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    row = await append_fenced(
        log,
        RECORD_STEP,
        lease,
        events,
        step=step_record(step),
        calls=[msgspec.to_builtins(call) for call in step.tool_calls],
        tools_called=len(step.tool_calls),
        prompt_tokens=step.prompt_tokens,
        completion_tokens=step.completion_tokens,
        cost=cost,
        seconds=seconds,
        first_token_ms=first_token_ms,
    )
    return RecordedStep(row.step_id, row.step_number, row.control_requested, row.asker)


async def exclude_steps(pool: asyncpg.Pool, lease: RunLease, numbers: Sequence[int]) -> None:
    """Excludes steps from later prompts.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    row = await EXCLUDE_STEPS.fetch_one(pool, run_id=lease.run_id, attempt=lease.attempt, numbers=numbers)
    if row is None:
        raise LeaseLostError


@dataclass(frozen=True, slots=True)
class NewResult:
    """The result of a call."""

    tool_call_id: str
    status: ToolCallStatus
    result: str
    """For the model."""
    error_message: str = ""
    retries: int = 0
    untrusted: bool = False
    """Whether it contains untrusted text."""
    sources: list[dict[str, Any]] | None = None
    """The sources in its text, with their numbers, as ProtoJSON of `Source`; None for none."""
    document_ids: Sequence[int] = ()
    """The documents of these sources, on which the session draws from here on."""


async def record_result(
    log: EventLog,
    lease: RunLease,
    step_id: int,
    result: NewResult,
    events: Sequence[SessionEvent],
    *,
    parallel_status: ParallelStatus = "completed",
    completes_step: bool = False,
) -> RunControl | None:
    """Commits the result of one call, on arrival.

    Args:
        log: The event log.
        lease: The run.
        step_id: The call's step.
        result: The outcome.
        events: Its events.
        parallel_status: Progress of the step after this result, if it has several calls.
        completes_step: Whether it completes the step.

    Returns:
        The control that is currently requested for the run.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    row = await append_fenced(
        log,
        RECORD_RESULT,
        lease,
        events,
        step_id=step_id,
        tool_call_id=result.tool_call_id,
        status=result.status,
        result=result.result,
        error_message=result.error_message or None,
        retries=result.retries,
        untrusted=result.untrusted,
        sources=result.sources,
        # Sorted, so that runs of a session that record the same documents concurrently lock them in the same order.
        document_ids=sorted(set(result.document_ids)),
        parallel_status=parallel_status,
        completes_step=completes_step,
    )
    return row.control_requested


async def close_step(log: EventLog, lease: RunLease, step_id: int, reason: str, events: Sequence[SessionEvent]) -> None:
    """Completes a step whose wait strategy is satisfied; its open calls are cancelled with `reason`.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    await append_fenced(log, CLOSE_STEP, lease, events, step_id=step_id, reason=reason)


async def ask_person(
    log: EventLog,
    lease: RunLease,
    step_id: int,
    tool_call_id: str,
    elicitation: Elicitation,
    events: Sequence[SessionEvent],
) -> None:
    """Records what an MCP server asks a person: the call waits, and is made again with the answers.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    await append_fenced(
        log,
        ASK_PERSON,
        lease,
        events,
        step_id=step_id,
        tool_call_id=tool_call_id,
        elicitation=elicitation.stored(),
    )


async def touch_call(
    log: EventLog | LogTransaction,
    lease: RunLease,
    step_id: int,
    tool_call_id: str,
    events: Sequence[SessionEvent],
    *,
    percentage: int = 0,
    message: str | None = None,
    external_task_id: str | None = None,
    external_status: str | None = None,
) -> None:
    """Records the progress of a running call: its start, its progress, and the external task that it has started.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    await append_fenced(
        log,
        TOUCH_CALL,
        lease,
        events,
        step_id=step_id,
        tool_call_id=tool_call_id,
        percentage=percentage,
        message=message,
        external_task_id=external_task_id,
        external_status=external_status,
    )
