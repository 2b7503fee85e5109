"""Runs that wait for their sub-runs, and are queued when the wait strategy of their step is satisfied.

The statement that ends a run queues its parent in the same transaction (`append_end`), and a run that starts to wait is
queued in that transaction if its sub-runs' results suffice already (`queue_if_settled`). Both lock the parent's row
before they read its sub-runs, and read them with a separate statement, which sees everything committed until then: of
two sub-runs that end concurrently, the later one sees the other.

Lock order: the parent, its sub-run, the session's event log. Without the first, the end of a sub-run that holds the
log's lock and a pause of its parent that holds the parent's row would deadlock.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar
from uuid import UUID

import asyncpg
from sqlalchemy import CTE, ColumnElement, Text, and_, bindparam, cast, exists, func, or_, select, update
from sqlalchemy.orm import aliased

from echomind_lib.db.models.runs import Run, Step, ToolCall
from echomind_lib.db.statements import Query
from echomind_lib.events.log import EventLog, LogTransaction
from echomind_lib.events.statements import StoredIds, given_events, stored_events
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.queue import wake_worker
from echomind_lib.runs.states import status_event


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRow(StoredIds):
    """Base of the rows of statements that end a run."""

    parent_run_id: UUID | None


Ended = TypeVar("Ended", bound=EndedRow)


def locked_parent() -> CTE:
    """Returns the CTE that locks the parent of `run_id`, for a statement that ends that run."""
    parent, sub_run = aliased(Run, name="parent"), aliased(Run, name="sub_run")
    return (
        select(parent.id)
        .join(sub_run, sub_run.parent_run_id == parent.id)
        .where(sub_run.id == bindparam("run_id"))
        .with_for_update(key_share=True, of=parent)
        .cte("locked_parent")
        .prefix_with("MATERIALIZED")
    )


def after(locked: CTE) -> ColumnElement[bool]:
    """Returns a condition that is always true, and makes a statement lock these rows before it changes others."""
    return select(func.count()).select_from(locked).scalar_subquery() >= 0


def _is_settled() -> ColumnElement[bool]:
    """Returns the condition that a `Run` waits for sub-runs, but no longer has to.

    A call has ended if it has a result, or if the run that it started has ended. A run that also waits for a person no
    longer does if its sub-agents' results suffice.
    """
    sub_run, below = aliased(Run), aliased(Run)
    calls = func.count()
    is_open = and_(ToolCall.status.in_(["pending", "running"]), sub_run.completed_at.is_(None))
    still_open = calls.filter(is_open)
    succeeded = calls.filter(or_(ToolCall.status == "completed", sub_run.status == "completed"))
    strategy_holds = (
        select(Step.id)
        .join(ToolCall, ToolCall.step_id == Step.id)
        .outerjoin(
            sub_run, and_(sub_run.parent_run_id == Step.run_id, cast(sub_run.id, Text) == ToolCall.external_task_id)
        )
        .where(Step.run_id == Run.id, Step.status == "running")
        .group_by(Step.id)
        .having(
            or_(
                still_open == 0,
                and_(Step.wait_strategy == "any", succeeded >= 1),
                and_(Step.wait_strategy == "majority", succeeded * 2 > calls),
            )
        )
        .correlate(Run)
        .exists()
    )
    has_sub_runs = exists(select(below.id).where(below.parent_run_id == Run.id).correlate(Run))
    waits = or_(Run.status == "waiting_for_children", and_(Run.status == "waiting_for_input", has_sub_runs))
    return and_(waits, strategy_holds)


def _queued(run: ColumnElement[bool]) -> CTE:
    return (
        update(Run)
        .where(run, _is_settled())
        .values(status="queued", pending_input=None)
        .returning(Run.id.label("run_id"), Run.chat_session_id)
        .cte("origin")
    )


_QUEUE_IF_SETTLED: Final = Query(
    select(stored_events(_queued(Run.id == bindparam("run_id")), given_events())), StoredIds
)
_SETTLED: Final = Query(select(Run.id).where(_is_settled()).order_by(Run.id).limit(bindparam("limit")), UUID)


async def append_end(
    log: EventLog,
    query: Query[Ended],
    events: Sequence[SessionEvent],
    /,
    *,
    fill: Callable[[Ended], None] | None = None,
    **values: Any,
) -> Ended | None:
    """Ends a sub-run, and queues its parent in the same transaction if the parent no longer has to wait.

    Args:
        log: The event log.
        query: The statement that ends it, as for `EventLog.append`; it begins with `locked_parent`.
        events: As for `EventLog.append`.
        fill: As for `EventLog.append`.
        values: The statement's other parameters.

    Returns:
        The statement's row; None if no run was ended.
    """
    is_queued = False
    async with log.transaction() as transaction:
        row = await transaction.append(query, events, fill=fill, **values)
        if row is not None and row.parent_run_id is not None:
            is_queued = await queue_if_settled(transaction, row.parent_run_id)
    if row is not None and is_queued:
        await wake_worker(log, row.parent_run_id)
    return row


async def queue_if_settled(log: EventLog | LogTransaction, run_id: UUID) -> bool:
    """Queues a run that waits for sub-runs, if the committed results satisfy the wait strategy of its step.

    A run that also waits for a person stops waiting then: its step needs no answer.

    Returns:
        Whether it was queued; the caller then wakes a worker.
    """
    row = await log.append(_QUEUE_IF_SETTLED, [status_event("queued", "Queued")], run_id=run_id)
    return row is not None


async def settled_runs(pool: asyncpg.Pool, limit: int) -> list[UUID]:
    """Returns runs that wait for sub-runs but no longer have to; none unless a transition was missed."""
    return await _SETTLED.fetch_all(pool, limit=limit)


async def queue_settled(log: EventLog, limit: int) -> None:
    """Queues runs that wait for sub-runs but no longer have to: a repair, called by sweeps."""
    for run_id in await settled_runs(log.pool, limit):
        if await queue_if_settled(log, run_id):
            await wake_worker(log, run_id)
