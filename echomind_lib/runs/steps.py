"""The steps of a run in a worker's hands, each recorded before its tools run. Fenced as `lease` says."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from echomind_lib.db.words import (
    ParallelStatus,
    StepAction,
    StepStatus,
    StepType,
    ToolApproval,
    ToolCallStatus,
    WaitStrategy,
)
from echomind_lib.events.log import GIVEN, complete, insert_events
from echomind_lib.events.statements import columns
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.lease import LeaseLostError, RunLease

Connection = asyncpg.Pool | PoolConnectionProxy

_FENCE = """
WITH run AS (
    UPDATE runs
    SET steps_executed = steps_executed + $3, tools_called = tools_called + $4,
        prompt_tokens = prompt_tokens + $5, completion_tokens = completion_tokens + $6,
        cost = COALESCE(cost, 0) + $12, seconds_spent = GREATEST(seconds_spent, $13),
        retry_count = 0  -- only interruptions without progress count against it
    WHERE id = $1 AND attempt = $2 AND status = 'running'
    RETURNING id, chat_session_id, steps_executed, control_requested
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""


@dataclass(slots=True)
class NewToolCall:
    """A call that the model asked for."""

    tool_call_id: str
    tool_name: str
    parameters: dict[str, Any]
    status: ToolCallStatus = "running"
    """`running` for one that is made at once, `pending` for one that waits for something first."""
    side_effect: bool = False
    approval: ToolApproval | None = None
    max_retries: int = 0


@dataclass(slots=True)
class NewStep:
    """A step as it is recorded: before its tools run, or with the answer."""

    step_type: StepType
    action: StepAction
    status: StepStatus
    llm_model: str
    llm_input: list[dict[str, Any]]
    """Messages that this step adds to the prompt of the step before."""
    llm_output: dict[str, Any]
    started_at: datetime
    input_data: dict[str, Any] | None = None
    """What its prompt left out."""
    output_data: dict[str, Any] | None = None
    reasoning: str = ""
    error_message: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    wait_strategy: WaitStrategy = "all"
    tool_calls: list[NewToolCall] = field(default_factory=list)


STEP_INSERT = """
step AS (
    INSERT INTO steps (run_id, step_number, step_type, action, status, llm_model, llm_input, llm_output, reasoning,
        error_message, input_data, output_data, is_parallel, wait_strategy, parallel_status, prompt_tokens,
        completion_tokens, started_at, completed_at, execution_duration_ms)
    SELECT run.id, run.steps_executed, new.step_type, new.action, new.status, new.llm_model, new.llm_input,
        new.llm_output, NULLIF(new.reasoning, ''), NULLIF(new.error_message, ''), new.input_data, new.output_data,
        new.is_parallel, CASE WHEN new.is_parallel THEN new.wait_strategy END,
        CASE WHEN new.is_parallel THEN 'waiting' END, new.prompt_tokens, new.completion_tokens, new.started_at,
        CASE WHEN new.status <> 'running' THEN now() END,
        CASE WHEN new.status <> 'running' THEN (extract(epoch FROM now() - new.started_at) * 1000)::int END
    FROM run, jsonb_to_record($7::jsonb) AS new (step_type text, action text, status text, llm_model text,
        llm_input jsonb, llm_output jsonb, reasoning text, error_message text, input_data jsonb, output_data jsonb,
        is_parallel boolean, wait_strategy text, prompt_tokens int, completion_tokens int, started_at timestamptz)
    WHERE $7::jsonb IS NOT NULL
    RETURNING id, step_number
),"""

_RECORD_STEP = (
    _FENCE
    + STEP_INSERT
    + """
calls AS (
    INSERT INTO tool_calls (step_id, tool_call_id, tool_name, parameters, side_effect, approval, status, max_retries,
        started_at)
    SELECT step.id, new.tool_call_id, new.tool_name, new.parameters, new.side_effect, new.approval, new.status,
        new.max_retries, CASE WHEN new.status = 'running' THEN now() END
    FROM step, jsonb_to_recordset($8::jsonb) AS new (tool_call_id text, tool_name text, parameters jsonb,
        side_effect boolean, approval text, status text, max_retries int)
    RETURNING id
),"""
    + insert_events(GIVEN.format(9, 10, 11))
    + """
SELECT run.control_requested, run.steps_executed, (SELECT id FROM step) AS step_id,
    (SELECT count(*) FROM calls) AS calls, stored_events.*
FROM run, stored_events
"""
)


def step_record(step: NewStep) -> dict[str, Any]:
    """The step as the parameter `$7` of `STEP_INSERT`."""
    return {
        "step_type": step.step_type,
        "action": step.action,
        "status": step.status,
        "llm_model": step.llm_model,
        "llm_input": step.llm_input,
        "llm_output": step.llm_output,
        "input_data": step.input_data or None,
        "output_data": step.output_data,
        "reasoning": step.reasoning,
        "error_message": step.error_message,
        "is_parallel": len(step.tool_calls) > 1,
        "wait_strategy": step.wait_strategy,
        "prompt_tokens": step.prompt_tokens,
        "completion_tokens": step.completion_tokens,
        "started_at": step.started_at.isoformat(),
    }


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a record gave back."""

    step_id: int
    step_number: int
    control_requested: str | None
    stored: EventsStored


async def record_step(
    pool: asyncpg.Pool,
    taken: RunLease,
    step: NewStep,
    events: Sequence[SessionEvent],
    *,
    cost: float = 0.0,
    seconds: float = 0.0,
) -> Recorded:
    """Commits a step and its calls, before any of them runs.

    Args:
        pool: The database.
        taken: The run.
        step: The step.
        events: What people are told.
        cost: US dollars that the step's model call cost.
        seconds: Seconds that the run has worked so far.

    Raises:
        LeaseLostError: the run is not this worker's any more.
    """
    row = await pool.fetchrow(
        _RECORD_STEP,
        taken.run_id,
        taken.attempt,
        1,
        len(step.tool_calls),
        step.prompt_tokens,
        step.completion_tokens,
        step_record(step),
        [asdict(call) for call in step.tool_calls],
        *columns(events),
        cost,
        seconds,
    )
    if row is None:
        raise LeaseLostError
    return Recorded(
        row["step_id"],
        row["steps_executed"],
        row["control_requested"],
        complete(events, row, taken.session_id, taken.run_id),
    )


_DISCARD = """
WITH run AS (
    SELECT id FROM runs WHERE id = $1 AND attempt = $2 AND status = 'running' FOR NO KEY UPDATE
),
step AS (
    UPDATE steps SET discarded = true FROM run WHERE steps.run_id = run.id AND steps.step_number = ANY($3::int[])
)
SELECT id FROM run
"""


async def discard_steps(pool: asyncpg.Pool, taken: RunLease, numbers: Sequence[int]) -> None:
    """Marks steps that are left out of later prompts.

    Raises:
        LeaseLostError: the run is not this worker's any more.
    """
    if await pool.fetchval(_DISCARD, taken.run_id, taken.attempt, numbers) is None:
        raise LeaseLostError


_RUN = """
WITH run AS (
    UPDATE runs SET tainted = tainted OR $3 WHERE id = $1 AND attempt = $2 AND status = 'running'
    RETURNING id, chat_session_id, control_requested
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""

_RECORD_RESULT = (
    _RUN
    + """
call AS (
    UPDATE tool_calls
    SET status = $6::text, result = $7, error_message = NULLIF($8, ''), retry_count = $9, completed_at = now(),
        sources = $15,
        progress_percentage = CASE WHEN $6::text = 'completed' THEN 100 ELSE progress_percentage END,
        external_status = CASE WHEN external_task_id IS NOT NULL THEN $6::text END,
        execution_duration_ms = (extract(epoch FROM now() - COALESCE(started_at, now())) * 1000)::int
    FROM run WHERE step_id = $4 AND tool_call_id = $5 AND tool_calls.status IN ('pending', 'running')
    RETURNING tool_calls.id
),
step AS (
    UPDATE steps
    SET parallel_status = CASE WHEN is_parallel THEN $10 END,
        status = CASE WHEN $11 THEN 'completed' ELSE steps.status END,
        completed_at = CASE WHEN $11 THEN now() END,
        execution_duration_ms = CASE WHEN $11 THEN (extract(epoch FROM now() - started_at) * 1000)::int END
    FROM run WHERE steps.id = $4 AND ($11 OR is_parallel)
),"""
    + insert_events(GIVEN.format(12, 13, 14))
    + "SELECT run.control_requested, stored_events.* FROM run, stored_events"
)


@dataclass(frozen=True, slots=True)
class NewResult:
    """How a call went."""

    tool_call_id: str
    status: ToolCallStatus
    result: str
    """For the model."""
    error_message: str = ""
    retries: int = 0
    tainted: bool = False
    """Whether it holds untrusted text."""
    sources: list[dict[str, Any]] | None = None
    """The sources that its text holds, with their numbers, as ProtoJSON of `Source`; None for none."""


async def record_result(
    pool: asyncpg.Pool,
    taken: RunLease,
    step_id: int,
    result: NewResult,
    events: Sequence[SessionEvent],
    *,
    parallel_status: ParallelStatus = "completed",
    completes_step: bool = False,
) -> tuple[EventsStored, str | None]:
    """Commits the result of one call, on arrival.

    Args:
        pool: The database.
        taken: The run.
        step_id: The call's step.
        result: How it went.
        events: What people are told.
        parallel_status: How far a step with several calls is then.
        completes_step: Whether the step needs nothing more.

    Returns:
        The events, and what a person asks of the run at this moment.

    Raises:
        LeaseLostError: the run is not this worker's any more.
    """
    row = await pool.fetchrow(
        _RECORD_RESULT,
        taken.run_id,
        taken.attempt,
        result.tainted,
        step_id,
        result.tool_call_id,
        result.status,
        result.result,
        result.error_message,
        result.retries,
        parallel_status,
        completes_step,
        *columns(events),
        result.sources,
    )
    if row is None:
        raise LeaseLostError
    return complete(events, row, taken.session_id, taken.run_id), row["control_requested"]


_CLOSE_STEP = (
    _RUN
    + """
calls AS (
    UPDATE tool_calls
    SET status = 'cancelled', error_message = $5, completed_at = now(),
        execution_duration_ms = (extract(epoch FROM now() - COALESCE(started_at, now())) * 1000)::int
    FROM run WHERE step_id = $4 AND tool_calls.status IN ('pending', 'running')
),
step AS (
    UPDATE steps
    SET status = 'completed', parallel_status = CASE WHEN is_parallel THEN 'completed' END, completed_at = now(),
        execution_duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int
    FROM run WHERE steps.id = $4 AND steps.status = 'running'
),"""
    + insert_events(GIVEN.format(6, 7, 8))
    + "SELECT stored_events.* FROM run, stored_events"
)


async def close_step(
    pool: asyncpg.Pool, taken: RunLease, step_id: int, reason: str, events: Sequence[SessionEvent]
) -> EventsStored:
    """Completes a step whose wait strategy holds; its calls that are still open are cancelled for `reason`.

    Raises:
        LeaseLostError: the run is not this worker's any more.
    """
    row = await pool.fetchrow(_CLOSE_STEP, taken.run_id, taken.attempt, False, step_id, reason, *columns(events))
    if row is None:
        raise LeaseLostError
    return complete(events, row, taken.session_id, taken.run_id)


_TOUCH_CALL = (
    _RUN
    + """
call AS (
    UPDATE tool_calls
    SET status = 'running', started_at = COALESCE(started_at, now()),
        progress_percentage = GREATEST(progress_percentage, $6), status_message = COALESCE($7, status_message),
        external_task_id = COALESCE($8, external_task_id), external_status = COALESCE($9, external_status)
    FROM run WHERE step_id = $4 AND tool_call_id = $5 AND tool_calls.status IN ('pending', 'running')
),"""
    + insert_events(GIVEN.format(10, 11, 12))
    + "SELECT stored_events.* FROM run, stored_events"
)


async def touch_call(
    pool: Connection,
    taken: RunLease,
    step_id: int,
    tool_call_id: str,
    events: Sequence[SessionEvent],
    *,
    percentage: int = 0,
    message: str | None = None,
    external_task_id: str | None = None,
    external_status: str | None = None,
) -> EventsStored:
    """Notes that a call is going on: begun, how far it is, and what it has started elsewhere.

    Raises:
        LeaseLostError: the run is not this worker's any more.
    """
    row = await pool.fetchrow(
        _TOUCH_CALL,
        taken.run_id,
        taken.attempt,
        False,
        step_id,
        tool_call_id,
        percentage,
        message,
        external_task_id,
        external_status,
        *columns(events),
    )
    if row is None:
        raise LeaseLostError
    return complete(events, row, taken.session_id, taken.run_id)
