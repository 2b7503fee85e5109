"""What people do to runs that have begun: cancel, pause, resume, answer, allow. Each function is one transaction.

A run that no worker has is moved at once. One that a worker has is marked in `control_requested`, and the worker acts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg

from echomind_lib.db.words import RunStatus
from echomind_lib.events.log import GIVEN, complete, insert_events, publish
from echomind_lib.events.statements import columns
from echomind_lib.messaging import RUNS_REQUESTED, Bus, control_subject
from echomind_lib.pb.echomind.internal.v1 import messaging_pb2 as messages
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import run_pb2, session_event_pb2, step_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.finish import CALLS_OF_RUN
from echomind_lib.runs.states import is_final, sources_of

OUTCOME_UNKNOWN = "outcome_unknown. The call was begun, and whether it took effect is not known."
"""The error of a call with a side effect that an interruption cut off."""


@dataclass(frozen=True, slots=True)
class Controlled:
    """What a control did to one run."""

    run_id: UUID
    chat_session_id: int
    stored: EventsStored
    """Events to announce; empty when the run's worker must act."""
    worker_must_act: bool


_CONTROL_RUNNING = """
UPDATE runs SET control_requested = CASE control_requested WHEN 'cancel' THEN 'cancel' ELSE $2 END
WHERE id = $1 AND status = 'running' RETURNING chat_session_id
"""
_TAKE_PAUSE_BACK = """
UPDATE runs SET control_requested = NULL
WHERE id = $1 AND status = 'running' AND control_requested = 'pause' RETURNING chat_session_id
"""
# The session of a run by itself comes first, as in `answers.finish`.
_MOVE_IDLE = (
    """
WITH locked AS MATERIALIZED (
    SELECT session.id FROM runs JOIN chat_sessions AS session ON session.id = runs.chat_session_id
    WHERE $6 AND runs.id = $1 AND runs.auto_run AND runs.parent_run_id IS NULL
    FOR NO KEY UPDATE OF session
),
run AS (
    UPDATE runs
    SET status = $2, attempt = attempt + 1, control_requested = NULL, pending_input = NULL, held_back = FALSE,
        completed_at = CASE WHEN $6 THEN now() END,
        duration_ms = CASE WHEN $6 THEN (extract(epoch FROM now() - COALESCE(started_at, now())) * 1000)::bigint END
    WHERE id = $1 AND status = ANY($7::text[]) AND (SELECT count(*) FROM locked) >= 0
    RETURNING id, chat_session_id
),
session AS (
    UPDATE chat_sessions SET status = 'cancelled' FROM run, locked WHERE chat_sessions.id = locked.id
),
message AS (
    UPDATE chat_messages SET status = 'cancelled', tool_calls = ("""
    + CALLS_OF_RUN
    + """)
    FROM run WHERE $6 AND chat_messages.run_id = run.id
),
calls AS (
    UPDATE tool_calls SET status = 'cancelled', completed_at = now()
    FROM run JOIN steps ON steps.run_id = run.id AND steps.status = 'running'
    WHERE $6 AND tool_calls.step_id = steps.id AND tool_calls.status IN ('pending', 'running')
),
step AS (
    UPDATE steps SET status = 'cancelled', completed_at = now() FROM run
    WHERE $6 AND steps.run_id = run.id AND steps.status = 'running'
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(3, 4, 5))
    + "SELECT origin.*, stored_events.* FROM origin, stored_events"
)
_STATUS_EVENTS: dict[RunStatus, tuple[run_pb2.RunStatus.ValueType, str]] = {
    "paused": (run_pb2.RUN_STATUS_PAUSED, "Paused"),
    "queued": (run_pb2.RUN_STATUS_QUEUED, "Queued"),
}
_BELOW = """
WITH RECURSIVE below AS (
    SELECT id, status, 1 AS level FROM runs WHERE parent_run_id = $1
    UNION ALL
    SELECT runs.id, runs.status, below.level + 1 FROM runs JOIN below ON runs.parent_run_id = below.id
)
SELECT id FROM below WHERE status = ANY($2::text[]) ORDER BY level, id
"""


async def move_run(pool: asyncpg.Pool, run_id: UUID, target: RunStatus) -> list[Controlled]:
    """Cancels, pauses or resumes a run and the runs below it.

    Args:
        pool: The database.
        run_id: The run.
        target: `cancelled`, `paused` or `queued` (resume).

    Returns:
        What was done, the run first. Empty when the run's state does not allow it: then nothing was done.
    """
    own = await _move_one(pool, run_id, target)
    if own is None:
        return []
    return [own, *await move_below(pool, run_id, target)]


async def move_below(pool: asyncpg.Pool, run_id: UUID, target: RunStatus) -> list[Controlled]:
    """Does to all runs below a run what was done to it; those whose state does not allow it stay as they are."""
    sources = ["paused"] if target == "queued" else sources_of(target)
    found = [
        await _move_one(pool, row["id"], target) for row in await pool.fetch(_BELOW, run_id, [*sources, "running"])
    ]
    return [controlled for controlled in found if controlled is not None]


async def _move_one(pool: asyncpg.Pool, run_id: UUID, target: RunStatus) -> Controlled | None:
    event = SessionEvent()
    if target == "cancelled":
        event.kind = session_event_pb2.SESSION_EVENT_KIND_FINAL
        event.text = "Cancelled"
        event.finished.status = run_pb2.RUN_STATUS_CANCELLED
    else:
        event.kind = session_event_pb2.SESSION_EVENT_KIND_STATUS
        event.status.status, event.text = _STATUS_EVENTS[target]
    allowed = ["paused"] if target == "queued" else [status for status in sources_of(target) if status != "running"]
    parameters: list[Any] = [run_id, target, *columns([event]), is_final(target), allowed]
    # Twice: the run may be taken, or given back, between the two looks.
    for _ in range(2):
        row = await pool.fetchrow(_MOVE_IDLE, *parameters)
        if row is not None:
            stored = complete([event], row, row["chat_session_id"], run_id)
            return Controlled(run_id, row["chat_session_id"], stored, False)
        if target == "queued":
            session_id = await pool.fetchval(_TAKE_PAUSE_BACK, run_id)
        else:
            control = "cancel" if target == "cancelled" else "pause"
            session_id = await pool.fetchval(_CONTROL_RUNNING, run_id, control)
        if session_id is not None:
            return Controlled(run_id, session_id, EventsStored(), True)
    return None


# Not FOR UPDATE: writers of events refer to the run while they hold the log's lock, for which this one waits later.
_WAITING = """
SELECT runs.chat_session_id, runs.pending_input, steps.id AS step_id, steps.step_number
FROM runs JOIN steps ON steps.run_id = runs.id AND steps.status = 'running'
WHERE runs.id = $1 AND runs.status = 'waiting_for_input' FOR NO KEY UPDATE OF runs
"""
_ANSWER_CALL = """
UPDATE tool_calls
SET status = CASE WHEN $4 THEN 'failed' ELSE 'completed' END, result = CASE WHEN $4 THEN NULL ELSE $3 END,
    error_message = CASE WHEN $4 THEN $3 END, completed_at = now(), user_id_last_update = $5,
    request_id = NULLIF($6, ''),
    progress_percentage = CASE WHEN $4 THEN progress_percentage ELSE 100 END,
    execution_duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int
WHERE step_id = $1 AND tool_call_id = $2 AND status IN ('pending', 'running')
RETURNING tool_name
"""
_DECIDE_CALLS = """
UPDATE tool_calls
SET approval = CASE WHEN $3 THEN 'granted' ELSE 'declined' END, approval_comment = NULLIF($4, ''),
    status = CASE WHEN $3 THEN status ELSE 'failed' END,
    error_message = CASE WHEN $3 THEN error_message ELSE $5 END,
    completed_at = CASE WHEN $3 THEN NULL ELSE now() END, user_id_last_update = $6
WHERE step_id = $1 AND approval = 'required' AND status = 'pending' AND ($2 = '' OR tool_call_id = $2)
RETURNING tool_call_id, tool_name
"""
_STILL_WAITING = (
    "SELECT tool_call_id FROM tool_calls WHERE step_id = $1 AND approval = 'required' AND status = 'pending'"
)
_GO_ON = (
    """
WITH run AS (
    UPDATE runs SET status = CASE WHEN $2::jsonb IS NULL THEN 'queued' ELSE status END, pending_input = $2,
        user_id_last_update = $3
    WHERE id = $1
    RETURNING id, chat_session_id
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(4, 5, 6))
    + "SELECT stored_events.* FROM run, stored_events"
)


async def provide_input(
    pool: asyncpg.Pool, run_id: UUID, user_id: int, content: str, request_id: str = ""
) -> Controlled | None:
    """Answers what a run asks a person, and queues it.

    Args:
        pool: The database.
        run_id: The run.
        user_id: Who answers.
        content: The answer; the model reads it as the result of its question.
        request_id: Their key against repetition; empty for none.

    Returns:
        What was done; None when the run does not wait for an answer (for none, or for an approval).

    Raises:
        asyncpg.UniqueViolationError: They have answered with this key before.
    """
    async with pool.acquire() as connection, connection.transaction():
        waiting = await connection.fetchrow(_WAITING, run_id)
        if waiting is None or waiting["pending_input"]["kind"] == "PENDING_INPUT_KIND_APPROVAL":
            return None
        pending = waiting["pending_input"]
        unknown = pending["kind"] == "PENDING_INPUT_KIND_OUTCOME"
        call_id = pending["toolCalls"][0]["toolCallId"]
        text = f"{OUTCOME_UNKNOWN} The person says: {content}" if unknown else content
        name = await connection.fetchval(_ANSWER_CALL, waiting["step_id"], call_id, text, unknown, user_id, request_id)
        answered = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text="Answered by a person")
        answered.tool_call.step_number = waiting["step_number"]
        answered.tool_call.tool_call_id = call_id
        answered.tool_call.tool_name = name
        answered.tool_call.status = step_pb2.STEP_STATUS_FAILED if unknown else step_pb2.STEP_STATUS_COMPLETED
        if unknown:
            answered.tool_call.error_message = text
        else:
            answered.tool_call.result = text[:4_000]
        return await _go_on(connection, run_id, waiting["chat_session_id"], None, user_id, [answered, _queued()])


_ANSWERED_WITH = """
SELECT steps.run_id FROM tool_calls JOIN steps ON steps.id = tool_calls.step_id
WHERE tool_calls.user_id_last_update = $1 AND tool_calls.request_id = $2
"""


async def answered_with(pool: asyncpg.Pool, user_id: int, request_id: str) -> UUID | None:
    """The run that a person has answered with a key; None when they have not used it so."""
    run_id: UUID | None = await pool.fetchval(_ANSWERED_WITH, user_id, request_id) if request_id else None
    return run_id


async def approve(
    pool: asyncpg.Pool, run_id: UUID, user_id: int, tool_call_id: str, approved: bool, comment: str
) -> Controlled | None:
    """Approves or denies tool calls that wait for it, and queues the run when none waits any more.

    Args:
        pool: The database.
        run_id: The run.
        user_id: Who decides.
        tool_call_id: The call; empty means all that wait.
        approved: Whether they are approved; denied otherwise.
        comment: For the model, why.

    Returns:
        What was done; None when no such call waits.
    """
    async with pool.acquire() as connection, connection.transaction():
        waiting = await connection.fetchrow(_WAITING, run_id)
        if waiting is None:
            return None
        declined = f"The person declined this call{f': {comment}' if comment else '.'}"
        rows = await connection.fetch(
            _DECIDE_CALLS, waiting["step_id"], tool_call_id, approved, comment, declined, user_id
        )
        if not rows:
            return None
        events = []
        for row in rows:
            event = SessionEvent(
                kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS,
                text=f"{'Approved' if approved else 'Denied'} {row['tool_name']}",
            )
            event.tool_call.step_number = waiting["step_number"]
            event.tool_call.tool_call_id = row["tool_call_id"]
            event.tool_call.tool_name = row["tool_name"]
            event.tool_call.approval = step_pb2.TOOL_APPROVAL_GRANTED if approved else step_pb2.TOOL_APPROVAL_DECLINED
            event.tool_call.status = step_pb2.STEP_STATUS_PENDING if approved else step_pb2.STEP_STATUS_FAILED
            if not approved:
                event.tool_call.error_message = declined
            events.append(event)
        left = {row["tool_call_id"] for row in await connection.fetch(_STILL_WAITING, waiting["step_id"])}
        pending = None
        if left:
            calls = [call for call in waiting["pending_input"]["toolCalls"] if call["toolCallId"] in left]
            pending = waiting["pending_input"] | {"toolCalls": calls}
        else:
            events.append(_queued())
        return await _go_on(connection, run_id, waiting["chat_session_id"], pending, user_id, events)


async def _go_on(
    connection: Any,
    run_id: UUID,
    session_id: int,
    pending: dict[str, Any] | None,
    user_id: int,
    events: Sequence[SessionEvent],
) -> Controlled:
    row = await connection.fetchrow(_GO_ON, run_id, pending, user_id, *columns(events))
    return Controlled(run_id, session_id, complete(events, row, session_id, run_id), False)


def _queued() -> SessionEvent:
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS, text="Queued")
    event.status.status = run_pb2.RUN_STATUS_QUEUED
    return event


_CONTROLS: dict[RunStatus, messages.Control.ValueType] = {
    "cancelled": messages.CONTROL_CANCEL,
    "paused": messages.CONTROL_PAUSE,
    "queued": messages.CONTROL_RESUME,
}


async def publish_controls(bus: Bus, done: Sequence[Controlled], target: RunStatus) -> None:
    """Tells of what was done to runs.

    It tells the listeners of their sessions, the workers that have them, and, when they are queued, the workers that
    may take them.
    """
    for controlled in done:
        await publish(bus, controlled.stored)
        if controlled.worker_must_act:
            message = messages.ControlRequested(run_id=str(controlled.run_id), control=_CONTROLS[target])
            await bus.publish(control_subject(controlled.run_id), message)
        elif target == "queued":
            await bus.wake(RUNS_REQUESTED, messages.RunRequested(run_id=str(controlled.run_id)))
        else:
            # Another run of the same person may have waited for it.
            await bus.wake(RUNS_REQUESTED, messages.RunRequested())
