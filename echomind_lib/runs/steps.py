"""The steps of a run in a worker's hands, each recorded before its tools run. Fenced as `lease` says."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import asyncpg

from echomind_lib.db.words import StepAction, StepStatus, StepType, ToolCallStatus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1.run_pb2 import RunEvent
from echomind_lib.runs.events import GIVEN, columns, complete, insert_events
from echomind_lib.runs.lease import LeaseLostError, Taken

_FENCE = """
WITH run AS (
    UPDATE runs
    SET steps_executed = steps_executed + $3, tools_called = tools_called + $4,
        prompt_tokens = prompt_tokens + $5, completion_tokens = completion_tokens + $6
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
    side_effect: bool = False


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
    reasoning: str = ""
    error_message: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tool_calls: list[NewToolCall] = field(default_factory=list)


STEP_INSERT = """
step AS (
    INSERT INTO steps (run_id, step_number, step_type, action, status, llm_model, llm_input, llm_output, reasoning,
        error_message, is_parallel, wait_strategy, parallel_status, prompt_tokens, completion_tokens, started_at,
        completed_at, execution_duration_ms)
    SELECT run.id, run.steps_executed, new.step_type, new.action, new.status, new.llm_model, new.llm_input,
        new.llm_output, NULLIF(new.reasoning, ''), NULLIF(new.error_message, ''), new.is_parallel,
        CASE WHEN new.is_parallel THEN 'all' END, CASE WHEN new.is_parallel THEN 'waiting' END,
        new.prompt_tokens, new.completion_tokens, new.started_at,
        CASE WHEN new.status <> 'running' THEN now() END,
        CASE WHEN new.status <> 'running' THEN (extract(epoch FROM now() - new.started_at) * 1000)::int END
    FROM run, jsonb_to_record($7::jsonb) AS new (step_type text, action text, status text, llm_model text,
        llm_input jsonb, llm_output jsonb, reasoning text, error_message text, is_parallel boolean, prompt_tokens int,
        completion_tokens int, started_at timestamptz)
    WHERE $7::jsonb IS NOT NULL
    RETURNING id, step_number
),"""

_RECORD_STEP = (
    _FENCE
    + STEP_INSERT
    + """
calls AS (
    INSERT INTO tool_calls (step_id, tool_call_id, tool_name, parameters, side_effect, status, started_at)
    SELECT step.id, new.tool_call_id, new.tool_name, new.parameters, new.side_effect, 'running', now()
    FROM step, jsonb_to_recordset($8::jsonb) AS new (tool_call_id text, tool_name text, parameters jsonb,
        side_effect boolean)
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
        "reasoning": step.reasoning,
        "error_message": step.error_message,
        "is_parallel": len(step.tool_calls) > 1,
        "prompt_tokens": step.prompt_tokens,
        "completion_tokens": step.completion_tokens,
        "started_at": step.started_at.isoformat(),
    }


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a record gave back."""

    step_id: int
    control_requested: str | None
    stored: EventsStored


async def record_step(pool: asyncpg.Pool, taken: Taken, step: NewStep, events: Sequence[RunEvent]) -> Recorded:
    """Commits a step and its calls, before any of them runs.

    Raises:
        LeaseLostError: the run is not this worker's any more.
    """
    calls = [
        {
            "tool_call_id": call.tool_call_id,
            "tool_name": call.tool_name,
            "parameters": call.parameters,
            "side_effect": call.side_effect,
        }
        for call in step.tool_calls
    ]
    row = await pool.fetchrow(
        _RECORD_STEP,
        taken.run_id,
        taken.attempt,
        1,
        len(calls),
        step.prompt_tokens,
        step.completion_tokens,
        step_record(step),
        calls,
        *columns(events),
    )
    if row is None:
        raise LeaseLostError
    return Recorded(row["step_id"], row["control_requested"], complete(events, row, taken.session_id, taken.run_id))


_RECORD_RESULT = (
    """
WITH run AS (
    UPDATE runs SET attempt = attempt WHERE id = $1 AND attempt = $2 AND status = 'running'
    RETURNING id, chat_session_id, control_requested
),
call AS (
    UPDATE tool_calls
    SET status = $5::text, result = $6, error_message = NULLIF($7, ''), retry_count = $8, completed_at = now(),
        progress_percentage = CASE WHEN $5::text = 'completed' THEN 100 ELSE progress_percentage END,
        execution_duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int
    FROM run WHERE step_id = $3 AND tool_call_id = $4
    RETURNING tool_calls.id
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(9, 10, 11))
    + "SELECT run.control_requested, stored_events.* FROM run, stored_events"
)


async def record_result(
    pool: asyncpg.Pool,
    taken: Taken,
    step_id: int,
    tool_call_id: str,
    status: ToolCallStatus,
    result: str,
    error_message: str,
    retries: int,
    events: Sequence[RunEvent],
) -> EventsStored:
    """Commits the result of one call, on arrival.

    Raises:
        LeaseLostError: the run is not this worker's any more.
    """
    row = await pool.fetchrow(
        _RECORD_RESULT,
        taken.run_id,
        taken.attempt,
        step_id,
        tool_call_id,
        status,
        result,
        error_message,
        retries,
        *columns(events),
    )
    if row is None:
        raise LeaseLostError
    return complete(events, row, taken.session_id, taken.run_id)


_FINISH_STEP = """
UPDATE steps SET status = $3, output_data = $4, parallel_status = CASE WHEN is_parallel THEN 'completed' END,
    completed_at = now(), execution_duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int
WHERE id = $1 AND run_id = $2 AND EXISTS (SELECT FROM runs WHERE id = $2 AND attempt = $5 AND status = 'running')
"""


async def finish_step(pool: asyncpg.Pool, taken: Taken, step_id: int, status: StepStatus, output: Any) -> None:
    """Marks a step whose calls are all done."""
    await pool.execute(_FINISH_STEP, step_id, taken.run_id, status, output, taken.attempt)
