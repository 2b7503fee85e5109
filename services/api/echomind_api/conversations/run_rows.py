"""Runs and steps as people read them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Final, Literal
from uuid import UUID

import asyncpg
from sqlalchemy import (
    ARRAY,
    Boolean,
    ColumnElement,
    DateTime,
    Double,
    Integer,
    Numeric,
    Select,
    Text,
    Uuid,
    and_,
    any_,
    bindparam,
    case,
    cast,
    func,
    literal,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by

from echomind_api.people import full_name
from echomind_lib.access import Principal
from echomind_lib.access import runs as runs_rule
from echomind_lib.access.conditions import within_limits
from echomind_lib.access.ways import Limited
from echomind_lib.db.models.catalog import Assistant
from echomind_lib.db.models.chat import ChatMessage, ChatSession
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.runs import Run, Step, ToolCall
from echomind_lib.db.statements import Query
from echomind_lib.db.words import ParallelStatus, RunKind, RunStatus, StepAction, StepStatus, StepType, WaitStrategy


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """A run of a session that is not removed."""

    id: UUID
    user_id: int
    chat_session_id: int
    parent_run_id: UUID | None
    parent_step_id: int | None
    kind: RunKind
    assistant_id: int | None
    assistant_version: int | None
    assistant_name: str | None
    time_to_first_token_ms: int | None
    llm_id: int | None
    status: RunStatus
    input: str
    error: dict[str, str] | None
    goal: str | None
    auto_run: bool
    ask_clarifications: bool
    pending_input: dict[str, Any] | None
    result_summary: str | None
    output: str | None
    depth: int
    max_steps: int
    timeout_seconds: int
    max_run_tokens: int | None
    max_cost: float | None
    max_depth: int
    wait_strategy: WaitStrategy | None
    inherited_context: str | None
    steps_executed: int
    tools_called: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    seconds_spent: float
    attempt: int
    held_back: bool
    creation_date: datetime
    started_at: datetime | None
    completed_at: datetime | None
    duration_ms: int | None
    message_id: int | None
    metadata: dict[str, str]
    external_id: str | None
    tools: list[str] | None
    decisions: list[dict[str, Any]]
    """As ProtoJSON."""


def _decisions() -> ColumnElement[Any]:
    """Returns the decisions and answers of people, in order."""
    is_approval = ToolCall.approval.in_(["granted", "denied"])
    # The result of a call whose server asked something is the tool's, not the person's answer.
    asked = ToolCall.elicitation.is_not(None)
    kind = case(
        (is_approval, "APPROVAL"), (or_(asked, ToolCall.status == "completed"), "CLARIFICATION"), else_="OUTCOME"
    )
    decision: dict[str, Any] = {
        "kind": literal("PENDING_INPUT_KIND_").concat(kind),
        "stepNumber": Step.step_number,
        "toolCallId": ToolCall.tool_call_id,
        "toolName": ToolCall.tool_name,
        "parameters": ToolCall.parameters,
        "approved": ToolCall.approval == "granted",
        "text": case(
            (is_approval, ToolCall.approval_comment),
            (asked, ToolCall.elicitation["text"].astext),
            else_=ToolCall.result,
        ),
        "decidedBy": full_name(),
        "decisionDate": ToolCall.decision_date,
    }
    pairs = [part for name, column in decision.items() for part in (name, column)]
    decisions = (
        select(func.jsonb_agg(aggregate_order_by(func.jsonb_build_object(*pairs), ToolCall.id)))
        .join_from(Step, ToolCall, ToolCall.step_id == Step.id)
        .outerjoin(User, User.id == ToolCall.user_id_last_update)
        .where(Step.run_id == Run.id, or_(is_approval, ToolCall.decision_date.is_not(None)))
        .correlate(Run)
        .scalar_subquery()
    )
    return func.coalesce(decisions, literal([], JSONB))


def _runs() -> Select[Any]:
    """Runs with the columns of `RunRow`."""
    derived = {
        "output": Run.final_output.op("->>")("text"),
        "max_cost": cast(Run.max_cost, Double),
        "cost": cast(Run.cost, Double),
        "message_id": ChatMessage.id,
        "metadata": Run.metadata_,
        "tools": func.coalesce(Run.state["only"], Run.state["tools"]),
        "assistant_name": Assistant.name,
        "decisions": _decisions(),
    }
    names = RunRow.__dataclass_fields__
    columns = [derived[name].label(name) if name in derived else getattr(Run, name) for name in names]
    return (
        select(*columns)
        .join(ChatSession, and_(ChatSession.id == Run.chat_session_id, ChatSession.deleted_date.is_(None)))
        .outerjoin(Assistant, Assistant.id == Run.assistant_id)
        .outerjoin(ChatMessage, and_(ChatMessage.run_id == Run.id, ChatMessage.role == "assistant"))
    )


_run_id = bindparam("run_id", type_=Uuid)
_RUN: Final = Query(_runs().where(Run.id == _run_id), RunRow)


def _tree() -> Query[RunRow]:
    tree = select(Run.id, literal(0).label("level")).where(Run.id == _run_id).cte("tree", recursive=True)
    tree = tree.union_all(select(Run.id, tree.c.level + 1).join(tree, Run.parent_run_id == tree.c.id))
    return Query(_runs().join(tree, tree.c.id == Run.id).order_by(tree.c.level, Run.id), RunRow)


_TREE: Final = Query.deferred(_tree)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFilter:
    """A filter of runs; None and False omit a condition."""

    chat_session_id: int | None = None
    status: str | None = None
    statuses: Sequence[str] | None = None
    """One of these."""
    roots_only: bool = False
    assistant_id: int | None = None
    llm_id: int | None = None
    user_id: int | None = None
    """ID of their user; without it, and without `everyone`, the reader's own."""
    everyone: bool = False
    """Whether to include other people's runs that the reader may read."""
    min_cost: float | None = None
    """US dollars."""
    created_from: datetime | None = None
    created_before: datetime | None = None
    external_id: str | None = None
    metadata: Mapping[str, str] | None = None
    """Values that the run's metadata has."""
    before: UUID | None = None
    """Only runs older than this one."""

    @property
    def action(self) -> Literal["read", "manage"]:
        """The access that the list requires; `manage` limits it to the reader's own runs."""
        # What programs keep with runs is for the user of the run alone, also as a filter.
        if self.external_id is not None or self.metadata is not None:
            return "manage"
        return "read" if self.everyone or self.user_id is not None else "manage"

    def values(self) -> dict[str, Any]:
        """Returns the values of the conditions that there are, by name."""
        given = {name: getattr(self, name) for name in _CONDITIONS}
        return {name: value for name, value in given.items() if value is not None and value is not False}


_CONDITIONS: Final[dict[str, ColumnElement[bool]]] = {
    "chat_session_id": Run.chat_session_id == bindparam("chat_session_id", type_=Integer),
    "status": Run.status == bindparam("status", type_=Text),
    "statuses": Run.status == any_(bindparam("statuses", type_=ARRAY(Text))),
    "roots_only": Run.parent_run_id.is_(None),
    "assistant_id": Run.assistant_id == bindparam("assistant_id", type_=Integer),
    "llm_id": Run.llm_id == bindparam("llm_id", type_=Integer),
    "user_id": Run.user_id == bindparam("user_id", type_=Integer),
    "min_cost": Run.cost >= cast(bindparam("min_cost", type_=Double), Numeric),
    "created_from": Run.creation_date >= bindparam("created_from", type_=DateTime(timezone=True)),
    "created_before": Run.creation_date < bindparam("created_before", type_=DateTime(timezone=True)),
    "external_id": Run.external_id == bindparam("external_id", type_=Text),
    "metadata": Run.metadata_.contains(bindparam("metadata", type_=JSONB)),
    "before": Run.id < bindparam("before", type_=Uuid),
}
_WITHOUT_VALUE: Final = {"roots_only"}


@cache
def _page(names: frozenset[str], action: Literal["read", "manage"]) -> Query[RunRow]:
    """Returns a page of runs, newest first; each set of conditions is a separate statement with its own plan."""
    return Query(
        _runs()
        .where(runs_rule(action).where(Run), within_limits(Limited.SESSIONS, ChatSession))
        .where(*(_CONDITIONS[name] for name in sorted(names)))
        .order_by(Run.id.desc())
        .limit(bindparam("limit", type_=Integer)),
        RunRow,
    )


async def read_run(pool: asyncpg.Pool, run_id: UUID) -> RunRow | None:
    """Returns a run. Whether its reader may see it is checked by the caller."""
    return await _RUN.fetch_one(pool, run_id=run_id)


async def read_tree(pool: asyncpg.Pool, root_id: UUID) -> list[RunRow]:
    """Returns a run and its sub-runs, level by level."""
    return await _TREE.fetch_all(pool, run_id=root_id)


async def list_runs(pool: asyncpg.Pool, reader: Principal, limit: int, run_filter: RunFilter) -> list[RunRow]:
    """Returns the newest runs that are wanted and that the reader may read, at most `limit`."""
    values = run_filter.values()
    query = _page(frozenset(values), run_filter.action)
    values = {name: value for name, value in values.items() if name not in _WITHOUT_VALUE}
    key = None if reader.limits is None else [reader.limits.api_key_id]
    rule = {**runs_rule(run_filter.action).values(reader), Limited.SESSIONS.value: key}
    return await query.fetch_all(pool, **rule, limit=limit, **values)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRow:
    """A step with its tool calls."""

    id: int
    run_id: UUID
    step_number: int
    step_type: StepType
    action: StepAction | None
    status: StepStatus
    llm_model: str | None
    reasoning: str | None
    output: str | None
    error_message: str | None
    prompt_tokens: int
    completion_tokens: int
    started_at: datetime | None
    completed_at: datetime | None
    execution_duration_ms: int | None
    wait_strategy: WaitStrategy | None
    parallel_status: ParallelStatus | None
    discarded: bool
    input_data: dict[str, Any] | None
    tool_calls: list[dict[str, Any]]
    """As ProtoJSON."""


def _tool_calls() -> ColumnElement[Any]:
    may_see_results = bindparam("own", type_=Boolean)
    call: dict[str, Any] = {
        "id": cast(ToolCall.id, Text),
        "toolCallId": ToolCall.tool_call_id,
        "toolName": ToolCall.tool_name,
        "parameters": ToolCall.parameters,
        "status": literal("STEP_STATUS_").concat(func.upper(ToolCall.status)),
        "result": case((may_see_results, ToolCall.result), else_=""),
        "errorMessage": ToolCall.error_message,
        "progressPercentage": ToolCall.progress_percentage,
        "statusMessage": ToolCall.status_message,
        "startedAt": ToolCall.started_at,
        "completedAt": ToolCall.completed_at,
        "executionDurationMs": ToolCall.execution_duration_ms,
        "sideEffect": ToolCall.side_effect,
        "approval": literal("TOOL_APPROVAL_").concat(func.upper(ToolCall.approval)),
        "externalTaskId": ToolCall.external_task_id,
        "externalStatus": ToolCall.external_status,
        "retryCount": ToolCall.retry_count,
        "maxRetries": ToolCall.max_retries,
        "approvalComment": ToolCall.approval_comment,
    }
    pairs = [part for name, column in call.items() for part in (name, column)]
    calls = (
        select(func.jsonb_agg(aggregate_order_by(func.jsonb_build_object(*pairs), ToolCall.id)))
        .where(ToolCall.step_id == Step.id)
        .correlate(Step)
        .scalar_subquery()
    )
    return func.coalesce(calls, literal([], JSONB))


def _steps(condition: ColumnElement[bool], limit: ColumnElement[int]) -> Query[StepRow]:
    derived = {"output": Step.llm_output.op("->>")("text"), "tool_calls": _tool_calls()}
    names = StepRow.__dataclass_fields__
    columns = [derived[name].label(name) if name in derived else getattr(Step, name) for name in names]
    return Query(
        select(*columns).where(Step.run_id == _run_id, condition).order_by(Step.step_number).limit(limit), StepRow
    )


_STEP: Final = Query.deferred(lambda: _steps(Step.step_number == bindparam("step_number", type_=Integer), literal(1)))
_STEPS: Final = Query.deferred(
    lambda: _steps(Step.step_number > bindparam("after", type_=Integer), bindparam("limit", type_=Integer))
)


async def read_step(pool: asyncpg.Pool, run_id: UUID, step_number: int, *, own: bool) -> StepRow | None:
    """Returns a step of a run; `own` as in `list_steps`."""
    return await _STEP.fetch_one(pool, run_id=run_id, step_number=step_number, own=own)


async def list_steps(pool: asyncpg.Pool, run_id: UUID, after: int, limit: int, *, own: bool) -> list[StepRow]:
    """Returns the steps of a run in order, after the number `after` (0: from the first).

    Args:
        pool: The database.
        run_id: The run.
        after: The last step that the reader has.
        limit: Maximum number of results.
        own: Whether the run is the reader's own; results of others' calls may come from documents that are hidden from
            the reader.
    """
    return await _STEPS.fetch_all(pool, run_id=run_id, after=after, limit=limit, own=own)
