"""Rows of todos: how a session's plans are locked, read and written, and how each change is told.

Writers take a lock of the session's plans before they read them, so that each sees what the one before has left. Order
of locks: the run's row, the plans, the rows of todos, the log of events.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg
from google.protobuf import json_format

from echomind_lib.db.statements import Connection
from echomind_lib.events.log import complete, insert_events
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.plans.rules import Todo, check, without

LOCK_CLASS: Final = 7002
"""First key of the advisory locks of sessions' plans; the second is the session's id."""
_TEXT_IN_EVENT: Final = 300
_TODO: Final = (
    "id, run_id, order_index, title, description, status, dependencies, priority, estimated_steps, estimated_tokens, "
    "result, error, started_at, completed_at, duration_seconds"
)


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan after a change."""

    todos: list[Todo]
    """All of it, in order."""
    stored: EventsStored
    """The event that tells of it, for announcing; without events when nothing has changed."""


# Long texts are cut: an event holds the whole plan, and a message of NATS at most a megabyte.
PAYLOAD = f"""jsonb_build_object('todos', jsonb_build_object('todos', COALESCE((
    SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'id', id::text, 'chatSessionId', chat_session_id, 'runId', run_id, 'title', title,
        'description', left(description, {_TEXT_IN_EVENT}), 'orderIndex', order_index,
        'status', 'TODO_STATUS_' || upper(status), 'dependencies', dependencies, 'priority', priority,
        'estimatedSteps', estimated_steps, 'actualSteps', actual_steps, 'estimatedTokens', estimated_tokens,
        'actualTokens', actual_tokens, 'result', left(result #>> '{{}}', {_TEXT_IN_EVENT}),
        'error', left(error, {_TEXT_IN_EVENT}), 'startedAt', started_at, 'completedAt', completed_at,
        'durationSeconds', duration_seconds, 'creationDate', creation_date, 'lastUpdate', last_update))
        ORDER BY order_index, id)
    FROM plan), '[]'::jsonb)))"""
"""The payload of an event, as SQL over a CTE `plan` of rows of `todos`."""


async def lock_plans(connection: Connection, session_id: int) -> datetime:
    """Locks a session's plans until the transaction ends, and says what time it is then."""
    now: datetime = await connection.fetchval(
        "SELECT clock_timestamp() FROM pg_advisory_xact_lock($1, $2)", LOCK_CLASS, session_id
    )
    return now


async def fetch(connection: Connection | asyncpg.Pool, condition: str, *values: object) -> list[Todo]:
    """Todos, by number. The condition is SQL over `todos`, its values at `$1`, `$2` and so on."""
    rows = [
        dict(row)
        for row in await connection.fetch(
            f"SELECT {_TODO} FROM todos WHERE {condition} ORDER BY order_index, id",
            *values,
        )
    ]
    return [Todo(number=row.pop("order_index"), dependencies=tuple(row.pop("dependencies")), **row) for row in rows]


_WRITE = """
INSERT INTO todos (id, chat_session_id, run_id, order_index, title, description, status, dependencies, priority,
    estimated_steps, estimated_tokens, result, error, started_at, completed_at, duration_seconds, user_id_last_update)
SELECT new.id, $1, new.run_id, new.number, new.title, new.description, new.status, new.dependencies, new.priority,
    new.estimated_steps, new.estimated_tokens, to_jsonb(new.result), new.error, new.started_at, new.completed_at,
    new.duration_seconds, $3
FROM jsonb_to_recordset($2) AS new (id bigint, run_id uuid, number int, title text, description text, status text,
    dependencies jsonb, priority int, estimated_steps int, estimated_tokens int, result text, error text,
    started_at timestamptz, completed_at timestamptz, duration_seconds int)
ON CONFLICT (id) DO UPDATE SET order_index = excluded.order_index, title = excluded.title,
    description = excluded.description, status = excluded.status, dependencies = excluded.dependencies,
    priority = excluded.priority, estimated_steps = excluded.estimated_steps,
    estimated_tokens = excluded.estimated_tokens, result = excluded.result, error = excluded.error,
    started_at = excluded.started_at, completed_at = excluded.completed_at,
    duration_seconds = excluded.duration_seconds,
    user_id_last_update = COALESCE(excluded.user_id_last_update, todos.user_id_last_update)
"""
_TELL = (
    f"""
WITH origin AS (SELECT $1::int AS chat_session_id, $2::uuid AS run_id),
plan AS (SELECT * FROM todos WHERE chat_session_id = $1 AND run_id IS NOT DISTINCT FROM $2),
change AS (SELECT 'progress' AS kind, $3::text AS text, 1 AS place, {PAYLOAD} AS payload),"""
    + insert_events("change AS event")
    + "SELECT change.payload, stored_events.* FROM change, stored_events"
)


async def store(
    connection: Connection,
    session_id: int,
    run_id: UUID | None,
    before: Sequence[Todo],
    after: Sequence[Todo],
    text: str,
    user_id: int | None = None,
) -> Plan:
    """Writes what differs, and tells of each plan that has changed; `text` is about the plan of `run_id`."""
    old = {todo.id: todo for todo in before}
    gone = old.keys() - {todo.id for todo in after}
    after = without(after, gone)
    check(after, run_id)
    new = [todo for todo in after if old.get(todo.id) != todo]
    mine = sorted((todo for todo in after if todo.run_id == run_id), key=lambda todo: todo.number)
    if not new and not gone:
        return Plan(mine, EventsStored())
    if gone:
        await connection.execute("DELETE FROM todos WHERE id = ANY($1::bigint[])", list(gone))
    if new:
        await connection.execute(_WRITE, session_id, [_record(todo) for todo in new], user_id)
    stored = EventsStored()
    for plan in _plans(run_id, [*new, *(old[one] for one in gone)]):
        line = text if plan == run_id else ""
        [row] = await connection.fetch(_TELL, session_id, plan, line)
        one = complete([todos_event(row["payload"], line)], row, session_id, plan)
        if not stored.events:
            stored.previous_id = one.previous_id
        stored.events.extend(one.events)
    return Plan(mine, stored)


def _plans(first: UUID | None, changed: Iterable[Todo]) -> list[UUID | None]:
    plans = {todo.run_id for todo in changed}
    return sorted(plans, key=lambda run_id: (run_id != first, str(run_id)))


def _record(todo: Todo) -> dict[str, Any]:
    return {field.name: getattr(todo, field.name) for field in fields(Todo)}


def todos_event(payload: dict[str, Any], text: str) -> SessionEvent:
    """The event whose stored payload this is."""
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=text)
    json_format.ParseDict(payload, event)
    return event
