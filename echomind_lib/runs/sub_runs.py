"""Sub-agents: runs below a run. Any worker may take them, and a waiting parent holds no worker.

A call that starts a sub-agent holds its run's id in `external_task_id`. The parent waits in the state
`waiting_for_children`, and is queued when the wait strategy of its step holds: by whoever ends a child, by the parent's
own worker right after it has begun to wait, and by a sweep. `wake` is one conditional update, so it does not matter
how many of them find out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple
from uuid import UUID

import asyncpg

from echomind_lib.events.log import GIVEN, complete, insert_events
from echomind_lib.events.statements import columns
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import run_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.lease import LeaseLostError, RunLease

MAX_CHILDREN: Final = 50
"""Most runs that one run may start."""


@dataclass(frozen=True, slots=True)
class NewSubRun:
    """A sub-agent that is to be started."""

    tool_call_id: str
    goal: str
    inherited_context: str
    max_steps: int
    timeout_seconds: int
    max_run_tokens: int | None
    max_cost: float | None


_START = (
    """
WITH run AS (
    UPDATE runs SET attempt = attempt WHERE id = $1 AND attempt = $2 AND status = 'running' RETURNING *
),
new AS (
    SELECT given.* FROM jsonb_to_recordset($4::jsonb) AS given (id uuid, tool_call_id text, goal text,
        inherited_context text, max_steps int, timeout_seconds int, max_run_tokens bigint, max_cost numeric)
),
children AS (
    INSERT INTO runs (id, user_id, chat_session_id, parent_run_id, parent_step_id, kind, assistant_id,
        assistant_version, input, goal, inherited_context, depth, max_steps, timeout_seconds, max_run_tokens, max_cost,
        max_depth, tainted, priority)
    SELECT new.id, run.user_id, run.chat_session_id, run.id, $3, 'sub_agent', run.assistant_id, run.assistant_version,
        new.goal, new.goal, new.inherited_context, run.depth + 1, new.max_steps, new.timeout_seconds,
        new.max_run_tokens, new.max_cost, run.max_depth, run.tainted, run.priority / 2 * 2
    FROM run, new
),
calls AS (
    UPDATE tool_calls
    SET status = 'running', started_at = now(), external_task_id = new.id::text, external_status = 'queued'
    FROM run, new WHERE tool_calls.step_id = $3 AND tool_calls.tool_call_id = new.tool_call_id
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(5, 6, 7))
    + "SELECT stored_events.* FROM run, stored_events"
)


async def start(
    pool: asyncpg.Pool, taken: RunLease, step_id: int, sub_runs: Sequence[NewSubRun]
) -> tuple[dict[str, UUID], EventsStored]:
    """Queues sub-agents, and notes at each call which one it started.

    Returns:
        The runs by tool call, which the caller wakes a worker for, and the `sub_run_started` events, for announcing.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    ids = [row["id"] for row in await pool.fetch("SELECT uuidv7() AS id FROM generate_series(1, $1)", len(sub_runs))]
    new, events = [], []
    for child_id, sub_run in zip(ids, sub_runs, strict=True):
        new.append(
            {
                "id": str(child_id),
                "tool_call_id": sub_run.tool_call_id,
                "goal": sub_run.goal,
                "inherited_context": sub_run.inherited_context,
                "max_steps": sub_run.max_steps,
                "timeout_seconds": sub_run.timeout_seconds,
                "max_run_tokens": sub_run.max_run_tokens,
                "max_cost": sub_run.max_cost,
            }
        )
        event = SessionEvent(
            kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=f"Started a sub-agent: {sub_run.goal[:200]}"
        )
        event.sub_run_started.run_id = str(child_id)
        event.sub_run_started.goal = sub_run.goal
        event.sub_run_started.depth = taken.run.depth + 1
        event.sub_run_started.tool_call_id = sub_run.tool_call_id
        events.append(event)
    row = await pool.fetchrow(_START, taken.run_id, taken.attempt, step_id, new, *columns(events))
    if row is None:
        raise LeaseLostError
    started = {sub_run.tool_call_id: child_id for child_id, sub_run in zip(ids, sub_runs, strict=True)}
    return started, complete(events, row, taken.session_id, taken.run_id)


_CHILDREN = """
SELECT id, status, goal, result_summary, final_output, error, tainted FROM runs
WHERE parent_run_id = $1 AND completed_at IS NOT NULL
"""


async def read_ended(pool: asyncpg.Pool, run_id: UUID) -> dict[UUID, asyncpg.Record]:
    """The runs that a run has started and that have ended, by id."""
    return {row["id"]: row for row in await pool.fetch(_CHILDREN, run_id)}


class Spent(NamedTuple):
    """What the runs below a run have used."""

    runs: int = 0
    """How many they are."""
    steps: int = 0
    tokens: int = 0
    cost: float = 0.0
    """US dollars."""
    seconds: float = 0.0
    """Worked, without waiting; of runs that worked at the same time, the sum."""


_SPENT = """
WITH RECURSIVE below AS (
    SELECT id, steps_executed, prompt_tokens, completion_tokens, cost, seconds_spent FROM runs WHERE parent_run_id = $1
    UNION ALL
    SELECT runs.id, runs.steps_executed, runs.prompt_tokens, runs.completion_tokens, runs.cost, runs.seconds_spent
    FROM runs JOIN below ON runs.parent_run_id = below.id
)
SELECT count(*) AS runs, COALESCE(sum(steps_executed), 0)::int AS steps,
    COALESCE(sum(prompt_tokens + completion_tokens), 0)::bigint AS tokens, COALESCE(sum(cost), 0)::float8 AS cost,
    COALESCE(sum(seconds_spent), 0)::float8 AS seconds
FROM below
"""


async def read_spent(pool: asyncpg.Pool, run_id: UUID) -> Spent:
    """Returns what the runs below a run have used."""
    (row,) = await pool.fetch(_SPENT, run_id)
    return Spent(**row)


# A step's calls count as ended when they have a result, or when the run that they started has ended.
_CALLS = """
SELECT step.run_id, step.wait_strategy, count(*) AS calls,
    count(*) FILTER (WHERE call.status = 'completed' OR child.status = 'completed') AS succeeded,
    count(*) FILTER (WHERE call.status IN ('pending', 'running') AND child.completed_at IS NULL) AS going_on
FROM steps AS step
JOIN tool_calls AS call ON call.step_id = step.id
LEFT JOIN runs AS child ON child.parent_run_id = step.run_id AND child.id::text = call.external_task_id
WHERE step.run_id = parent.id AND step.status = 'running'
GROUP BY step.id
"""
# One that waits for a person too is not asked any more when its sub-agents are enough.
_MAY_GO_ON = f"""(parent.status = 'waiting_for_children' OR parent.status = 'waiting_for_input' AND EXISTS (
        SELECT FROM runs WHERE runs.parent_run_id = parent.id
    )) AND EXISTS (
        SELECT FROM ({_CALLS}) AS step
        WHERE going_on = 0 OR wait_strategy = 'any' AND succeeded >= 1
            OR wait_strategy = 'majority' AND succeeded * 2 > calls
    )"""
_WAKE = (
    f"""
WITH run AS (
    UPDATE runs AS parent SET status = 'queued', pending_input = NULL
    WHERE parent.id = $1 AND {_MAY_GO_ON}
    RETURNING id, chat_session_id
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events("""(
        SELECT 'status' AS kind, 'Queued' AS text, 1 AS place, jsonb_build_object(
            'status', jsonb_build_object('status', 'RUN_STATUS_QUEUED')) AS payload
        FROM run
    ) AS event""")
    + "SELECT run.id, run.chat_session_id, stored_events.* FROM run, stored_events"
)


async def wake(pool: asyncpg.Pool, parent_run_id: UUID) -> EventsStored | None:
    """Queues a parent that waits, if its step's wait strategy holds by its children; None when there is nothing to do.

    One that waits for a person too is not asked any more then: its step needs no answer.

    The caller announces the event and wakes a worker.
    """
    row = await pool.fetchrow(_WAKE, parent_run_id)
    if row is None:
        return None
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS, text="Queued")
    event.status.status = run_pb2.RUN_STATUS_QUEUED
    return complete([event], row, row["chat_session_id"], parent_run_id)


_WAITING_PARENTS = f"SELECT parent.id FROM runs AS parent WHERE {_MAY_GO_ON} ORDER BY parent.id LIMIT $1"
_ORPHANS = """
SELECT run.id FROM runs AS run
JOIN chat_sessions ON chat_sessions.id = run.chat_session_id
JOIN users ON users.id = run.user_id
LEFT JOIN runs AS parent ON parent.id = run.parent_run_id
WHERE run.status IN ('queued', 'running', 'waiting_for_input', 'waiting_for_children', 'paused')
    AND (parent.completed_at IS NOT NULL OR chat_sessions.deleted_date IS NOT NULL OR NOT users.is_active)
    AND run.control_requested IS DISTINCT FROM 'cancel'
ORDER BY run.id LIMIT $1
"""


async def waiting_parents(pool: asyncpg.Pool, limit: int) -> list[UUID]:
    """Runs that wait for their children and need not any more, for a sweep."""
    return [row["id"] for row in await pool.fetch(_WAITING_PARENTS, limit)]


async def orphans(pool: asyncpg.Pool, limit: int) -> list[UUID]:
    """Returns runs that nobody needs: their parent has ended, their session is removed, or their person deactivated."""
    return [row["id"] for row in await pool.fetch(_ORPHANS, limit)]
