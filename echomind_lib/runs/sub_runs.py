"""Sub-runs: sub-agents, and members of a team. Any worker may claim them, and a waiting parent occupies no worker.

A tool call that starts a sub-run stores its id in `external_task_id`. The parent waits in the status
`waiting_for_children` until the wait strategy of its step is satisfied: see `parents`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import asyncpg
import msgspec
from sqlalchemy import (
    BigInteger,
    Boolean,
    Double,
    Integer,
    Text,
    bindparam,
    cast,
    func,
    insert,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.orm import aliased

from echomind_lib.db.expressions import json_rows
from echomind_lib.db.models.catalog import Assistant
from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.models.identity import User
from echomind_lib.db.models.runs import Run, ToolCall
from echomind_lib.db.statements import Query, columns
from echomind_lib.db.words import ACTIVE_RUN_STATUSES, RunKind, RunStatus
from echomind_lib.events.log import EventLog
from echomind_lib.events.statements import StoredIds
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.fence import RunLease, append_fenced, exists_in, fenced, fenced_events
from echomind_lib.runs.queue import wake_worker
from echomind_lib.runs.states import run_kind

MAX_SUB_RUNS: Final = 50
"""Maximum number of sub-runs that one run may start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSubRun:
    """A sub-run to be started."""

    tool_call_id: str
    kind: RunKind
    """`member` or `sub_agent`."""
    name: str
    """The name of its assistant, for display."""
    assistant_id: int
    assistant_version: int | None
    requested_llm_id: int | None
    """The model to use; None for its assistant's."""
    goal: str
    """Its goal, for display."""
    input: str
    """The goal as its model reads it."""
    inherited_context: str
    ask_clarifications: bool
    state: dict[str, Any]
    """References of the run (`record.RunPointers`)."""
    max_steps: int
    timeout_seconds: int
    max_run_tokens: int | None
    max_cost: float | None


def _start() -> Query[StoredIds]:
    inherited = (Run.user_id, Run.api_key_id, Run.max_depth, Run.untrusted, Run.wait_strategy)
    untrusted = Run.untrusted | bindparam("untrusted", type_=Boolean)
    run = fenced(*inherited, Run.depth, Run.priority, untrusted=untrusted)
    given = (
        Run.id,
        Run.kind,
        Run.assistant_id,
        Run.assistant_version,
        Run.requested_llm_id,
        Run.goal,
        Run.input,
        Run.inherited_context,
        Run.ask_clarifications,
        Run.state,
        Run.max_steps,
        Run.timeout_seconds,
        Run.max_run_tokens,
        Run.max_cost,
    )
    new = json_rows("sub_runs", ToolCall.tool_call_id, *given)
    step_id = bindparam("step_id", type_=ToolCall.step_id.type)
    values: dict[Any, Any] = {
        Run.chat_session_id: run.c.chat_session_id,
        Run.parent_run_id: run.c.run_id,
        Run.parent_step_id: step_id,
        Run.depth: run.c.depth + 1,
        # The even number of the parent's class (question or goal), claimed before its root runs.
        Run.priority: run.c.priority.op("/")(2) * 2,
    }
    values |= {column: run.c[column.key] for column in inherited} | {column: new.c[column.key] for column in given}
    sub_runs = insert(Run).from_select([*values], select(*values.values()).join_from(run, new, true())).cte("sub_runs")
    calls = (
        update(ToolCall)
        .where(exists_in(run), ToolCall.step_id == step_id, ToolCall.tool_call_id == new.c.tool_call_id)
        .values(
            status="running", started_at=func.now(), external_task_id=cast(new.c.id, Text), external_status="queued"
        )
        .cte("calls")
    )
    return Query(select(fenced_events(run)).add_cte(sub_runs, calls), StoredIds)


_NEW_IDS: Final = Query(
    select(func.uuidv7()).select_from(func.generate_series(1, bindparam("count", type_=Integer)).alias()), UUID
)
_START: Final = Query.deferred(_start)


async def start(
    log: EventLog, lease: RunLease, step_id: int, sub_runs: Sequence[NewSubRun], *, untrusted: bool
) -> dict[str, UUID]:
    """Queues sub-runs of a run, and records in each tool call which run it started.

    Args:
        log: The log of events.
        lease: The run.
        step_id: Its step that starts them.
        sub_runs: What to start.
        untrusted: Whether the run has read untrusted text, of which the tasks may be made.

    Returns:
        The ids of the runs, by tool call.

    Raises:
        LeaseLostError: The worker no longer holds the run.
    """
    ids = await _NEW_IDS.fetch_all(log.pool, count=len(sub_runs))
    events = []
    for run_id, sub_run in zip(ids, sub_runs, strict=True):
        who = sub_run.name if sub_run.kind == "member" else "a sub-agent"
        event = SessionEvent(
            kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=f"Started {who}: {sub_run.goal[:200]}"
        )
        event.sub_run_started.run_id = str(run_id)
        event.sub_run_started.kind = run_kind(sub_run.kind)
        event.sub_run_started.assistant_id = sub_run.assistant_id
        event.sub_run_started.assistant_name = sub_run.name
        event.sub_run_started.goal = sub_run.goal
        event.sub_run_started.depth = lease.run.depth + 1
        event.sub_run_started.tool_call_id = sub_run.tool_call_id
        events.append(event)
    new = [{"id": str(run_id)} | msgspec.to_builtins(sub_run) for run_id, sub_run in zip(ids, sub_runs, strict=True)]
    await append_fenced(log, _START, lease, events, step_id=step_id, sub_runs=new, untrusted=untrusted)
    for run_id in ids:
        await wake_worker(log, run_id)
    return {sub_run.tool_call_id: run_id for run_id, sub_run in zip(ids, sub_runs, strict=True)}


@dataclass(frozen=True, slots=True)
class EndedSubRun:
    """A sub-run that has ended, with its results for its parent."""

    id: UUID
    kind: RunKind
    status: RunStatus
    goal: str | None
    result_summary: str | None
    final_output: dict[str, Any] | None
    error: dict[str, Any] | None
    untrusted: bool
    """Whether it has read untrusted text."""


_ENDED: Final = Query(
    select(*columns(EndedSubRun, Run)).where(Run.parent_run_id == bindparam("run_id"), Run.completed_at.is_not(None)),
    EndedSubRun,
)


async def read_ended(pool: asyncpg.Pool, run_id: UUID) -> dict[UUID, EndedSubRun]:
    """Returns the ended sub-runs of a run, by id."""
    return {ended.id: ended for ended in await _ENDED.fetch_all(pool, run_id=run_id)}


def _assistants_above() -> Query[int]:
    here = select(Run.id, Run.parent_run_id, Run.assistant_id).where(Run.id == bindparam("run_id"))
    line = here.cte("line", recursive=True)
    above = aliased(Run)
    line = line.union_all(
        select(above.id, above.parent_run_id, above.assistant_id).join(line, above.id == line.c.parent_run_id)
    )
    return Query(select(line.c.assistant_id), int)


_ASSISTANTS_ABOVE: Final = Query.deferred(_assistants_above)


async def assistants_above(pool: asyncpg.Pool, run_id: UUID) -> list[int]:
    """Returns the ids of the assistants of a run and of its ancestors."""
    return await _ASSISTANTS_ABOVE.fetch_all(pool, run_id=run_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class RootRun:
    """The root of a run, with what programs keep with it and with its session."""

    id: UUID
    assistant_name: str
    metadata: dict[str, str]
    session_metadata: dict[str, str]
    external_id: str | None
    session_external_id: str | None


def _root() -> Query[RootRun]:
    line = select(Run.id, Run.parent_run_id).where(Run.id == bindparam("run_id")).cte("line", recursive=True)
    above = aliased(Run)
    line = line.union_all(select(above.id, above.parent_run_id).join(line, above.id == line.c.parent_run_id))
    return Query(
        select(
            Run.id,
            Assistant.name.label("assistant_name"),
            Run.metadata_.label("metadata"),
            ChatSession.metadata_.label("session_metadata"),
            Run.external_id,
            ChatSession.external_id.label("session_external_id"),
        )
        .join(line, line.c.id == Run.id)
        .join(Assistant, Assistant.id == Run.assistant_id)
        .join(ChatSession, ChatSession.id == Run.chat_session_id)
        .where(Run.parent_run_id.is_(None)),
        RootRun,
    )


_ROOT: Final = Query.deferred(_root)


async def read_root(pool: asyncpg.Pool, run_id: UUID) -> RootRun | None:
    """Returns the root of a run's tree; None if there is no such run."""
    return await _ROOT.fetch_one(pool, run_id=run_id)


@dataclass(frozen=True, slots=True)
class Spent:
    """Usage of a run's sub-runs."""

    runs: int = 0
    """Their number."""
    steps: int = 0
    tokens: int = 0
    cost: float = 0.0
    """US dollars."""
    seconds: float = 0.0
    """Active seconds, excluding waiting; summed over concurrent runs."""


def _spent() -> Query[Spent]:
    used = (Run.steps_executed, Run.prompt_tokens, Run.completion_tokens, Run.cost, Run.seconds_spent)
    below = select(Run.id, *used).where(Run.parent_run_id == bindparam("run_id")).cte("below", recursive=True)
    sub_run = aliased(Run)
    below = below.union_all(
        select(sub_run.id, *(getattr(sub_run, column.key) for column in used)).join(
            below, sub_run.parent_run_id == below.c.id
        )
    )
    tokens = func.sum(below.c.prompt_tokens + below.c.completion_tokens)
    return Query(
        select(
            func.count().label("runs"),
            cast(func.coalesce(func.sum(below.c.steps_executed), 0), Integer).label("steps"),
            cast(func.coalesce(tokens, 0), BigInteger).label("tokens"),
            cast(func.coalesce(func.sum(below.c.cost), 0), Double).label("cost"),
            cast(func.coalesce(func.sum(below.c.seconds_spent), 0), Double).label("seconds"),
        ).select_from(below),
        Spent,
    )


_SPENT: Final = Query.deferred(_spent)


async def read_spent(pool: asyncpg.Pool, run_id: UUID) -> Spent:
    """Returns the usage of a run's sub-runs."""
    (spent,) = await _SPENT.fetch_all(pool, run_id=run_id)
    return spent


def _orphans() -> Query[UUID]:
    parent = aliased(Run)
    return Query(
        select(Run.id)
        .join(ChatSession, ChatSession.id == Run.chat_session_id)
        .join(User, User.id == Run.user_id)
        .outerjoin(parent, parent.id == Run.parent_run_id)
        .where(
            Run.status.in_(ACTIVE_RUN_STATUSES),
            or_(parent.completed_at.is_not(None), ChatSession.deleted_date.is_not(None), ~User.is_active),
            Run.control_requested.is_distinct_from("cancel"),
        )
        .order_by(Run.id)
        .limit(bindparam("limit")),
        UUID,
    )


_ORPHANS: Final = Query.deferred(_orphans)


async def orphans(pool: asyncpg.Pool, limit: int) -> list[UUID]:
    """Returns orphaned runs: their parent has ended, their session was removed, or their user deactivated."""
    return await _ORPHANS.fetch_all(pool, limit=limit)
