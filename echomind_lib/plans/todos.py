"""Todos: an agent's writes, fenced as `lease` says, and people's. Each change tells of the whole plan."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg

from echomind_lib.db.statements import Connection
from echomind_lib.db.words import TodoStatus
from echomind_lib.events.log import complete, insert_events
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.plans.rows import LOCK_CLASS, PAYLOAD, Plan, fetch, lock_plans, store, todos_event
from echomind_lib.plans.rules import MAX_TODOS, OPEN, PlanError, Todo, WrittenTodo, moved, numbered, without, written
from echomind_lib.runs.fence import LeaseLostError
from echomind_lib.runs.lease import RunLease

_COLUMNS: Final = (
    "id, chat_session_id, run_id, title, description, order_index, status, dependencies, priority, estimated_steps, "
    "actual_steps, estimated_tokens, actual_tokens, result, error, started_at, completed_at, duration_seconds, "
    "creation_date, last_update"
)


async def write_plan(pool: asyncpg.Pool, taken: RunLease, todos: Sequence[WrittenTodo]) -> Plan:
    """Sets a run's plan: what is new is added, what is there is changed, pending todos that are missing are removed.

    Raises:
        PlanError: The plan cannot be; nothing is changed.
        LeaseLostError: The run is not this worker's any more.
    """
    async with pool.acquire() as connection, connection.transaction():
        _, before = await _own(connection, taken)
        mine = [todo for todo in before if todo.run_id == taken.run_id]
        news = len({todo.number for todo in todos} - {todo.number for todo in mine})
        ids = await connection.fetch(
            "SELECT nextval(pg_get_serial_sequence('todos', 'id')) AS id FROM generate_series(1, $1)", news
        )
        plan = written(mine, todos, taken.run_id, [row["id"] for row in ids])
        others = [todo for todo in before if todo.run_id is None]
        done = sum(todo.status == "completed" for todo in plan)
        text = f"Planned {_count(len(plan))}" + (f", {done} of them done" if done else "")
        return await store(connection, taken.session_id, taken.run_id, before, [*others, *plan], text)


async def update(
    pool: asyncpg.Pool,
    taken: RunLease,
    number: int,
    status: TodoStatus,
    result: str | None = None,
    error: str | None = None,
) -> Plan:
    """Says how far a todo of a run's plan is.

    Args:
        pool: The database.
        taken: The run.
        number: Which todo of its plan, from 1.
        status: Its new status; the old one may be given again, to change the result.
        result: What came of it; None leaves it as it is.
        error: Why it failed; None leaves it as it is.

    Raises:
        PlanError: There is no such todo, or it may not go there; the message says what to do.
        LeaseLostError: The run is not this worker's any more.
    """
    async with pool.acquire() as connection, connection.transaction():
        now, before = await _own(connection, taken)
        mine = {todo.number: todo for todo in before if todo.run_id == taken.run_id}
        if number not in mine:
            numbers = f"It has 1 to {len(mine)}." if mine else "It has none: write it first."
            raise PlanError(f"There is no todo {number} in the plan. {numbers}")
        todo = _with_outcome(moved(mine[number], status, before, now), result, error)
        after = [todo if other.id == todo.id else other for other in before]
        return await store(connection, taken.session_id, taken.run_id, before, after, _line(todo))


# Todos count a step that began while they were in progress, or that brought them there: also the one that ended them.
# Without such a todo nothing is locked or written, so it costs a look into an index.
_SPENDS = """
(todos.status = 'in_progress' OR todos.status IN ('completed', 'failed') AND todos.completed_at >= (
    SELECT creation_date FROM steps WHERE steps.id = $5))
"""
_SPEND = (
    f"""
WITH mine AS (
    SELECT id, chat_session_id FROM runs WHERE id = $1 AND attempt = $2 AND status = 'running'
),
run AS (
    SELECT id, chat_session_id FROM runs
    WHERE id = $1 AND attempt = $2 AND status = 'running'
        AND EXISTS (SELECT FROM todos WHERE run_id = $1 AND {_SPENDS})
    FOR NO KEY UPDATE
),
plans AS MATERIALIZED (SELECT pg_advisory_xact_lock({LOCK_CLASS}, chat_session_id), id FROM run),
locked AS MATERIALIZED (
    SELECT todos.*, {_SPENDS} AS spends FROM plans JOIN todos ON todos.run_id = plans.id FOR UPDATE OF todos
),
spent AS (
    UPDATE todos
    SET actual_steps = LEAST(todos.actual_steps + $3::bigint, 2147483647)::int,
        actual_tokens = LEAST(todos.actual_tokens + $4::bigint, 2147483647)::int
    FROM locked WHERE todos.id = locked.id AND locked.spends
    RETURNING todos.*
),
plan AS (
    SELECT * FROM spent
    UNION ALL
    SELECT todos.* FROM locked JOIN todos ON todos.id = locked.id WHERE locked.spends IS NOT TRUE
),
origin AS (SELECT chat_session_id, id AS run_id FROM run WHERE EXISTS (SELECT FROM spent)),
change AS (SELECT 'progress' AS kind, '' AS text, 1 AS place, {PAYLOAD} AS payload),"""
    + insert_events("change AS event")
    + "SELECT EXISTS (SELECT FROM mine) AS is_mine, change.payload, stored_events.* FROM change, stored_events"
)


async def spend(pool: asyncpg.Pool, taken: RunLease, steps: int, tokens: int, step_id: int) -> EventsStored:
    """Counts steps and tokens for the todos of a run that are in progress, or were in this step, each in full.

    Returns:
        The event, for announcing; without events when none is in progress.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    row = await pool.fetchrow(_SPEND, taken.run_id, taken.attempt, steps, tokens, step_id)
    if row is None or not row["is_mine"]:
        raise LeaseLostError
    if row["event_ids"] is None:
        return EventsStored(previous_id=row["previous_event_id"])
    return complete([todos_event(row["payload"], "")], row, taken.session_id, taken.run_id)


async def plan_of(pool: asyncpg.Pool, run_id: UUID) -> list[Todo]:
    """A run's plan, in order."""
    return await fetch(pool, "run_id = $1", run_id)


async def open_todos(pool: asyncpg.Pool, run_id: UUID) -> list[Todo]:
    """What is still to be done of a run's plan, in order: pending, or in progress."""
    return [todo for todo in await plan_of(pool, run_id) if todo.status in OPEN]


async def read(
    pool: asyncpg.Pool, condition: str, values: Sequence[object], limit: int | None = None
) -> list[asyncpg.Record]:
    """Todos for people, by run and then in order, those of no run first. Whether they may see them is for the caller.

    Args:
        pool: The database.
        condition: SQL over `todos`, its values at `$1`, `$2` and so on.
        values: The condition's values.
        limit: How many at most.
    """
    return await pool.fetch(
        f"SELECT {_COLUMNS} FROM todos WHERE {condition} "
        f"ORDER BY run_id NULLS FIRST, order_index, id LIMIT ${len(values) + 1}",
        *values,
        limit,
    )


async def create(
    pool: asyncpg.Pool, session_id: int, user_id: int, columns: Mapping[str, Any]
) -> tuple[int, EventsStored]:
    """Adds a person's todo at the end of a session's plan.

    Args:
        pool: The database.
        session_id: The session.
        user_id: Who adds it.
        columns: Its columns, by name.

    Returns:
        Its id, and the event for announcing.

    Raises:
        PlanError: It cannot be, or the plan is full.
    """
    async with pool.acquire() as connection, connection.transaction():
        now, before = await _all(connection, session_id)
        number = 1 + sum(todo.run_id is None for todo in before)
        if number > MAX_TODOS:
            raise PlanError(f"A plan may have {MAX_TODOS} todos at most: remove some first.")
        todo_id: int = await connection.fetchval("SELECT nextval(pg_get_serial_sequence('todos', 'id'))")
        todo = _changed(Todo(todo_id, None, number, ""), columns, before, now)
        plan = await store(connection, session_id, None, before, [*before, todo], f"Added: {_title(todo)}", user_id)
        return todo_id, plan.stored


async def change(
    pool: asyncpg.Pool, session_id: int, todo_id: int, user_id: int, columns: Mapping[str, Any]
) -> EventsStored | None:
    """Changes a todo for a person, of whichever plan of the session.

    Returns:
        The event for announcing; None when there is no such todo.

    Raises:
        PlanError: It cannot become so.
    """
    async with pool.acquire() as connection, connection.transaction():
        now, before = await _all(connection, session_id)
        old = next((todo for todo in before if todo.id == todo_id), None)
        if old is None:
            return None
        todo = _changed(old, columns, before, now)
        after = [todo if other.id == todo_id else other for other in before]
        text = _line(todo) if todo.status != old.status else f"Changed: {_title(todo)}"
        return (await store(connection, session_id, old.run_id, before, after, text, user_id)).stored


async def delete(pool: asyncpg.Pool, session_id: int, todo_id: int, user_id: int) -> EventsStored | None:
    """Removes a todo for a person; others do not depend on it any more, and its plan is renumbered.

    Returns:
        The event for announcing; None when there is no such todo.
    """
    async with pool.acquire() as connection, connection.transaction():
        _, before = await _all(connection, session_id)
        old = next((todo for todo in before if todo.id == todo_id), None)
        if old is None:
            return None
        left = without(before, [todo_id])
        plan = numbered(todo for todo in left if todo.run_id == old.run_id)
        after = [*(todo for todo in left if todo.run_id != old.run_id), *plan]
        text = f"Removed: {_title(old)}"
        return (await store(connection, session_id, old.run_id, before, after, text, user_id)).stored


_FENCE = """
SELECT id FROM runs WHERE id = $1 AND attempt = $2 AND status = 'running' FOR NO KEY UPDATE
"""


async def _own(connection: Connection, taken: RunLease) -> tuple[datetime, list[Todo]]:
    """The time, and the todos that a run's writes may concern: its own, and people's, which may depend on them."""
    if await connection.fetchval(_FENCE, taken.run_id, taken.attempt) is None:
        raise LeaseLostError
    now = await lock_plans(connection, taken.session_id)
    of_both = "run_id = $1 OR chat_session_id = $2 AND run_id IS NULL"
    return now, await fetch(connection, of_both, taken.run_id, taken.session_id)


async def _all(connection: Connection, session_id: int) -> tuple[datetime, list[Todo]]:
    now = await lock_plans(connection, session_id)
    return now, await fetch(connection, "chat_session_id = $1", session_id)


def _changed(todo: Todo, columns: Mapping[str, Any], todos: Sequence[Todo], now: datetime) -> Todo:
    """A todo with a person's new values; a status among them takes effect after the others."""
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
