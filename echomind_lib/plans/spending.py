"""Usage of todos: steps and tokens."""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Uuid,
    and_,
    bindparam,
    cast,
    exists,
    func,
    or_,
    select,
    true,
    union_all,
    update,
)

from echomind_lib.db.models.planning import Todo
from echomind_lib.db.models.runs import Run, Step
from echomind_lib.db.statements import Query, columns
from echomind_lib.events.log import EventLog
from echomind_lib.plans.rows import LOCK_CLASS, StoredPlan, fill_plan, plan_event, store_plan
from echomind_lib.runs.fence import RunLease, append_fenced, exists_in

_LIMIT: Final = 2**31 - 1
"""The largest value of the columns."""
_run_id = bindparam("run_id", type_=Uuid)
_COLUMNS = tuple(Todo.__mapper__.columns)


def _is_charged() -> ColumnElement[bool]:
    """Selects todos that were in progress when the step began, or that the step started or ended."""
    step_began = select(Step.creation_date).where(Step.id == bindparam("step_id", type_=BigInteger)).scalar_subquery()
    ended_since = and_(Todo.status.in_(["completed", "failed"]), Todo.completed_at >= step_began)
    return or_(Todo.status == "in_progress", ended_since)


def _added(column: Any, parameter: str) -> ColumnElement[int]:
    return cast(func.least(column + bindparam(parameter, type_=BigInteger), _LIMIT), Integer)


def _spend() -> Query[StoredPlan]:
    """Returns a row with `todos` if usage was counted, without them otherwise, and no row if the lease is lost.

    If no todo is to be charged, nothing is locked or written, so that the statement costs one index lookup.
    """
    is_mine = and_(Run.id == _run_id, Run.attempt == bindparam("attempt", type_=Integer), Run.status == "running")
    mine = select(Run.id, Run.chat_session_id).where(is_mine).cte("mine")
    run = (
        select(Run.id, Run.chat_session_id)
        .where(is_mine, exists(select(Todo.id).where(Todo.run_id == _run_id, _is_charged())))
        .with_for_update(key_share=True)
        .cte("run")
    )
    plans = (
        select(func.pg_advisory_xact_lock(LOCK_CLASS, run.c.chat_session_id), run.c.id)
        .cte("plans")
        .prefix_with("MATERIALIZED")
    )
    locked = (
        select(Todo.id, _is_charged().label("is_charged"))
        .join(plans, Todo.run_id == plans.c.id)
        .with_for_update(of=Todo)
        .cte("locked")
        .prefix_with("MATERIALIZED")
    )
    spent = (
        update(Todo)
        .where(Todo.id == locked.c.id, locked.c.is_charged)
        .values(actual_steps=_added(Todo.actual_steps, "steps"), actual_tokens=_added(Todo.actual_tokens, "tokens"))
        .returning(*_COLUMNS)
        .cte("spent")
    )
    others = select(*_COLUMNS).join(locked, locked.c.id == Todo.id).where(locked.c.is_charged.is_not(True))
    plan = union_all(select(spent), others).cte("plan")
    origin = select(run.c.chat_session_id, run.c.id.label("run_id")).where(exists_in(spent)).cte("origin")
    change, stored = store_plan(origin, plan)
    return Query(
        select(
            *columns(StoredPlan, stored, mine, change, chat_session_id=mine.c.chat_session_id, run_id=mine.c.id)
        ).select_from(mine.outerjoin(stored, true()).outerjoin(change, stored.c.event_ids.is_not(None))),
        StoredPlan,
    )


_SPEND: Final = Query.deferred(_spend)


async def spend(log: EventLog, lease: RunLease, steps: int, tokens: int, step_id: int) -> None:
    """Counts steps and tokens for the todos of a run that are in progress, or were during this step, each in full.

    Raises:
        LeaseLostError: The worker no longer holds the run; nothing is counted.
    """
    event = plan_event("")
    await append_fenced(
        log, _SPEND, lease, [event], fill=lambda row: fill_plan(event, row), steps=steps, tokens=tokens, step_id=step_id
    )
