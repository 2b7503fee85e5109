"""Changes of todos: by agents, fenced as described in `fence`, and by people. Each change publishes the whole plan."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import BigInteger, Integer, Uuid, bindparam, func, select

from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Connection, Query
from echomind_lib.db.words import TodoStatus
from echomind_lib.events.log import EventLog
from echomind_lib.plans.rows import OF_RUN, OF_RUN_AND_PEOPLE, OF_SESSION, fetch, lock_plans, store
from echomind_lib.plans.rules import (
    MAX_TODOS,
    ClosedTodo,
    PlanError,
    Todo,
    WrittenTodo,
    closed,
    moved,
    numbered,
    without,
    written,
)
from echomind_lib.runs.fence import LeaseLostError, RunLease

_NEW_IDS: Final = Query(
    select(func.nextval(func.pg_get_serial_sequence("todos", "id"), type_=BigInteger)).select_from(
        func.generate_series(1, bindparam("count", type_=Integer)).alias("numbers")
    ),
    int,
)
_FENCE: Final = Query(
    select(Run.id)
    .where(
        Run.id == bindparam("run_id", type_=Uuid),
        Run.attempt == bindparam("attempt", type_=Integer),
        Run.status == "running",
    )
    .with_for_update(key_share=True),
    UUID,
)


async def write_plan(log: EventLog, lease: RunLease, todos: Sequence[WrittenTodo]) -> list[Todo]:
    """Sets a run's plan: adds new todos, changes existing ones, and removes missing pending ones.

    Raises:
        PlanError: The plan is not valid; nothing is changed.
        LeaseLostError: The worker no longer holds the run.
    """
    async with log.transaction() as transaction:
        _, before = await _affected(transaction.connection, lease)
        mine = [todo for todo in before if todo.run_id == lease.run_id]
        news = len({todo.number for todo in todos} - {todo.number for todo in mine})
        plan = written(mine, todos, lease.run_id, await _NEW_IDS.fetch_all(transaction.connection, count=news))
        others = [todo for todo in before if todo.run_id is None]
        done = sum(todo.status == "completed" for todo in plan)
        text = f"Planned {_count(len(plan))}" + (f", {done} of them done" if done else "")
        return await store(transaction, lease.session_id, lease.run_id, before, [*others, *plan], text)


async def update(
    log: EventLog,
    lease: RunLease,
    number: int,
    status: TodoStatus,
    result: str | None = None,
    error: str | None = None,
) -> list[Todo]:
    """Changes the status of a todo of a run's plan.

    Args:
        log: Event log for publishing.
        lease: The run.
        number: Number of the todo in its plan, starting at 1.
        status: Its new status; the current one is allowed, to change only the result.
        result: The result; None keeps the stored one.
        error: The error; None keeps the stored one.

    Raises:
        PlanError: The todo does not exist, or the transition is not allowed; the message says what to do.
        LeaseLostError: The worker no longer holds the run.
    """
    async with log.transaction() as transaction:
        now, before = await _affected(transaction.connection, lease)
        mine = {todo.number: todo for todo in before if todo.run_id == lease.run_id}
        if number not in mine:
            numbers = f"It has 1 to {len(mine)}." if mine else "It has none: write it first."
            raise PlanError(f"There is no todo {number} in the plan. {numbers}")
        todo = _with_outcome(moved(mine[number], status, before, now), result, error)
        after = [todo if other.id == todo.id else other for other in before]
        return await store(transaction, lease.session_id, lease.run_id, before, after, _line(todo))


async def close(log: EventLog, lease: RunLease, todos: Sequence[ClosedTodo]) -> list[Todo]:
    """Closes the open todos of a run's plan; others are unchanged.

    Raises:
        PlanError: As for `rules.closed`; nothing is changed.
        LeaseLostError: The worker no longer holds the run.
    """
    async with log.transaction() as transaction:
        now, before = await _affected(transaction.connection, lease)
        plan = closed([todo for todo in before if todo.run_id == lease.run_id], todos, now)
        others = [todo for todo in before if todo.run_id is None]
        text = f"Finished {_count(len(plan))}"
        return await store(transaction, lease.session_id, lease.run_id, before, [*others, *plan], text)


async def plan_of(pool: asyncpg.Pool, run_id: UUID) -> list[Todo]:
    """Returns a run's plan, in order."""
    return await fetch(OF_RUN, pool, run_id=run_id)


async def create(log: EventLog, session_id: int, user_id: int, columns: Mapping[str, Any]) -> int:
    """Adds a person's todo at the end of a session's plan.

    Args:
        log: Event log for publishing.
        session_id: The session.
        user_id: ID of the user who adds it.
        columns: Its columns, by name.

    Returns:
        Its id.

    Raises:
        PlanError: The todo is not valid, or the plan is full.
    """
    async with log.transaction() as transaction:
        now, before = await _all(transaction.connection, session_id)
        number = 1 + sum(todo.run_id is None for todo in before)
        if number > MAX_TODOS:
            raise PlanError(f"A plan may have {MAX_TODOS} todos at most: remove some first.")
        (todo_id,) = await _NEW_IDS.fetch_all(transaction.connection, count=1)
        todo = _changed(Todo(todo_id, None, number, ""), columns, before, now)
        await store(transaction, session_id, None, before, [*before, todo], f"Added: {_title(todo)}", user_id)
        return todo_id


async def change(log: EventLog, session_id: int, todo_id: int, user_id: int, columns: Mapping[str, Any]) -> bool:
    """Changes a todo of any plan of the session on behalf of a person.

    Returns:
        Whether the todo exists.

    Raises:
        PlanError: The change is not valid.
    """
    async with log.transaction() as transaction:
        now, before = await _all(transaction.connection, session_id)
        old = next((todo for todo in before if todo.id == todo_id), None)
        if old is None:
            return False
        todo = _changed(old, columns, before, now)
        after = [todo if other.id == todo_id else other for other in before]
        text = _line(todo) if todo.status != old.status else f"Changed: {_title(todo)}"
        await store(transaction, session_id, old.run_id, before, after, text, user_id)
        return True


async def delete(log: EventLog, session_id: int, todo_id: int, user_id: int) -> bool:
    """Removes a todo on behalf of a person, with all dependencies on it, and renumbers its plan.

    Returns:
        Whether the todo existed.
    """
    async with log.transaction() as transaction:
        _, before = await _all(transaction.connection, session_id)
        old = next((todo for todo in before if todo.id == todo_id), None)
        if old is None:
            return False
        left = without(before, [todo_id])
        plan = numbered(todo for todo in left if todo.run_id == old.run_id)
        after = [*(todo for todo in left if todo.run_id != old.run_id), *plan]
        await store(transaction, session_id, old.run_id, before, after, f"Removed: {_title(old)}", user_id)
        return True


async def _affected(connection: Connection, lease: RunLease) -> tuple[datetime, list[Todo]]:
    """Returns the time and the todos that a run's writes may affect: its own, and people's that may depend on them."""
    if await _FENCE.fetch_one(connection, run_id=lease.run_id, attempt=lease.attempt) is None:
        raise LeaseLostError
    now = await lock_plans(connection, lease.session_id)
    return now, await fetch(OF_RUN_AND_PEOPLE, connection, run_id=lease.run_id, session_id=lease.session_id)


async def _all(connection: Connection, session_id: int) -> tuple[datetime, list[Todo]]:
    now = await lock_plans(connection, session_id)
    return now, await fetch(OF_SESSION, connection, session_id=session_id)


def _changed(todo: Todo, columns: Mapping[str, Any], todos: Sequence[Todo], now: datetime) -> Todo:
    """Returns a todo with a person's new values; a new status is applied after the other values."""
    plain = {
        name: value for name, value in columns.items() if name not in ("status", "result", "error", "dependencies")
    }
    todo = replace(todo, **plain)
    if "dependencies" in columns:
        todo = replace(todo, dependencies=tuple(columns["dependencies"]))
    todo = moved(todo, columns.get("status", todo.status), todos, now)
    return _with_outcome(todo, columns.get("result"), columns.get("error"))


def _with_outcome(todo: Todo, result: str | None, error: str | None) -> Todo:
    if result is not None:
        todo = replace(todo, result=result or None)
    return todo if error is None else replace(todo, error=error or None)


_LINES: Final[Mapping[TodoStatus, str]] = {
    "pending": "To do",
    "in_progress": "Working on",
    "completed": "Done",
    "cancelled": "Not needed",
    "failed": "Failed",
}


def _line(todo: Todo) -> str:
    return f"{_LINES[todo.status]}: {_title(todo)}"


def _title(todo: Todo) -> str:
    return todo.title if len(todo.title) <= 200 else todo.title[:199] + "…"


def _count(number: int) -> str:
    return "1 todo" if number == 1 else f"{number} todos"
