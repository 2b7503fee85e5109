"""What the API does to runs: queue them and control them. Each function is one statement, so one transaction."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from echomind_lib.db.words import RunStatus
from echomind_lib.errors import NotFoundError, RunActiveError
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.pb.echomind.public.v1.run_pb2 import RunEvent
from echomind_lib.runs.events import GIVEN, columns, complete, insert_events
from echomind_lib.runs.states import is_final, sources_of

_TITLE_LENGTH = 80

_IN_SESSION = """
WITH session AS (
    SELECT id, user_id, assistant_id, head_message_id FROM chat_sessions
    WHERE id = $1 AND user_id = $2 AND deleted_date IS NULL
    FOR UPDATE
),
ids AS MATERIALIZED (
    SELECT session.id AS session_id, session.head_message_id, session.assistant_id,
        nextval('chat_messages_id_seq') AS user_message_id, nextval('chat_messages_id_seq') AS assistant_message_id,
        uuidv7() AS run_id
    FROM session
),
touched AS (
    UPDATE chat_sessions
    SET head_message_id = ids.assistant_message_id, most_recent_run_id = ids.run_id,
        title = CASE WHEN message_count = 0 AND title IN ('', 'New Chat') THEN $6 ELSE title END
    FROM ids WHERE chat_sessions.id = ids.session_id
),"""

_NEW_SESSION = """
WITH ids AS MATERIALIZED (
    SELECT nextval('chat_sessions_id_seq')::int AS session_id, NULL::bigint AS head_message_id,
        assistant.id AS assistant_id,
        nextval('chat_messages_id_seq') AS user_message_id, nextval('chat_messages_id_seq') AS assistant_message_id,
        uuidv7() AS run_id
    FROM assistants AS assistant
    WHERE assistant.deleted_date IS NULL AND CASE WHEN $1 = 0 THEN assistant.is_default ELSE assistant.id = $1 END
    LIMIT 1
),
touched AS (
    INSERT INTO chat_sessions (id, user_id, assistant_id, title, head_message_id, most_recent_run_id)
    SELECT session_id, $2, assistant_id, $6, assistant_message_id, run_id FROM ids
),"""

_SEND = (
    """
messages AS (
    INSERT INTO chat_messages (id, chat_session_id, role, content, token_count, parent_message_id, run_id, status)
    SELECT user_message_id, session_id, 'user', $3, $5, head_message_id, NULL, 'completed' FROM ids
    UNION ALL
    SELECT assistant_message_id, session_id, 'assistant', '', 0, user_message_id, run_id, 'streaming' FROM ids
    RETURNING creation_date
),
run AS (
    INSERT INTO runs (id, user_id, chat_session_id, assistant_id, input, request_id, max_steps, timeout_seconds)
    SELECT ids.run_id, $2, ids.session_id, ids.assistant_id, $3, NULLIF($4, ''),
        COALESCE(NULLIF((assistant.config ->> 'maxSteps')::int, 0), 20),
        COALESCE(NULLIF((assistant.config ->> 'timeoutSeconds')::int, 0), 300)
    FROM ids JOIN assistants AS assistant ON assistant.id = ids.assistant_id
    RETURNING max_steps, timeout_seconds
),
origin AS (SELECT session_id AS chat_session_id, run_id FROM ids),"""
    + insert_events("""(
        SELECT 'status' AS kind, 'Queued' AS text, 1 AS place, jsonb_build_object(
            'queued', jsonb_build_object('assistantMessageId', assistant_message_id::text)) AS payload
        FROM ids
    ) AS event""")
    + """
SELECT ids.session_id, ids.assistant_id, ids.head_message_id, ids.user_message_id, ids.assistant_message_id, ids.run_id,
    run.max_steps, run.timeout_seconds, (SELECT min(creation_date) FROM messages) AS creation_date, stored_events.*
FROM ids, run, stored_events
"""
)


@dataclass(frozen=True, slots=True)
class Sent:
    """A stored question with the answer that is to come."""

    session_id: int
    assistant_id: int
    user_message_id: int
    assistant_message_id: int
    parent_message_id: int | None
    run_id: UUID
    content: str
    token_count: int
    max_steps: int
    timeout_seconds: int
    creation_date: datetime
    stored: EventsStored
    """The session's `queued` event, complete, for announcing. Empty for a repetition."""


async def send_message(
    pool: asyncpg.Pool,
    user_id: int,
    session_id: int | None,
    content: str,
    *,
    assistant_id: int = 0,
    request_id: str = "",
    token_count: int = 0,
) -> Sent:
    """Stores a question, its empty answer and the queued run.

    Args:
        pool: The database.
        user_id: Who asks; must own the session.
        session_id: The session; None begins one with `assistant_id` (0: the default assistant).
        content: The question.
        assistant_id: For a new session.
        request_id: The caller's key against repetition; a key that was used gives the first call's messages and run.
        token_count: Tokens of the question.

    Raises:
        NotFoundError: There is no such session or assistant.
        RunActiveError: The session's last run has not ended.
    """
    title = " ".join(content.split())[:_TITLE_LENGTH]
    statement = (_NEW_SESSION if session_id is None else _IN_SESSION) + _SEND
    first = assistant_id if session_id is None else session_id
    try:
        row = await pool.fetchrow(statement, first, user_id, content, request_id, token_count, title)
    except asyncpg.UniqueViolationError as error:
        if error.constraint_name != "idx_runs_active_root":
            return await _sent_before(pool, user_id, request_id)
        if request_id and (repeated := await _find_sent(pool, user_id, request_id)):
            return repeated
        run_id = await pool.fetchval("SELECT most_recent_run_id FROM chat_sessions WHERE id = $1", session_id)
        raise RunActiveError("The session's last question is still being answered.", run_id=str(run_id)) from error
    if row is None:
        noun, missing = ("assistant", assistant_id) if session_id is None else ("chat session", session_id)
        raise NotFoundError(f"There is no {noun} {missing or 'by default'}.", resource=noun, id=str(missing))
    queued = RunEvent(kind=run_pb2.RUN_EVENT_KIND_STATUS, text="Queued")
    queued.queued.assistant_message_id = row["assistant_message_id"]
    question = queued.queued.user_message
    question.id = row["user_message_id"]
    question.chat_session_id = row["session_id"]
    question.role = run_pb2.MESSAGE_ROLE_USER
    question.status = run_pb2.MESSAGE_STATUS_COMPLETED
    question.content = content
    question.token_count = token_count
    if row["head_message_id"]:
        question.parent_message_id = row["head_message_id"]
    question.creation_date.FromDatetime(row["creation_date"])
    return Sent(
        row["session_id"],
        row["assistant_id"],
        row["user_message_id"],
        row["assistant_message_id"],
        row["head_message_id"],
        row["run_id"],
        content,
        token_count,
        row["max_steps"],
        row["timeout_seconds"],
        row["creation_date"],
        complete([queued], row, row["session_id"], row["run_id"]),
    )


_SENT_BEFORE = """
SELECT run.id AS run_id, run.chat_session_id, run.assistant_id, run.max_steps, run.timeout_seconds, run.creation_date,
    answer.id AS assistant_message_id, question.id AS user_message_id, question.content, question.token_count,
    question.parent_message_id
FROM runs AS run
JOIN chat_messages AS answer ON answer.run_id = run.id AND answer.role = 'assistant'
JOIN chat_messages AS question ON question.id = answer.parent_message_id
WHERE run.user_id = $1 AND run.request_id = $2
"""


async def _find_sent(pool: asyncpg.Pool, user_id: int, request_id: str) -> Sent | None:
    row = await pool.fetchrow(_SENT_BEFORE, user_id, request_id)
    if row is None:
        return None
    return Sent(
        row["chat_session_id"],
        row["assistant_id"],
        row["user_message_id"],
        row["assistant_message_id"],
        row["parent_message_id"],
        row["run_id"],
        row["content"],
        row["token_count"] or 0,
        row["max_steps"],
        row["timeout_seconds"],
        row["creation_date"],
        EventsStored(),
    )


async def _sent_before(pool: asyncpg.Pool, user_id: int, request_id: str) -> Sent:
    sent = await _find_sent(pool, user_id, request_id)
    if sent is None:
        raise NotFoundError(f"The run of request {request_id} is gone.", resource="run", id=request_id)
    return sent


_CONTROL_RUNNING = """
UPDATE runs SET control_requested = $2 WHERE id = $1 AND status = 'running' RETURNING chat_session_id
"""

_MOVE_IDLE = (
    """
WITH run AS (
    UPDATE runs
    SET status = $2, attempt = attempt + 1, control_requested = NULL,
        completed_at = CASE WHEN $6 THEN now() END,
        duration_ms = CASE WHEN $6 THEN (extract(epoch FROM now() - COALESCE(started_at, now())) * 1000)::bigint END
    WHERE id = $1 AND status = ANY($7::text[])
    RETURNING id, chat_session_id
),
message AS (
    UPDATE chat_messages SET status = 'cancelled' FROM run WHERE $6 AND chat_messages.run_id = run.id
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(3, 4, 5))
    + "SELECT origin.*, stored_events.* FROM origin, stored_events"
)


@dataclass(frozen=True, slots=True)
class Controlled:
    """What a control did."""

    chat_session_id: int
    stored: EventsStored
    """Events to announce; empty when the run's worker must act."""
    worker_must_act: bool


_STATUS_EVENTS: dict[RunStatus, tuple[run_pb2.RunStatus.ValueType, str]] = {
    "paused": (run_pb2.RUN_STATUS_PAUSED, "Paused"),
    "queued": (run_pb2.RUN_STATUS_QUEUED, "Queued"),
}


async def move_run(pool: asyncpg.Pool, run_id: UUID, target: RunStatus) -> Controlled | None:
    """Cancels, pauses or resumes a run: at once when no worker has it, through its worker otherwise.

    `target` is `cancelled`, `paused` or `queued` (resume). None when the run's state does not allow it.
    """
    event = RunEvent()
    if target == "cancelled":
        event.kind = run_pb2.RUN_EVENT_KIND_FINAL
        event.text = "Cancelled"
        event.finished.status = run_pb2.RUN_STATUS_CANCELLED
    else:
        event.kind = run_pb2.RUN_EVENT_KIND_STATUS
        event.status.status, event.text = _STATUS_EVENTS[target]
    allowed = ["paused"] if target == "queued" else [status for status in sources_of(target) if status != "running"]
    parameters: list[Any] = [run_id, target, *columns([event]), is_final(target), allowed]
    # Twice: the run may be taken, or given back, between the two looks.
    for _ in range(2):
        row = await pool.fetchrow(_MOVE_IDLE, *parameters)
        if row is not None:
            return Controlled(row["chat_session_id"], complete([event], row, row["chat_session_id"], run_id), False)
        if target != "queued":
            control = "cancel" if target == "cancelled" else "pause"
            session_id = await pool.fetchval(_CONTROL_RUNNING, run_id, control)
            if session_id is not None:
                return Controlled(session_id, EventsStored(), True)
    return None
