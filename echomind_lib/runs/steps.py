"""The steps of a run in a worker's hands, each recorded before its tools run. Fenced as `fence` says."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import CTE, ColumnElement, Integer, Text, any_, bindparam, case, func, insert, select, true, update
from sqlalchemy.dialects.postgresql import ARRAY

from echomind_lib.db.expressions import json_rows, milliseconds_since
from echomind_lib.db.models.runs import Run, Step, ToolCall
from echomind_lib.db.statements import Query
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
from echomind_lib.events.statements import StoredIds, given_events, stored_events
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.fence import LeaseLostError, append_fenced, exists_in, fenced
from echomind_lib.runs.lease import RunLease


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


_RECORDED = (
    Step.step_type,
    Step.action,
    Step.status,
    Step.llm_model,
    Step.llm_input,
    Step.llm_output,
    Step.input_data,
    Step.output_data,
    Step.reasoning,
    Step.error_message,
    Step.is_parallel,
    Step.prompt_tokens,
    Step.completion_tokens,
    Step.started_at,
)
"""The columns of a step that are stored as `step_record` has them."""


def inserted_step(run: CTE) -> CTE:
    """Returns a CTE with the `id` of a step that it adds to a run; empty when the parameter `step` is.

    Args:
        run: The run, with `run_id` and `steps_executed`, which counts this step already.
    """
    new = json_rows("step", *_RECORDED, Step.wait_strategy)
    is_over = new.c.status != "running"
    more = {
        Step.run_id: run.c.run_id,
        Step.step_number: run.c.steps_executed,
        Step.wait_strategy: case((new.c.is_parallel, new.c.wait_strategy)),
        Step.parallel_status: case((new.c.is_parallel, "waiting")),
        Step.completed_at: case((is_over, func.now())),
        Step.execution_duration_ms: case((is_over, milliseconds_since(new.c.started_at))),
    }
    names = [*more, *_RECORDED]
    values = [*more.values(), *(new.c[column.key] for column in _RECORDED)]
    return insert(Step).from_select(names, select(*values).join_from(run, new, true())).returning(Step.id).cte("step")


def step_record(step: NewStep | None) -> list[dict[str, Any]]:
    """Returns a step as the parameter `step` of `inserted_step`; None is no step."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _RecordedStep(StoredIds):
    step_id: int
    step_number: int
    control_requested: RunControl | None


def _record_step() -> Query[_RecordedStep]:
    run = fenced(
        Run.steps_executed,
        Run.control_requested,
        steps_executed=Run.steps_executed + 1,
        tools_called=Run.tools_called + bindparam("tools_called"),
        prompt_tokens=Run.prompt_tokens + bindparam("prompt_tokens"),
        completion_tokens=Run.completion_tokens + bindparam("completion_tokens"),
        cost=func.coalesce(Run.cost, 0) + bindparam("cost"),
        seconds_spent=func.greatest(Run.seconds_spent, bindparam("seconds")),
        retry_count=0,  # only interruptions without progress count against it
    )
    step = inserted_step(run)
    given = (
        ToolCall.tool_call_id,
        ToolCall.tool_name,
        ToolCall.parameters,
        ToolCall.side_effect,
        ToolCall.approval,
        ToolCall.status,
        ToolCall.max_retries,
    )
    new = json_rows("calls", *given)
    started_at = case((new.c.status == "running", func.now()))
    calls = (
        insert(ToolCall)
        .from_select(
            [ToolCall.step_id, ToolCall.started_at, *given],
            select(step.c.id, started_at, *(new.c[column.key] for column in given)).join_from(step, new, true()),
        )
        .cte("calls")
    )
    stored = stored_events(run, given_events())
    return Query(
        select(
            stored,
            step.c.id.label("step_id"),
            run.c.steps_executed.label("step_number"),
            run.c.control_requested,
        )
        .select_from(stored.join(run, true()).join(step, true()))
        .add_cte(calls),
        _RecordedStep,
    )


_RECORD_STEP: Final = _record_step()


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """A step as it was recorded."""

    step_id: int
    step_number: int
    control_requested: RunControl | None
    """What a person asks of the run at this moment."""


async def record_step(
    log: EventLog,
    lease: RunLease,
    step: NewStep,
    events: Sequence[SessionEvent],
    *,
    cost: float = 0.0,
    seconds: float = 0.0,
) -> RecordedStep:
    """Commits a step and its calls, before any of them runs.

    Args:
        log: The event log.
        lease: The run.
        step: The step.
        events: Its events.
        cost: US dollars that the step's model call cost.
        seconds: Seconds that the run has worked so far.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    row = await append_fenced(
        log,
        _RECORD_STEP,
        lease,
        events,
        step=step_record(step),
        calls=[asdict(call) for call in step.tool_calls],
        tools_called=len(step.tool_calls),
        prompt_tokens=step.prompt_tokens,
        completion_tokens=step.completion_tokens,
        cost=cost,
        seconds=seconds,
    )
    return RecordedStep(row.step_id, row.step_number, row.control_requested)


def _exclude_steps() -> Query[UUID]:
    held = (
        select(Run.id)
        .where(Run.id == bindparam("run_id"), Run.attempt == bindparam("attempt"), Run.status == "running")
        .with_for_update(key_share=True)
        .cte("run")
    )
    excluded = (
        update(Step)
        .where(Step.run_id == held.c.id, Step.step_number == any_(bindparam("numbers", type_=ARRAY(Integer))))
        .values(discarded=True)
        .cte("excluded")
    )
    return Query(select(held.c.id).add_cte(excluded), UUID)


_EXCLUDE_STEPS: Final = _exclude_steps()


async def exclude_steps(pool: asyncpg.Pool, lease: RunLease, numbers: Sequence[int]) -> None:
    """Excludes steps from later prompts.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    row = await _EXCLUDE_STEPS.fetch_one(pool, run_id=lease.run_id, attempt=lease.attempt, numbers=numbers)
    if row is None:
        raise LeaseLostError


def _open_calls(run: CTE) -> Sequence[ColumnElement[bool]]:
    """The conditions of the calls of a step that have no result yet."""
    return (
        exists_in(run),
        ToolCall.step_id == bindparam("step_id"),
        ToolCall.status.in_(["pending", "running"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Controlled(StoredIds):
    control_requested: RunControl | None


def _record_result() -> Query[_Controlled]:
    run = fenced(Run.control_requested, tainted=Run.tainted | bindparam("tainted"))
    status = bindparam("status", type_=Text)
    call = (
        update(ToolCall)
        .where(*_open_calls(run), ToolCall.tool_call_id == bindparam("tool_call_id"))
        .values(
            status=status,
            result=bindparam("result"),
            error_message=bindparam("error_message"),
            retry_count=bindparam("retries"),
            completed_at=func.now(),
            sources=bindparam("sources"),
            progress_percentage=case((status == "completed", 100), else_=ToolCall.progress_percentage),
            external_status=case((ToolCall.external_task_id.is_not(None), status)),
            execution_duration_ms=milliseconds_since(func.coalesce(ToolCall.started_at, func.now())),
        )
        .cte("call")
    )
    completes = bindparam("completes_step", type_=Step.is_parallel.type)
    step = (
        update(Step)
        .where(exists_in(run), Step.id == bindparam("step_id"), completes | Step.is_parallel)
        .values(
            parallel_status=case((Step.is_parallel, bindparam("parallel_status", type_=Text))),
            status=case((completes, "completed"), else_=Step.status),
            completed_at=case((completes, func.now())),
            execution_duration_ms=case((completes, milliseconds_since(Step.started_at))),
        )
        .cte("step")
    )
    stored = stored_events(run, given_events())
    return Query(
        select(stored, run.c.control_requested).select_from(stored.join(run, true())).add_cte(call, step), _Controlled
    )


_RECORD_RESULT: Final = _record_result()


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
        result: How it went.
        events: Its events.
        parallel_status: How far a step with several calls is then.
        completes_step: Whether the step needs nothing more.

    Returns:
        What a person asks of the run at this moment.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    row = await append_fenced(
        log,
        _RECORD_RESULT,
        lease,
        events,
        step_id=step_id,
        tool_call_id=result.tool_call_id,
        status=result.status,
        result=result.result,
        error_message=result.error_message or None,
        retries=result.retries,
        tainted=result.tainted,
        sources=result.sources,
        parallel_status=parallel_status,
        completes_step=completes_step,
    )
    return row.control_requested


def _close_step() -> Query[StoredIds]:
    run = fenced()
    calls = (
        update(ToolCall)
        .where(*_open_calls(run))
        .values(
            status="cancelled",
            error_message=bindparam("reason"),
            completed_at=func.now(),
            execution_duration_ms=milliseconds_since(func.coalesce(ToolCall.started_at, func.now())),
        )
        .cte("calls")
    )
    step = (
        update(Step)
        .where(exists_in(run), Step.id == bindparam("step_id"), Step.status == "running")
        .values(
            status="completed",
            parallel_status=case((Step.is_parallel, "completed")),
            completed_at=func.now(),
            execution_duration_ms=milliseconds_since(Step.started_at),
        )
        .cte("step")
    )
    return Query(select(stored_events(run, given_events())).add_cte(calls, step), StoredIds)


_CLOSE_STEP: Final = _close_step()


async def close_step(log: EventLog, lease: RunLease, step_id: int, reason: str, events: Sequence[SessionEvent]) -> None:
    """Completes a step whose wait strategy holds; its calls that are still open are cancelled for `reason`.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    await append_fenced(log, _CLOSE_STEP, lease, events, step_id=step_id, reason=reason)


def _touch_call() -> Query[StoredIds]:
    run = fenced()
    call = (
        update(ToolCall)
        .where(*_open_calls(run), ToolCall.tool_call_id == bindparam("tool_call_id"))
        .values(
            status="running",
            started_at=func.coalesce(ToolCall.started_at, func.now()),
            progress_percentage=func.greatest(ToolCall.progress_percentage, bindparam("percentage")),
            status_message=func.coalesce(bindparam("message"), ToolCall.status_message),
            external_task_id=func.coalesce(bindparam("external_task_id"), ToolCall.external_task_id),
            external_status=func.coalesce(bindparam("external_status"), ToolCall.external_status),
        )
        .cte("call")
    )
    return Query(select(stored_events(run, given_events())).add_cte(call), StoredIds)


_TOUCH_CALL: Final = _touch_call()


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
    """Records the progress of a call that runs: begun, how far it is, and what it has started elsewhere.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    await append_fenced(
        log,
        _TOUCH_CALL,
        lease,
        events,
        step_id=step_id,
        tool_call_id=tool_call_id,
        percentage=percentage,
        message=message,
        external_task_id=external_task_id,
        external_status=external_status,
    )
