"""The statements of `finish`, which end a run and write its last step, its message and its session."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final

from sqlalchemy import (
    CTE,
    Boolean,
    Join,
    ScalarSelect,
    Text,
    and_,
    bindparam,
    case,
    cast,
    func,
    null,
    select,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, aggregate_order_by

from echomind_lib.db.expressions import MAX_BIGINT, milliseconds_since
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.runs import Run, Step, ToolCall
from echomind_lib.db.statements import Query
from echomind_lib.jobs.kinds import LEARN_FROM_RUN, TITLE_SESSION
from echomind_lib.jobs.queue import requested
from echomind_lib.runs.citation_rows import inserted_citations
from echomind_lib.runs.fence import exists_in, fenced, fenced_events
from echomind_lib.runs.inputs import OUTCOME_UNKNOWN
from echomind_lib.runs.parents import EndedRow, after, locked_parent
from echomind_lib.runs.queue import changed_meanwhile, person_waits
from echomind_lib.runs.step_statements import inserted_step
from echomind_lib.runs.titles import needs_title

EFFECT_UNKNOWN: Final = and_(ToolCall.side_effect, ToolCall.status == "running", ToolCall.external_task_id.is_(None))
"""Whether a call has begun to change something, and has no result; a task elsewhere is cancelled."""
_IMPORTANT_STEPS = 20
"""Maximum number of important steps that a session keeps, the newest."""


def calls_of(run: CTE) -> ScalarSelect[Any]:
    """Returns the tool calls of a run (`run_id`), as its message stores them."""
    call = func.jsonb_build_object("toolName", ToolCall.tool_name, "parameters", ToolCall.parameters)
    return (
        select(func.coalesce(func.jsonb_agg(aggregate_order_by(call, ToolCall.id)), cast([], JSONB)))
        .join(Step, ToolCall.step_id == Step.id)
        .where(Step.run_id == run.c.run_id)
        .scalar_subquery()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishRow(EndedRow):
    """The row of `finish_statement`."""

    prompt_tokens: int
    completion_tokens: int
    duration_ms: int
    frees_slot: bool
    creation_date: datetime | None
    last_update: datetime | None
    parent_message_id: int | None


def _untitled(run: CTE) -> Join:
    """Returns the run if its session still needs a title: an attempt at one may have ended while it was executed."""
    return run.join(ChatSession, and_(ChatSession.id == run.c.chat_session_id, needs_title()))


@cache
def finish_statement(
    *,
    is_sub_run: bool = False,
    requests_title: bool = False,
    requests_lesson: bool = False,
    cuts_off: bool = True,
    writes_session: bool = True,
    has_calls: bool = True,
) -> Query[FinishRow]:
    """Returns the statement that finishes a run. It contains only what the run needs, which its parameters follow.

    Args:
        is_sub_run: Whether it has a parent, which is locked first.
        requests_title: Whether to request the job that generates the session's title.
        requests_lesson: Whether to request the job that learns from the run.
        cuts_off: Whether steps and calls may be unfinished.
        writes_session: Whether the session changes.
        has_calls: Whether the run may have called tools, and its answer citations.
    """
    locked = _locked_session()
    before = [locked] if writes_session else []
    run = _ended_run([*before, locked_parent()] if is_sub_run else before)
    message = _message(run, has_calls=has_calls)
    changes = [inserted_step(run)]
    changes += _cut_off(run) if cuts_off else []
    changes += [_session(run, locked)] if writes_session else []
    changes += [inserted_citations(run)] if has_calls else []
    changes += [requested(TITLE_SESSION, _untitled(run), run.c.chat_session_id)] if requests_title else []
    changes += [requested(LEARN_FROM_RUN, run, run.c.run_id)] if requests_lesson else []
    stored = fenced_events(run, single=True)
    return Query(
        select(
            stored,
            run.c.prompt_tokens,
            run.c.completion_tokens,
            run.c.duration_ms,
            run.c.parent_run_id,
            person_waits(run).label("frees_slot"),
            message,
        )
        .select_from(stored.join(run, true()).outerjoin(message, true()))
        .add_cte(*changes),
        FinishRow,
    )


def _locked_session() -> CTE:
    # Sending a message locks the session and then waits for its run: the same order here, where the session is written.
    session_id = bindparam("session_id", type_=ChatSession.id.type)
    return (
        select(ChatSession.id)
        .where(ChatSession.id == session_id)
        .with_for_update(key_share=True)
        .cte("locked")
        .prefix_with("MATERIALIZED")
    )


def _ended_run(before: Sequence[CTE]) -> CTE:
    return fenced(
        Run.user_id,
        changed_meanwhile(),
        Run.steps_executed,
        Run.prompt_tokens,
        Run.completion_tokens,
        Run.duration_ms,
        Run.parent_run_id,
        where=[after(rows) for rows in before],
        status=bindparam("status"),
        completed_at=func.now(),
        error=bindparam("error", type_=JSONB),
        llm_id=bindparam("llm_id"),
        control_requested=None,
        cost=func.coalesce(Run.cost, 0) + bindparam("cost"),
        seconds_spent=func.greatest(Run.seconds_spent, bindparam("seconds")),
        final_output=bindparam("final_output", type_=JSONB),
        result_summary=bindparam("result_summary"),
        untrusted=Run.untrusted | bindparam("untrusted", type_=Boolean),
        steps_executed=Run.steps_executed + bindparam("steps_executed"),
        pending_input=null(),
        time_to_first_token_ms=func.coalesce(Run.time_to_first_token_ms, bindparam("first_token_ms")),
        prompt_tokens=Run.prompt_tokens + bindparam("prompt_tokens"),
        completion_tokens=Run.completion_tokens + bindparam("completion_tokens"),
        duration_ms=milliseconds_since(func.coalesce(Run.started_at, func.now()), limit=MAX_BIGINT),
    )


def _cut_off(run: CTE) -> list[CTE]:
    """Ends the unfinished steps of a run, and their calls."""
    unfinished = (
        update(Step)
        .where(Step.run_id == run.c.run_id, Step.status.in_(["pending", "running"]))
        .values(
            status=bindparam("cut_off_status"),
            completed_at=func.now(),
            error_message=bindparam("error_message"),
            execution_duration_ms=milliseconds_since(Step.started_at),
        )
        .returning(Step.id, Step.status, Step.error_message)
        .cte("unfinished")
    )
    calls = (
        update(ToolCall)
        .where(ToolCall.step_id == unfinished.c.id, ToolCall.status.in_(["pending", "running"]))
        .values(
            status=case((EFFECT_UNKNOWN, "failed"), else_=unfinished.c.status),
            completed_at=func.now(),
            error_message=case((EFFECT_UNKNOWN, OUTCOME_UNKNOWN), else_=unfinished.c.error_message),
            execution_duration_ms=milliseconds_since(func.coalesce(ToolCall.started_at, func.now())),
        )
        .cte("calls")
    )
    return [unfinished, calls]


def _session(run: CTE, locked: CTE) -> CTE:
    all_steps = ChatSession.important_steps.op("||")(bindparam("important_steps", type_=JSONB))
    each = (
        func.jsonb_array_elements(all_steps)
        .table_valued("step", with_ordinality="position")
        .render_derived(name="each")
    )
    newest = (
        select(func.coalesce(func.jsonb_agg(aggregate_order_by(each.c.step, each.c.position)), cast([], JSONB)))
        .where(each.c.position > func.jsonb_array_length(all_steps) - _IMPORTANT_STEPS)
        .correlate(ChatSession)
        .scalar_subquery()
    )
    return (
        update(ChatSession)
        .where(exists_in(run), ChatSession.id == locked.c.id)
        .values(
            important_steps=newest,
            status=func.coalesce(bindparam("session_status", type_=Text), ChatSession.status),
        )
        .cte("session")
    )


def _message(run: CTE, *, has_calls: bool) -> CTE:
    return (
        update(ChatMessage)
        .where(exists_in(run), ChatMessage.id == bindparam("message_id"))
        .values(
            content=bindparam("content"),
            token_count=bindparam("token_count"),
            status=bindparam("message_status"),
            error=bindparam("message_error"),
            rephrased_query=bindparam("rephrased_query"),
            basis=bindparam("basis"),
            other_tools=bindparam("other_tools", type_=ARRAY(Text)),
            retrieval_context=bindparam("retrieval_context", type_=JSONB),
            tool_calls=calls_of(run) if has_calls else cast([], JSONB),
        )
        .returning(ChatMessage.creation_date, ChatMessage.last_update, ChatMessage.parent_message_id)
        .cte("message")
    )
