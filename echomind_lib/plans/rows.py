"""Rows of todos: how a session's plans are locked, read and written, and how each change is published.

Writers lock the session's plans before they read them, so that each sees the previous writer's changes. Lock order: the
run's row, the plans, the rows of todos, the event log.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from google.protobuf import json_format
from sqlalchemy import (
    ARRAY,
    CTE,
    BigInteger,
    ColumnElement,
    Integer,
    Text,
    Uuid,
    any_,
    bindparam,
    cast,
    delete,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB, aggregate_order_by, insert

from echomind_lib.db.expressions import json_rows
from echomind_lib.db.models.planning import Todo as Row
from echomind_lib.db.statements import Command, Connection, Query
from echomind_lib.events.log import LogTransaction
from echomind_lib.events.statements import StoredIds, given_events, stored_events, with_values
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.plans.rules import Todo, check, without

LOCK_CLASS: Final = 7002
"""First key of the advisory locks of sessions' plans; the second is the session's id."""
_TEXT_IN_EVENT: Final = 300

_session_id = bindparam("session_id", type_=Integer)
_run_id = bindparam("run_id", type_=Uuid)

# -- locking and reading -----------------------------------------------------------------------------------------------

_LOCK: Final = Query(
    select(func.clock_timestamp()).select_from(func.pg_advisory_xact_lock(LOCK_CLASS, _session_id).alias("locked")),
    datetime,
)


async def lock_plans(connection: Connection, session_id: int) -> datetime:
    """Locks a session's plans until the transaction ends, and returns the time after that."""
    now = await _LOCK.fetch_one(connection, session_id=session_id)
    assert now is not None  # the statement always has a row
    return now


_WRITTEN = (
    Row.title,
    Row.description,
    Row.status,
    Row.dependencies,
    Row.priority,
    Row.estimated_steps,
    Row.estimated_tokens,
    Row.result,
    Row.error,
    Row.started_at,
    Row.completed_at,
    Row.duration_seconds,
)
"""The updatable columns with the same name in `Todo`; its `number` is `order_index`."""


def _todos(condition: ColumnElement[bool]) -> Query[Todo]:
    columns = [Row.id, Row.run_id, Row.order_index.label("number"), *_WRITTEN]
    return Query(select(*columns).where(condition).order_by(Row.order_index, Row.id), Todo)


OF_SESSION: Final = Query.deferred(lambda: _todos(Row.chat_session_id == _session_id))
"""The todos of all plans of a session."""
OF_RUN: Final = Query.deferred(lambda: _todos(Row.run_id == _run_id))
"""A run's plan."""
OF_RUN_AND_PEOPLE: Final = Query.deferred(
    lambda: _todos(or_(Row.run_id == _run_id, (Row.chat_session_id == _session_id) & Row.run_id.is_(None)))
)
"""The todos that a run's writes may affect: its own plan, and people's todos, which may depend on it."""


async def fetch(query: Query[Todo], connection: Connection, **values: object) -> list[Todo]:
    """Reads todos by number."""
    todos = await query.fetch_all(connection, **values)
    return [replace(todo, dependencies=tuple(todo.dependencies)) for todo in todos]


# -- writing -----------------------------------------------------------------------------------------------------------

_DELETE: Final = Command(delete(Row).where(Row.id == any_(bindparam("ids", type_=ARRAY(BigInteger)))))


def _write() -> Command:
    changing = (Row.order_index, *_WRITTEN)
    given = json_rows("todos", Row.id, Row.run_id, *changing)
    names = ["id", "run_id", *(column.key for column in changing)]
    inserted = insert(Row).from_select(
        ["chat_session_id", "user_id_last_update", *names],
        select(_session_id, bindparam("user_id", type_=Integer), *(given.c[name] for name in names)),
    )
    changes = {column.key: inserted.excluded[column.key] for column in changing}
    by = func.coalesce(inserted.excluded.user_id_last_update, Row.user_id_last_update)
    return Command(inserted.on_conflict_do_update(index_elements=["id"], set_={**changes, "user_id_last_update": by}))


_WRITE: Final = _write()


def _record(todo: Todo) -> dict[str, Any]:
    own = {column.key: getattr(todo, column.key) for column in _WRITTEN}
    return {"id": todo.id, "run_id": todo.run_id, "order_index": todo.number, **own}


# -- publishing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPlan(StoredIds):
    """A plan to be published."""

    todos: list[dict[str, Any]] | None
    """All todos as ProtoJSON, in order; None if nothing is published."""


def todos_json(plan: CTE) -> ColumnElement[Any]:
    """Returns rows of todos as ProtoJSON.

    Long texts are truncated: an event contains the whole plan, and NATS limits messages to one megabyte.
    """
    todo: dict[str, Any] = {
        "id": cast(plan.c.id, Text),
        "chatSessionId": plan.c.chat_session_id,
        "runId": plan.c.run_id,
        "title": plan.c.title,
        "description": func.left(plan.c.description, _TEXT_IN_EVENT),
        "orderIndex": plan.c.order_index,
        "status": literal("TODO_STATUS_").concat(func.upper(plan.c.status)),
        "dependencies": plan.c.dependencies,
        "priority": plan.c.priority,
        "estimatedSteps": plan.c.estimated_steps,
        "actualSteps": plan.c.actual_steps,
        "estimatedTokens": plan.c.estimated_tokens,
        "actualTokens": plan.c.actual_tokens,
        "result": func.left(plan.c.result.op("#>>")(literal_column("'{}'")), _TEXT_IN_EVENT),
        "error": func.left(plan.c.error, _TEXT_IN_EVENT),
        "startedAt": plan.c.started_at,
        "completedAt": plan.c.completed_at,
        "durationSeconds": plan.c.duration_seconds,
        "creationDate": plan.c.creation_date,
        "lastUpdate": plan.c.last_update,
    }
    pairs = [part for name, column in todo.items() for part in (name, column)]
    stored = func.jsonb_strip_nulls(func.jsonb_build_object(*pairs))
    todos = select(func.jsonb_agg(aggregate_order_by(stored, plan.c.order_index, plan.c.id))).scalar_subquery()
    return func.coalesce(todos, literal([], JSONB))


def store_plan(origin: CTE, plan: CTE) -> tuple[CTE, CTE]:
    """Returns the CTEs `change (todos)` and `stored_events` of an event of a whole plan."""
    change = select(todos_json(plan).label("todos")).cte("change")
    events = with_values(given_events(), change, {("todos", "todos"): change.c.todos})
    return change, stored_events(origin, events)


def _publish() -> Query[StoredPlan]:
    plan = select(Row).where(Row.chat_session_id == _session_id, Row.run_id.is_not_distinct_from(_run_id)).cte("plan")
    origin = select(_session_id.label("chat_session_id"), _run_id.label("run_id")).cte("origin")
    change, stored = store_plan(origin, plan)
    return Query(select(change.c.todos, stored).join_from(change, stored, true()), StoredPlan)


_PUBLISH: Final = Query.deferred(_publish)


def plan_event(text: str) -> SessionEvent:
    """Returns the event of a plan; `fill_plan` adds the todos."""
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=text)
    event.todos.SetInParent()
    return event


def fill_plan(event: SessionEvent, row: StoredPlan) -> None:
    """Adds the stored plan to its event."""
    json_format.ParseDict({"todos": row.todos or []}, event.todos)


async def store(
    transaction: LogTransaction,
    session_id: int,
    run_id: UUID | None,
    before: Sequence[Todo],
    after: Sequence[Todo],
    text: str,
    user_id: int | None = None,
) -> list[Todo]:
    """Writes the differences, and publishes each changed plan.

    Args:
        transaction: A transaction that has locked the plans.
        session_id: Their session.
        run_id: ID of the run of the plan; None for the plan of people.
        before: The current todos of this plan and of others that it may affect.
        after: The same todos after the change.
        text: A description of the change, for display.
        user_id: ID of the user who requested it; None for an agent.

    Returns:
        All of the plan, in order.

    Raises:
        PlanError: The plan is not valid.
    """
    old = {todo.id: todo for todo in before}
    removed = old.keys() - {todo.id for todo in after}
    after = without(after, removed)
    check(after, run_id)
    new = [todo for todo in after if old.get(todo.id) != todo]
    if removed:
        await _DELETE.execute(transaction.connection, ids=list(removed))
    if new:
        records = [_record(todo) for todo in new]
        await _WRITE.execute(transaction.connection, session_id=session_id, todos=records, user_id=user_id)
    for plan in _plans(run_id, [*new, *(old[each] for each in removed)]):
        await _publish_plan(transaction, session_id, plan, text if plan == run_id else "")
    return sorted((todo for todo in after if todo.run_id == run_id), key=lambda todo: todo.number)


async def _publish_plan(transaction: LogTransaction, session_id: int, run_id: UUID | None, text: str) -> None:
    event = plan_event(text)
    await transaction.append(
        _PUBLISH, [event], fill=lambda row: fill_plan(event, row), session_id=session_id, run_id=run_id
    )


def _plans(first: UUID | None, changed: Iterable[Todo]) -> list[UUID | None]:
    plans = {todo.run_id for todo in changed}
    return sorted(plans, key=lambda run_id: (run_id != first, str(run_id)))
