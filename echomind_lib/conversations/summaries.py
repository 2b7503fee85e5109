"""The work of summarizing a session's earlier messages, as rows: asked for, taken, saved, ended.

One job per session, so it is asked for twice and done once, and can be asked for again later. Who takes the job takes
the session's lock (`is_compressing`, `compressing_started_at`) along with it, from whoever held it before: a worker
that died, or that took longer than `LEASE_SECONDS` for one round. Every later write requires the `started_at` that it
took, and that the summary is still the one that it goes on from.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Final
from uuid import UUID

import asyncpg

from echomind_lib.assistant_settings import AssistantSettings, read_settings
from echomind_lib.conversations.branches import BRANCH
from echomind_lib.errors import LlmUnavailableError, NotFoundError
from echomind_lib.events.log import GIVEN, complete, insert_events
from echomind_lib.events.statements import columns
from echomind_lib.llms import Usage
from echomind_lib.llms.record import LlmRecord
from echomind_lib.messaging import BACKGROUND_COMPRESS, Bus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import CompressRequested, EventsStored
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

KIND: Final = "compress_session"
LEASE_SECONDS: Final = 300
"""How long a session is locked for one round of a worker that says nothing."""
_SWEEP_LIMIT = 100

_MODEL = """
LEFT JOIN LATERAL (
    SELECT * FROM llms
    WHERE llms.is_active AND llms.deleted_date IS NULL AND (llms.id = assistants.llm_id OR llms.is_default)
    ORDER BY llms.id = assistants.llm_id DESC NULLS LAST LIMIT 1
) AS model ON TRUE
"""

# A job that runs is left alone, one that waits to be tried again is due now.
_ASK = f"""
WITH session AS (
    SELECT chat_sessions.id, chat_sessions.assistant_id, model.provider
    FROM chat_sessions JOIN assistants ON assistants.id = chat_sessions.assistant_id {_MODEL}
    WHERE chat_sessions.id = $1 AND chat_sessions.deleted_date IS NULL
),
job AS (
    INSERT INTO background_jobs AS job (kind, subject_id, unique_key)
    SELECT $2::text, session.id::text, $2::text || ':' || session.id FROM session WHERE session.provider <> 'extractive'
    ON CONFLICT (unique_key) DO UPDATE SET status = 'pending', attempt = 0, run_after = now(), error = NULL
    WHERE job.status <> 'running'
        AND ($3 OR job.status <> 'failed' OR COALESCE(job.last_update, job.creation_date) < now() - interval '1 hour')
    RETURNING id
),
asked AS (
    UPDATE chat_sessions SET is_compressing = TRUE FROM session, job WHERE chat_sessions.id = session.id
)
SELECT session.assistant_id, session.provider, (SELECT id FROM job) AS job_id FROM session
"""


async def request_compression(pool: asyncpg.Pool, bus: Bus, session_id: int, *, by_person: bool = True) -> bool:
    """Asks for a session's earlier messages to be summarized, in the background.

    Args:
        pool: The database.
        bus: For waking a worker.
        session_id: The session. Whether the caller may ask for it is for the caller to say.
        by_person: Whether to ask for it even when it has failed within the last hour.

    Returns:
        Whether a job waits now that did not before, or was not due.

    Raises:
        NotFoundError: There is no such session.
        LlmUnavailableError: The session has no chat model, or the built-in one, which cannot summarize.
    """
    row = await pool.fetchrow(_ASK, session_id, KIND, by_person)
    if row is None:
        raise NotFoundError(f"There is no chat session {session_id}.", resource="chat session", id=str(session_id))
    if row["provider"] in (None, "extractive"):
        raise LlmUnavailableError(
            "The session's assistant has no chat model that can summarize: the built-in one only quotes. Add a chat "
            "model, or choose another one for the assistant.",
            assistant_id=str(row["assistant_id"]),
        )
    if row["job_id"] is None:
        return False
    await bus.wake(BACKGROUND_COMPRESS, CompressRequested(job_id=row["job_id"]))
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class SummarizedSession:
    """The session of a job, as it was when the job was claimed."""

    id: int
    assistant_id: int
    head_message_id: int | None
    summary: str | None
    """What its earlier messages say in short so far."""
    summarized_to: int | None
    """The last message that the summary covers."""
    settings: AssistantSettings
    model: LlmRecord | None
    """None when no chat model is active."""


@dataclass(slots=True)
class Job:
    """A job in a worker's hands."""

    id: int
    attempt: int
    session: SummarizedSession | None
    """None when it was removed."""
    started_at: datetime
    """When the lock was taken, or taken again: what later writes require."""
    last_message_id: int | None
    """The last message that the stored summary covers."""

    @property
    def session_id(self) -> int | None:
        """Its session; None when that was removed."""
        return None if self.session is None else self.session.id


_DUE = """
status IN ('pending', 'running') AND (run_after <= now() OR status = 'running' AND NOT EXISTS (
    SELECT FROM workers WHERE workers.id = background_jobs.worker_id))
"""

_TAKE = f"""
WITH job AS (
    UPDATE background_jobs
    SET status = 'running', attempt = attempt + 1, worker_id = $2, run_after = now() + make_interval(secs => $3)
    WHERE id = $1 AND {_DUE}
    RETURNING id, attempt, subject_id::int AS session_id
),
session AS (
    UPDATE chat_sessions SET is_compressing = TRUE, compressing_started_at = clock_timestamp()
    FROM job WHERE chat_sessions.id = job.session_id AND chat_sessions.deleted_date IS NULL
    RETURNING chat_sessions.*
)
SELECT job.id AS job_id, job.attempt, session.id, session.head_message_id, session.compressed_summary,
    session.last_compressed_message_id, session.compressing_started_at, session.assistant_id, assistants.config,
    model.id AS llm_id, model.provider, model.model_id, model.endpoint, model.api_key, model.max_tokens,
    model.temperature::float8 AS temperature, model.context_tokens, model.last_update AS llm_last_update
FROM job LEFT JOIN session ON TRUE LEFT JOIN assistants ON assistants.id = session.assistant_id {_MODEL}
"""


async def claim(pool: asyncpg.Pool, job_id: int, worker_id: UUID) -> Job | None:
    """Takes a job that is due, or whose worker is dead, and its session's lock. None when there is nothing to take."""
    row = await pool.fetchrow(_TAKE, job_id, worker_id, LEASE_SECONDS)
    if row is None:
        return None
    session = None if row["id"] is None else _session(row)
    return Job(row["job_id"], row["attempt"], session, row["compressing_started_at"], row["last_compressed_message_id"])


def _session(row: asyncpg.Record) -> SummarizedSession:
    model = LlmRecord(
        id=row["llm_id"],
        provider=row["provider"],
        model_id=row["model_id"],
        endpoint=row["endpoint"],
        api_key=row["api_key"],
        max_tokens=row["max_tokens"],
        context_tokens=row["context_tokens"],
        temperature=row["temperature"],
        last_update=row["llm_last_update"],
    )
    return SummarizedSession(
        id=row["id"],
        assistant_id=row["assistant_id"],
        head_message_id=row["head_message_id"],
        summary=row["compressed_summary"],
        summarized_to=row["last_compressed_message_id"],
        settings=read_settings(row["config"]),
        model=None if row["llm_id"] is None else model,
    )


async def due(pool: asyncpg.Pool) -> list[int]:
    """Jobs that somebody should take."""
    statement = f"SELECT id FROM background_jobs WHERE kind = $1 AND {_DUE} ORDER BY run_after LIMIT $2"
    return [row["id"] for row in await pool.fetch(statement, KIND, _SWEEP_LIMIT)]


_MESSAGES = (
    BRANCH.format(last="$1", after="$2")
    + """
SELECT message.id, message.role, message.content
FROM branch JOIN chat_messages AS message ON message.id = branch.id
WHERE NOT message.discarded AND message.content <> '' ORDER BY message.id
"""
)
_ON_BRANCH = BRANCH.format(last="$1", after="$2 - 1") + "SELECT EXISTS (SELECT FROM branch WHERE id = $2)"


async def messages(pool: asyncpg.Pool, head: int | None, after: int) -> list[asyncpg.Record]:
    """What was said on the branch that `head` ends, behind the message `after` (0: from its beginning), in order."""
    return await pool.fetch(_MESSAGES, head, after)


# What the newest prompt began with: instructions, earlier messages, and the question.
_IN_PROMPT = """
SELECT jsonb_array_length(steps.llm_input) - 2
FROM runs JOIN steps ON steps.run_id = runs.id
WHERE runs.chat_session_id = $1 AND runs.parent_run_id IS NULL AND jsonb_array_length(steps.llm_input) > 0
ORDER BY runs.id DESC, steps.step_number LIMIT 1
"""


async def messages_in_prompt(pool: asyncpg.Pool, session_id: int) -> int | None:
    """How many earlier messages the session's newest run had in its first prompt; None before the first."""
    found: int | None = await pool.fetchval(_IN_PROMPT, session_id)
    return found


async def is_on_branch(pool: asyncpg.Pool, message_id: int, head: int | None) -> bool:
    """Whether a message is one of the branch that `head` ends."""
    found: bool = await pool.fetchval(_ON_BRANCH, head, message_id)
    return found


# The job comes before the session, as where it is taken.
_SAVE = """
WITH locked AS MATERIALIZED (SELECT id FROM background_jobs WHERE id = $1 FOR NO KEY UPDATE),
session AS (
    UPDATE chat_sessions
    SET compressed_summary = $5, last_compressed_message_id = $6, compressing_started_at = clock_timestamp()
    WHERE id = $2 AND compressing_started_at = $3 AND last_compressed_message_id IS NOT DISTINCT FROM $4
        AND (SELECT count(*) FROM locked) >= 0
    RETURNING compressing_started_at
),
job AS (
    UPDATE background_jobs SET run_after = now() + make_interval(secs => $7) FROM session WHERE background_jobs.id = $1
)
SELECT compressing_started_at FROM session
"""


async def save(pool: asyncpg.Pool, job: Job, summary: str, last_message_id: int) -> bool:
    """Stores a summary and keeps the lock. False when the lock, or the summary that it goes on from, is lost."""
    started_at = await pool.fetchval(
        _SAVE, job.id, job.session_id, job.started_at, job.last_message_id, summary, last_message_id, LEASE_SECONDS
    )
    if started_at is None:
        return False
    job.started_at, job.last_message_id = started_at, last_message_id
    return True


_BOOK = """
UPDATE chat_sessions
SET summary_prompt_tokens = summary_prompt_tokens + $2, summary_completion_tokens = summary_completion_tokens + $3,
    summary_cost = summary_cost + $4
WHERE id = $1
"""


async def book(pool: asyncpg.Pool, job: Job, usage: Usage, cost: Decimal) -> None:
    """Adds what a request to the model took to the session's. It holds whatever becomes of the summary.

    Args:
        pool: The database.
        job: The job.
        usage: The request's tokens.
        cost: Its price in US dollars; 0 when it is not known.
    """
    await pool.execute(_BOOK, job.session_id, usage.prompt_tokens, usage.completion_tokens, cost)


_END = (
    """
WITH job AS (
    UPDATE background_jobs
    SET status = $3::text, error = $4, run_after = now() + make_interval(secs => $5),
        attempt = attempt - CASE WHEN $6 THEN 1 ELSE 0 END
    WHERE id = $1 AND attempt = $2 AND status = 'running'
    RETURNING id
),
session AS (
    UPDATE chat_sessions SET is_compressing = $3::text = 'pending', compressing_started_at = NULL
    WHERE id = $7 AND compressing_started_at = $8 AND (SELECT count(*) FROM job) >= 0
    RETURNING id, head_message_id
),
origin AS (SELECT id AS chat_session_id, NULL::uuid AS run_id FROM session),"""
    + insert_events(GIVEN.format(9, 10, 11))
    + "SELECT session.head_message_id, stored_events.* FROM session, stored_events"
)


async def finish(pool: asyncpg.Pool, job: Job, *, changed: bool) -> EventsStored:
    """Ends a job that is done and gives the lock back.

    Args:
        pool: The database.
        job: The job.
        changed: Whether there was anything to summarize.

    Returns:
        The event that tells of it, for announcing; none when the lock is lost.
    """
    text = "Summarized earlier messages" if changed else "There are no earlier messages to summarize"
    event = _event(job, session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text)
    return await _end(pool, job, "completed", None, 0, [event], returned=False)


async def release(pool: asyncpg.Pool, job: Job) -> None:
    """Gives a job back that was begun and not done, for no fault of its own."""
    await _end(pool, job, "pending", None, 0, [], returned=True)


async def fail(pool: asyncpg.Pool, job: Job, reason: str, retry_after: float | None) -> EventsStored:
    """Ends a job that failed, or puts it off by `retry_after` seconds. `reason` is for people.

    Returns:
        The event that tells of the end, for announcing; none when it is put off, or the lock is lost.
    """
    if retry_after is not None:
        return await _end(pool, job, "pending", reason, retry_after, [], returned=False)
    text = f"Earlier messages could not be summarized: {reason}"
    event = _event(job, session_event_pb2.SESSION_EVENT_KIND_WARNING, text)
    return await _end(pool, job, "failed", reason, 0, [event], returned=False)


def _event(job: Job, kind: session_event_pb2.SessionEventKind.ValueType, text: str) -> SessionEvent:
    event = SessionEvent(kind=kind, text=text)
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_COMPRESSED
    if job.session is not None and job.session.head_message_id is not None:
        event.session_changed.head_message_id = job.session.head_message_id
    return event


async def _end(
    pool: asyncpg.Pool,
    job: Job,
    status: str,
    error: str | None,
    wait: float,
    events: list[SessionEvent],
    *,
    returned: bool,
) -> EventsStored:
    session_id = job.session_id
    parameters = [job.id, job.attempt, status, error, wait, returned, session_id, job.started_at, *columns(events)]
    row = await pool.fetchrow(_END, *parameters)
    if row is None or session_id is None or not events:
        return EventsStored()
    return complete(events, row, session_id, None)
