"""The statements of `steps`, which write a run's steps and their tool calls. Each begins with the fence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from sqlalchemy import CTE, BigInteger, ColumnElement, Integer, Text, any_, bindparam, case, func, select, true, update
from sqlalchemy.dialects.postgresql import ARRAY, insert

from echomind_lib.db.expressions import json_rows, milliseconds_since
from echomind_lib.db.models.chat import ChatSessionSource
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.runs import Run, Step, ToolCall
from echomind_lib.db.statements import Query, part
from echomind_lib.db.words import RunControl
from echomind_lib.events.statements import StoredIds
from echomind_lib.runs.asker import Asker
from echomind_lib.runs.fence import exists_in, fenced, fenced_events

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
"""The columns of a step that are stored unchanged from `step_record`."""


def inserted_step(run: CTE) -> CTE:
    """Returns a CTE that inserts a step of a run and returns its `id`; empty if the parameter `step` is.

    Args:
        run: The run, with `run_id` and `steps_executed`, which includes this step already.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow(StoredIds):
    """The row of `RECORD_STEP`."""

    step_id: int
    step_number: int
    control_requested: RunControl | None
    asker: Asker


def _record_step() -> Query[StepRow]:
    run = fenced(
        Run.steps_executed,
        Run.control_requested,
        Run.user_id,
        steps_executed=Run.steps_executed + 1,
        tools_called=Run.tools_called + bindparam("tools_called"),
        prompt_tokens=Run.prompt_tokens + bindparam("prompt_tokens"),
        completion_tokens=Run.completion_tokens + bindparam("completion_tokens"),
        cost=func.coalesce(Run.cost, 0) + bindparam("cost"),
        seconds_spent=func.greatest(Run.seconds_spent, bindparam("seconds")),
        time_to_first_token_ms=func.coalesce(Run.time_to_first_token_ms, bindparam("first_token_ms")),
        retry_count=0,  # progress resets it: only interruptions without progress count
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
    stored = fenced_events(run)
    return Query(
        select(
            stored,
            step.c.id.label("step_id"),
            run.c.steps_executed.label("step_number"),
            run.c.control_requested,
            *part("asker", User.roles, User.groups, User.is_active),
        )
        .select_from(stored.join(run, true()).join(step, true()).join(User, User.id == run.c.user_id))
        .add_cte(calls),
        StepRow,
    )


RECORD_STEP: Final = Query.deferred(_record_step)


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


EXCLUDE_STEPS: Final = Query.deferred(_exclude_steps)


def _open_calls(run: CTE) -> Sequence[ColumnElement[bool]]:
    """Returns the conditions of the calls of a step that have no result yet."""
    return (
        exists_in(run),
        ToolCall.step_id == bindparam("step_id"),
        ToolCall.status.in_(["pending", "running"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultRow(StoredIds):
    """The row of `RECORD_RESULT`."""

    control_requested: RunControl | None


def _draw_on(run: CTE) -> CTE:
    """Records that the run's session draws on the documents `document_ids`, including documents removed since."""
    given = (
        func.unnest(bindparam("document_ids", type_=ARRAY(BigInteger)))
        .table_valued("id")
        .render_derived(name="document")
    )
    drawn_on = select(run.c.chat_session_id, given.c.id).join_from(run, given, true())
    columns = [ChatSessionSource.chat_session_id, ChatSessionSource.document_id]
    return insert(ChatSessionSource).from_select(columns, drawn_on).on_conflict_do_nothing().cte("drawn_on")


def _record_result() -> Query[ResultRow]:
    run = fenced(Run.control_requested, untrusted=Run.untrusted | bindparam("untrusted"))
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
    stored = fenced_events(run)
    return Query(
        select(stored, run.c.control_requested)
        .select_from(stored.join(run, true()))
        .add_cte(call, step, _draw_on(run)),
        ResultRow,
    )


RECORD_RESULT: Final = Query.deferred(_record_result)


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
    return Query(select(fenced_events(run)).add_cte(calls, step), StoredIds)


CLOSE_STEP: Final = Query.deferred(_close_step)


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
    return Query(select(fenced_events(run)).add_cte(call), StoredIds)


TOUCH_CALL: Final = Query.deferred(_touch_call)


def _ask_person() -> Query[StoredIds]:
    run = fenced()
    call = (
        update(ToolCall)
        .where(*_open_calls(run), ToolCall.tool_call_id == bindparam("tool_call_id"))
        .values(status="pending", elicitation=bindparam("elicitation"))
        .cte("call")
    )
    return Query(select(fenced_events(run)).add_cte(call), StoredIds)


ASK_PERSON: Final = Query.deferred(_ask_person)
