"""A run in a worker's hands: taken, handed on, given back. Each function is one statement, so one transaction.

Fencing: taking a run raises its `attempt`, and every later write begins with an update that requires that attempt and
the state `running`. A worker that lost its run (it was paused past its lease, say) writes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import asyncpg

from echomind_lib.access.assistant_choice import USABLE
from echomind_lib.db.words import RunStatus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.pb.echomind.public.v1.run_pb2 import RunEvent
from echomind_lib.runs.events import GIVEN, columns, complete, insert_events


class LeaseLostError(Exception):
    """The run belongs to another worker now, or has ended. Stop working on it; nothing more of this worker's counts."""


class ControlPendingError(Exception):
    """A person has asked for something that comes first.

    `control` is `cancel` or `pause`, or `resume` when they have taken back the pause for which the run is left.
    """

    def __init__(self, control: str) -> None:
        super().__init__(control)
        self.control = control


@dataclass(frozen=True, slots=True)
class Taken:
    """A run that this worker has, with all that it needs to begin."""

    run: asyncpg.Record
    """The run with its session's, user's, assistant's and model's columns: see `_TAKE`."""
    attempt: int
    stored: EventsStored
    """The `running` event, for announcing."""

    @property
    def run_id(self) -> UUID:
        """The run."""
        run_id: UUID = self.run["id"]
        return run_id

    @property
    def session_id(self) -> int:
        """Its session."""
        session_id: int = self.run["chat_session_id"]
        return session_id


_TAKE = (
    """
WITH taken AS (
    UPDATE runs
    SET status = 'running', attempt = attempt + 1, worker_id = $2, started_at = COALESCE(started_at, now()),
        retry_count = retry_count + (status = 'running')::int,
        llm_id = (
            SELECT llms.id FROM llms JOIN assistants ON assistants.id = runs.assistant_id
            WHERE llms.is_active AND llms.deleted_date IS NULL AND (llms.id = assistants.llm_id OR llms.is_default)
            ORDER BY llms.id = assistants.llm_id DESC NULLS LAST LIMIT 1)
    WHERE id = $1 AND (status = 'queued' OR status = 'running' AND NOT EXISTS (
        SELECT FROM workers WHERE workers.id = runs.worker_id))
    RETURNING *
),
origin AS (SELECT chat_session_id, id AS run_id FROM taken),"""
    + insert_events("""(
        SELECT 'status' AS kind, 'Working' AS text, 1 AS place, jsonb_build_object(
            'status', jsonb_build_object('status', 'RUN_STATUS_RUNNING', 'attempt', attempt)) AS payload
        FROM taken
    ) AS event""")
    + """
SELECT taken.id, taken.chat_session_id, taken.user_id, taken.kind, taken.input, taken.state, taken.attempt,
    taken.max_steps, taken.timeout_seconds, taken.steps_executed, taken.tools_called, taken.prompt_tokens,
    taken.completion_tokens, taken.retry_count, taken.max_retries, taken.control_requested, taken.started_at,
    taken.assistant_id, taken.parent_run_id, taken.depth, taken.max_depth, taken.goal, taken.inherited_context,
    taken.ask_clarifications, taken.auto_run, taken.max_run_tokens, taken.max_cost::float8 AS max_cost,
    taken.cost::float8 AS cost, taken.seconds_spent, taken.tainted,
    answer.id AS message_id, answer.parent_message_id AS question_id,
    chat_sessions.mode, chat_sessions.goal AS session_goal, chat_sessions.important_steps,
    chat_sessions.compressed_summary, chat_sessions.last_compressed_message_id,
    assistants.name AS assistant_name, assistants.system_prompt, assistants.task_prompt, assistants.config,
    model.id AS llm_id, model.provider, model.model_id, model.endpoint, model.api_key, model.max_tokens,
    model.temperature, model.context_tokens, model.last_update AS llm_last_update,
    """
    + USABLE.format(assistant="assistants", person="asker")
    + """ AS may_use_assistant, stored_events.*
FROM taken
JOIN chat_sessions ON chat_sessions.id = taken.chat_session_id
LEFT JOIN chat_messages AS answer ON answer.run_id = taken.id AND answer.role = 'assistant'
JOIN assistants ON assistants.id = taken.assistant_id
JOIN users AS asker ON asker.id = taken.user_id
LEFT JOIN llms AS model ON model.id = taken.llm_id
CROSS JOIN stored_events
"""
)


async def take(pool: asyncpg.Pool, run_id: UUID, worker_id: UUID) -> Taken | None:
    """Takes a queued run, or one whose worker is dead. None when there is nothing to take."""
    row = await pool.fetchrow(_TAKE, run_id, worker_id)
    if row is None:
        return None
    event = RunEvent(kind=run_pb2.RUN_EVENT_KIND_STATUS, text="Working")
    event.status.status = run_pb2.RUN_STATUS_RUNNING
    event.status.attempt = row["attempt"]
    return Taken(row, row["attempt"], complete([event], row, row["chat_session_id"], run_id))


_LEAVE = (
    """
WITH run AS (
    UPDATE runs
    SET status = $3, worker_id = NULL, control_requested = NULL, pending_input = $4,
        seconds_spent = GREATEST(seconds_spent, $9)
    WHERE id = $1 AND attempt = $2 AND status = 'running'
        AND control_requested IS NOT DISTINCT FROM CASE WHEN $3 = 'paused' THEN 'pause' END
    RETURNING id, chat_session_id
),
message AS (UPDATE chat_messages SET content = $5 FROM run WHERE chat_messages.run_id = run.id AND role = 'assistant'),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(6, 7, 8))
    + "SELECT stored_events.* FROM run, stored_events"
)


_CONTROL = """
SELECT COALESCE(control_requested, 'resume') FROM runs WHERE id = $1 AND attempt = $2 AND status = 'running'
"""


async def leave(
    pool: asyncpg.Pool,
    taken: Taken,
    status: RunStatus,
    content: str,
    seconds: float,
    events: Sequence[RunEvent],
    pending_input: dict[str, Any] | None = None,
) -> EventsStored:
    """Gives a run back, to go on later on any worker.

    Args:
        pool: The database.
        taken: The run.
        status: `paused` when a person asked for it, `waiting_for_input` or `waiting_for_children`; `queued` when they
            have taken the pause back at that moment.
        content: The text so far.
        seconds: Seconds worked so far.
        events: What people are told.
        pending_input: What is asked of a person, as ProtoJSON of `PendingInput`.

    Raises:
        ControlPendingError: A person asked for something else meanwhile, which must be done instead.
        LeaseLostError: The run is not this worker's any more.
    """
    row = await pool.fetchrow(
        _LEAVE, taken.run_id, taken.attempt, status, pending_input, content, *columns(events), seconds
    )
    if row is None:
        control = await pool.fetchval(_CONTROL, taken.run_id, taken.attempt)
        raise LeaseLostError if control is None else ControlPendingError(control)
    return complete(events, row, taken.session_id, taken.run_id)


_RETRY = (
    """
WITH run AS (
    UPDATE runs SET status = 'queued', worker_id = NULL, retry_count = retry_count + 1
    WHERE id = $1 AND attempt = $2 AND status = 'running'
    RETURNING id, chat_session_id
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(3, 4, 5))
    + "SELECT stored_events.* FROM run, stored_events"
)


async def retry(pool: asyncpg.Pool, taken: Taken, text: str) -> EventsStored:
    """Queues a run for another attempt, after a failure that may pass. `text` tells people why.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    event = RunEvent(kind=run_pb2.RUN_EVENT_KIND_WARNING, text=text)
    event.status.status = run_pb2.RUN_STATUS_QUEUED
    event.status.attempt = taken.attempt
    row = await pool.fetchrow(_RETRY, taken.run_id, taken.attempt, *columns([event]))
    if row is None:
        raise LeaseLostError
    return complete([event], row, taken.session_id, taken.run_id)


async def record_events(pool: asyncpg.Pool, taken: Taken, events: Sequence[RunEvent]) -> EventsStored:
    """Stores events alone.

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    row = await pool.fetchrow(_RECORD_EVENTS, taken.run_id, taken.attempt, *columns(events))
    if row is None:
        raise LeaseLostError
    return complete(events, row, taken.session_id, taken.run_id)


_RECORD_EVENTS = (
    """
WITH run AS (
    UPDATE runs SET attempt = attempt WHERE id = $1 AND attempt = $2 AND status = 'running'
    RETURNING id, chat_session_id
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(3, 4, 5))
    + "SELECT stored_events.* FROM run, stored_events"
)
