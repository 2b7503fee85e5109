"""Checkpoints: states of a session to go back to. What they hold is written in one place, `_STATE`."""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from echomind_lib.db.words import ACTIVE_RUN_STATUSES, CheckpointType
from echomind_lib.errors import NotFoundError, RunActiveError
from echomind_lib.events.log import GIVEN, complete, insert_events
from echomind_lib.events.statements import LOCK_CLASS, columns
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.plans.rows import lock_plans
from echomind_lib.runs.fence import LeaseLostError

Connection = asyncpg.Pool | asyncpg.Connection | PoolConnectionProxy

KEPT: Final = 200
"""Most checkpoints of a session that nobody asked for; the oldest go."""
NAME_LENGTH: Final = 255

_ACTIVE_ROOT = "run.parent_run_id IS NULL AND run.status IN ({})".format(
    ", ".join(f"'{status}'" for status in ACTIVE_RUN_STATUSES)
)
_LOCK = "SELECT head_message_id FROM chat_sessions WHERE id = $1 AND deleted_date IS NULL FOR NO KEY UPDATE"
_ACTIVE = f"SELECT id FROM runs AS run WHERE chat_session_id = $1 AND {_ACTIVE_ROOT}"

LAST_FINISHED: Final = """(
    SELECT CASE WHEN head.status = 'streaming' THEN question.parent_message_id ELSE head.id END
    FROM chat_messages AS head LEFT JOIN chat_messages AS question ON question.id = head.parent_message_id
    WHERE head.id = session.head_message_id)"""
"""The last finished answer of a `session`'s shown branch. One that is being written is the head; the answer before its
question is whole."""

# The session's columns under their own names, and its todos as whole rows. Of a run at work there is no answer yet; a
# milestone is a state that its answer belongs to.
_STATE = f"""
jsonb_build_object(
    'head_message_id', CASE WHEN $2::text = 'milestone' THEN session.head_message_id ELSE {LAST_FINISHED} END,
    'goal', session.goal, 'status', session.status,
    'context', session.context, 'preferences', session.preferences, 'important_steps', session.important_steps,
    'compressed_summary', session.compressed_summary,
    'last_compressed_message_id', session.last_compressed_message_id,
    'todos', COALESCE((
        SELECT jsonb_agg(to_jsonb(todos) ORDER BY todos.id) FROM todos WHERE todos.chat_session_id = session.id
    ), '[]'::jsonb))"""

_ANY_RUN = "WITH session AS (SELECT * FROM chat_sessions WHERE id = $1 AND deleted_date IS NULL),"
_FENCED_RUN = """
WITH fence AS (
    SELECT chat_session_id FROM runs WHERE id = $5 AND attempt = $8 AND status = 'running' FOR NO KEY UPDATE
),
session AS (
    SELECT * FROM chat_sessions WHERE id = (SELECT chat_session_id FROM fence WHERE chat_session_id = $1)
),"""

_CREATE = (
    f"""
checkpoint AS (
    INSERT INTO checkpoints (chat_session_id, run_id, name, description, checkpoint_type, session_state, step_number)
    SELECT session.id, COALESCE($5, run.id), $3, NULLIF($4, ''), $2::text, {_STATE}, COALESCE($6, run.steps_executed)
    FROM session LEFT JOIN runs AS run ON run.chat_session_id = session.id AND {_ACTIVE_ROOT}
    RETURNING id, chat_session_id, run_id
),
removed AS (
    DELETE FROM checkpoints WHERE $2::text <> 'manual' AND id IN (
        SELECT id FROM checkpoints WHERE chat_session_id = $1 AND checkpoint_type <> 'manual'
        ORDER BY id DESC OFFSET $7)
),
origin AS (SELECT chat_session_id, run_id FROM checkpoint),"""
    + insert_events("""(
        SELECT 'progress' AS kind, 'Checkpoint: ' || $3 AS text, 1 AS place, jsonb_build_object(
            'sessionChanged', jsonb_strip_nulls(jsonb_build_object(
                'change', 'SESSION_CHANGE_CHECKPOINT_CREATED', 'checkpointId', checkpoint.id::text,
                'headMessageId', session.head_message_id::text))) AS payload
        FROM checkpoint, session
    ) AS event""")
    + """
SELECT checkpoint.*, session.head_message_id, stored_events.* FROM checkpoint, session, stored_events
"""
)


@dataclass(frozen=True, slots=True)
class Created:
    """A checkpoint that was made."""

    checkpoint_id: int
    stored: EventsStored
    """The event that tells of it, for announcing."""


async def create(
    connection: Connection,
    chat_session_id: int,
    checkpoint_type: CheckpointType,
    name: str,
    *,
    description: str = "",
    run_id: UUID | None = None,
    step_number: int | None = None,
    attempt: int | None = None,
) -> Created:
    """Makes a checkpoint of a session as it is, in one statement.

    While a run is at work, its question and its answer are no part of it: the checkpoint's head is the answer before.
    Only a milestone, which is something that the run has reached, has the run's own answer as its head.

    Args:
        connection: The database: a pool, or a connection in a transaction.
        chat_session_id: The session.
        checkpoint_type: Why it is made; of all but `manual` ones a session keeps the last 200.
        name: Its name, cut to 255 characters.
        description: More about it.
        run_id: The run that is at work; None means the session's active one, if there is one.
        step_number: The run's step; None means how many it has.
        attempt: For a worker: `run_id` must be running with this attempt.

    Raises:
        NotFoundError: There is no such session.
        LeaseLostError: The run is not this worker's any more.
    """
    name = name[:NAME_LENGTH]
    parameters = [chat_session_id, checkpoint_type, name, description, run_id, step_number, KEPT - 1]
    if attempt is None:
        row = await connection.fetchrow(_ANY_RUN + _CREATE, *parameters)
        if row is None:
            raise _missing("chat session", chat_session_id)
    else:
        row = await connection.fetchrow(_FENCED_RUN + _CREATE, *parameters, attempt)
        if row is None:
            raise LeaseLostError
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=f"Checkpoint: {name}")
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_CHECKPOINT_CREATED
    event.session_changed.checkpoint_id = row["id"]
    if row["head_message_id"]:
        event.session_changed.head_message_id = row["head_message_id"]
    return Created(row["id"], complete([event], row, row["chat_session_id"], row["run_id"]))


async def lock_idle_session(connection: Connection, chat_session_id: int) -> int | None:
    """Locks a session, in which nothing is at work, until the transaction ends; says which message is its head.

    A question that comes in the meantime waits, and follows the head that it finds then.

    Raises:
        NotFoundError: There is no such session.
        RunActiveError: It has a run that is not finished.
    """
    session = await connection.fetchrow(_LOCK, chat_session_id)
    if session is None:
        raise _missing("chat session", chat_session_id)
    # Looked up after the lock is there: a statement sees what was committed before it began.
    run_id = await connection.fetchval(_ACTIVE, chat_session_id)
    if run_id is not None:
        raise RunActiveError(
            "The session has a run that is not finished: wait for it, or cancel it first.", run_id=str(run_id)
        )
    head: int | None = session["head_message_id"]
    return head


# The state is given as text, so that PostgreSQL reads what it has written. No run is at work, so none is paused.
_RESTORE = (
    """
WITH session AS (
    UPDATE chat_sessions
    SET head_message_id = saved.head_message_id, goal = saved.goal,
        status = CASE saved.status WHEN 'paused' THEN 'active' ELSE saved.status END, context = saved.context,
        preferences = saved.preferences, important_steps = saved.important_steps,
        compressed_summary = saved.compressed_summary, last_compressed_message_id = saved.last_compressed_message_id,
        user_id_last_update = $3
    FROM jsonb_populate_record(NULL::chat_sessions, $2::text::jsonb) AS saved
    WHERE chat_sessions.id = $1
    RETURNING chat_sessions.id
),
origin AS (SELECT id AS chat_session_id, NULL::uuid AS run_id FROM session),"""
    + insert_events(GIVEN.format(4, 5, 6))
    + "SELECT stored_events.* FROM stored_events"
)
# Written again rather than updated, so that the dates are the old ones too. Who was removed since is not named.
_RESTORE_TODOS = """
INSERT INTO todos
SELECT (jsonb_populate_record(saved, jsonb_build_object('user_id_last_update', (
    SELECT users.id FROM users WHERE users.id = saved.user_id_last_update)))).*
FROM jsonb_populate_recordset(NULL::todos, $1::text::jsonb -> 'todos') AS saved
"""


_READ = """
SELECT chat_session_id, name, session_state::text AS state, session_state -> 'head_message_id' AS head_message_id
FROM checkpoints WHERE id = $1
"""


@dataclass(frozen=True, slots=True)
class Restored:
    """A session that was taken back to a checkpoint."""

    chat_session_id: int
    stored: list[EventsStored]
    """Events for announcing: of the checkpoint of the state before, and of the return."""


async def restore(pool: asyncpg.Pool, checkpoint_id: int, user_id: int) -> Restored:
    """Takes a session back to a checkpoint: its head, todos, goal, context, preferences and summary are as they were.

    Messages that came later stay as a branch. The state before is kept as an automatic checkpoint.

    Args:
        pool: The database.
        checkpoint_id: The checkpoint.
        user_id: Who wants it. Whether they may is for the caller to say.

    Raises:
        NotFoundError: There is no such checkpoint.
        RunActiveError: The session has a run that is not finished.
    """
    async with pool.acquire() as connection, connection.transaction():
        found = await connection.fetchrow(_READ, checkpoint_id)
        if found is None:
            raise _missing("checkpoint", checkpoint_id)
        session_id: int = found["chat_session_id"]
        await lock_idle_session(connection, session_id)
        await lock_plans(connection, session_id)
        before = await create(connection, session_id, "auto", f"Before going back to: {found['name']}")
        await connection.execute("DELETE FROM todos WHERE chat_session_id = $1", session_id)
        await connection.execute(_RESTORE_TODOS, found["state"])
        event = SessionEvent(
            kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=f"Back to checkpoint: {found['name']}"
        )
        event.session_changed.change = session_event_pb2.SESSION_CHANGE_CHECKPOINT_RESTORED
        event.session_changed.checkpoint_id = checkpoint_id
        if found["head_message_id"]:
            event.session_changed.head_message_id = found["head_message_id"]
        row = await connection.fetchrow(_RESTORE, session_id, found["state"], user_id, *columns([event]))
        assert row is not None  # the session is locked
        return Restored(session_id, [before.stored, complete([event], row, session_id, None)])


# The log's lock comes first, as where a checkpoint is made that takes the place of older ones.
_REMOVE = f"""
WITH locked AS MATERIALIZED (
    SELECT pg_advisory_xact_lock({LOCK_CLASS}, chat_session_id) FROM checkpoints WHERE id = $1
),
removed AS (
    DELETE FROM checkpoints WHERE id = $1 AND (SELECT count(*) FROM locked) >= 0 RETURNING chat_session_id, name
),
origin AS (SELECT chat_session_id, NULL::uuid AS run_id FROM removed),""" + (
    insert_events("""(
        SELECT 'progress' AS kind, 'Removed checkpoint: ' || name AS text, 1 AS place, jsonb_build_object(
            'sessionChanged', jsonb_build_object(
                'change', 'SESSION_CHANGE_CHECKPOINT_DELETED', 'checkpointId', $1::text)) AS payload
        FROM removed
    ) AS event""")
    + "SELECT removed.*, stored_events.* FROM removed, stored_events"
)


async def remove(pool: asyncpg.Pool, checkpoint_id: int) -> EventsStored:
    """Removes a checkpoint.

    Args:
        pool: The database.
        checkpoint_id: The checkpoint. Whether the caller may do it is for the caller to say.

    Returns:
        The event that tells of it, for announcing.

    Raises:
        NotFoundError: There is no such checkpoint.
    """
    row = await pool.fetchrow(_REMOVE, checkpoint_id)
    if row is None:
        raise _missing("checkpoint", checkpoint_id)
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=f"Removed checkpoint: {row['name']}")
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_CHECKPOINT_DELETED
    event.session_changed.checkpoint_id = checkpoint_id
    return complete([event], row, row["chat_session_id"], None)


def _missing(resource: str, id: int) -> NotFoundError:  # noqa: A002 - the word of the contract's metadata
    return NotFoundError(f"There is no {resource} {id}.", resource=resource, id=str(id))
