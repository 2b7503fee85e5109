"""What a worker does to a run: take it, record its steps, end it. Each function is one statement, so one transaction.

Fencing: taking a run raises its `attempt`, and every later write begins with an update that requires that attempt and
the state `running`. A worker that lost its run (it was paused past its lease, say) writes nothing.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

import asyncpg

from echomind_lib.db.words import MessageStatus, RunStatus, StepAction, StepStatus, StepType, ToolCallStatus
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.pb.echomind.public.v1.run_pb2 import RunEvent
from echomind_lib.runs.events import GIVEN, columns, complete, insert_events, run_status

LEASE_SECONDS = 15
"""A worker whose heartbeat is older has lost its runs."""
HEARTBEAT_SECONDS = 5
"""How often a worker says that it lives."""


class LeaseLostError(Exception):
    """The run belongs to another worker now, or has ended. Stop working on it; nothing more of this worker's counts."""


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
        retry_count = retry_count + (status = 'running')::int
    WHERE id = $1 AND (status = 'queued' OR status = 'running' AND NOT EXISTS (
        SELECT FROM workers
        WHERE workers.id = runs.worker_id AND workers.heartbeat_at > now() - make_interval(secs => $3)))
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
    taken.assistant_id, answer.id AS message_id, answer.parent_message_id AS question_id,
    chat_sessions.mode, chat_sessions.compressed_summary,
    assistants.name AS assistant_name, assistants.system_prompt, assistants.task_prompt, assistants.config,
    model.id AS llm_id, model.provider, model.model_id, model.endpoint, model.api_key, model.max_tokens,
    model.temperature, model.context_tokens, model.last_update AS llm_last_update,
    stored_events.*
FROM taken
JOIN chat_sessions ON chat_sessions.id = taken.chat_session_id
JOIN chat_messages AS answer ON answer.run_id = taken.id AND answer.role = 'assistant'
JOIN assistants ON assistants.id = taken.assistant_id
LEFT JOIN LATERAL (
    SELECT * FROM llms
    WHERE llms.is_active AND llms.deleted_date IS NULL AND (llms.id = assistants.llm_id OR llms.is_default)
    ORDER BY llms.id = assistants.llm_id DESC NULLS LAST LIMIT 1
) AS model ON TRUE
CROSS JOIN stored_events
"""
)


async def take(pool: asyncpg.Pool, run_id: UUID, worker_id: UUID) -> Taken | None:
    """Takes a queued run, or one whose worker is dead. None when there is nothing to take."""
    row = await pool.fetchrow(_TAKE, run_id, worker_id, LEASE_SECONDS)
    if row is None:
        return None
    event = RunEvent(kind=run_pb2.RUN_EVENT_KIND_STATUS, text="Working")
    event.status.status = run_pb2.RUN_STATUS_RUNNING
    event.status.attempt = row["attempt"]
    return Taken(row, row["attempt"], complete([event], row, row["chat_session_id"], run_id))


_FENCE = """
WITH run AS (
    UPDATE runs
    SET steps_executed = steps_executed + $3, tools_called = tools_called + $4,
        prompt_tokens = prompt_tokens + $5, completion_tokens = completion_tokens + $6
    WHERE id = $1 AND attempt = $2 AND status = 'running'
    RETURNING id, chat_session_id, steps_executed, control_requested
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""


@dataclass(slots=True)
class NewToolCall:
    """A call that the model asked for."""

    tool_call_id: str
    tool_name: str
    parameters: dict[str, Any]
    side_effect: bool = False


@dataclass(slots=True)
class NewStep:
    """A step as it is recorded: before its tools run, or with the answer."""

    step_type: StepType
    action: StepAction
    status: StepStatus
    llm_model: str
    llm_input: list[dict[str, Any]]
    """Messages that this step adds to the prompt of the step before."""
    llm_output: dict[str, Any]
    started_at: datetime
    reasoning: str = ""
    error_message: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tool_calls: list[NewToolCall] = field(default_factory=list)


_STEP_INSERT = """
step AS (
    INSERT INTO steps (run_id, step_number, step_type, action, status, llm_model, llm_input, llm_output, reasoning,
        error_message, is_parallel, wait_strategy, parallel_status, prompt_tokens, completion_tokens, started_at,
        completed_at, execution_duration_ms)
    SELECT run.id, run.steps_executed, new.step_type, new.action, new.status, new.llm_model, new.llm_input,
        new.llm_output, NULLIF(new.reasoning, ''), NULLIF(new.error_message, ''), new.is_parallel,
        CASE WHEN new.is_parallel THEN 'all' END, CASE WHEN new.is_parallel THEN 'waiting' END,
        new.prompt_tokens, new.completion_tokens, new.started_at,
        CASE WHEN new.status <> 'running' THEN now() END,
        CASE WHEN new.status <> 'running' THEN (extract(epoch FROM now() - new.started_at) * 1000)::int END
    FROM run, jsonb_to_record($7::jsonb) AS new (step_type text, action text, status text, llm_model text,
        llm_input jsonb, llm_output jsonb, reasoning text, error_message text, is_parallel boolean, prompt_tokens int,
        completion_tokens int, started_at timestamptz)
    WHERE $7::jsonb IS NOT NULL
    RETURNING id, step_number
),"""

_RECORD_STEP = (
    _FENCE
    + _STEP_INSERT
    + """
calls AS (
    INSERT INTO tool_calls (step_id, tool_call_id, tool_name, parameters, side_effect, status, started_at)
    SELECT step.id, new.tool_call_id, new.tool_name, new.parameters, new.side_effect, 'running', now()
    FROM step, jsonb_to_recordset($8::jsonb) AS new (tool_call_id text, tool_name text, parameters jsonb,
        side_effect boolean)
    RETURNING id
),"""
    + insert_events(GIVEN.format(9, 10, 11))
    + """
SELECT run.control_requested, run.steps_executed, (SELECT id FROM step) AS step_id,
    (SELECT count(*) FROM calls) AS calls, stored_events.*
FROM run, stored_events
"""
)


def _step_record(step: NewStep) -> dict[str, Any]:
    return {
        "step_type": step.step_type,
        "action": step.action,
        "status": step.status,
        "llm_model": step.llm_model,
        "llm_input": step.llm_input,
        "llm_output": step.llm_output,
        "reasoning": step.reasoning,
        "error_message": step.error_message,
        "is_parallel": len(step.tool_calls) > 1,
        "prompt_tokens": step.prompt_tokens,
        "completion_tokens": step.completion_tokens,
        "started_at": step.started_at.isoformat(),
    }


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a record gave back."""

    step_id: int
    control_requested: str | None
    stored: EventsStored


async def record_step(pool: asyncpg.Pool, taken: Taken, step: NewStep, events: Sequence[RunEvent]) -> Recorded:
    """Commits a step and its calls, before any of them runs.

    Raises:
        LeaseLostError: the run is not this worker's any more.
    """
    calls = [
        {
            "tool_call_id": call.tool_call_id,
            "tool_name": call.tool_name,
            "parameters": call.parameters,
            "side_effect": call.side_effect,
        }
        for call in step.tool_calls
    ]
    row = await pool.fetchrow(
        _RECORD_STEP,
        taken.run_id,
        taken.attempt,
        1,
        len(calls),
        step.prompt_tokens,
        step.completion_tokens,
        _step_record(step),
        calls,
        *columns(events),
    )
    if row is None:
        raise LeaseLostError
    return Recorded(row["step_id"], row["control_requested"], complete(events, row, taken.session_id, taken.run_id))


_RECORD_RESULT = (
    """
WITH run AS (
    UPDATE runs SET attempt = attempt WHERE id = $1 AND attempt = $2 AND status = 'running'
    RETURNING id, chat_session_id, control_requested
),
call AS (
    UPDATE tool_calls
    SET status = $5::text, result = $6, error_message = NULLIF($7, ''), retry_count = $8, completed_at = now(),
        progress_percentage = CASE WHEN $5::text = 'completed' THEN 100 ELSE progress_percentage END,
        execution_duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int
    FROM run WHERE step_id = $3 AND tool_call_id = $4
    RETURNING tool_calls.id
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(9, 10, 11))
    + "SELECT run.control_requested, stored_events.* FROM run, stored_events"
)


async def record_result(
    pool: asyncpg.Pool,
    taken: Taken,
    step_id: int,
    tool_call_id: str,
    status: ToolCallStatus,
    result: str,
    error_message: str,
    retries: int,
    events: Sequence[RunEvent],
) -> EventsStored:
    """Commits the result of one call, on arrival.

    Raises:
        LeaseLostError: the run is not this worker's any more.
    """
    row = await pool.fetchrow(
        _RECORD_RESULT,
        taken.run_id,
        taken.attempt,
        step_id,
        tool_call_id,
        status,
        result,
        error_message,
        retries,
        *columns(events),
    )
    if row is None:
        raise LeaseLostError
    return complete(events, row, taken.session_id, taken.run_id)


_FINISH_STEP = """
UPDATE steps SET status = $3, output_data = $4, parallel_status = CASE WHEN is_parallel THEN 'completed' END,
    completed_at = now(), execution_duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int
WHERE id = $1 AND run_id = $2 AND EXISTS (SELECT FROM runs WHERE id = $2 AND attempt = $5 AND status = 'running')
"""


async def finish_step(pool: asyncpg.Pool, taken: Taken, step_id: int, status: StepStatus, output: Any) -> None:
    """Marks a step whose calls are all done."""
    await pool.execute(_FINISH_STEP, step_id, taken.run_id, status, output, taken.attempt)


@dataclass(slots=True)
class NewCitation:
    """A citation as it is stored; offsets are code points, ends exclusive."""

    number: int
    document_id: int
    title: str
    chunk_id: str
    score: float
    snippet: str
    supported: bool
    page: int | None
    sentence_start: int
    sentence_end: int
    chunking_session: str
    span_start: int
    span_end: int


@dataclass(slots=True)
class Answer:
    """What a run leaves in its message."""

    content: str
    token_count: int
    error: str = ""
    rephrased_query: str = ""
    citations: list[NewCitation] = field(default_factory=list)
    retrieval_context: list[dict[str, Any]] = field(default_factory=list)
    tool_calls: list[dict[str, Any]] = field(default_factory=list)


_FINISH = (
    """
WITH run AS (
    UPDATE runs
    SET status = $11, completed_at = now(), error = $12, llm_id = $13, control_requested = NULL,
        cost = COALESCE(cost, 0) + $18,
        final_output = jsonb_build_object('messageId', $14::bigint::text),
        steps_executed = steps_executed + $3, tools_called = tools_called + $4,
        prompt_tokens = prompt_tokens + $5, completion_tokens = completion_tokens + $6,
        duration_ms = (extract(epoch FROM now() - COALESCE(started_at, now())) * 1000)::bigint
    WHERE id = $1 AND attempt = $2 AND status = 'running'
    RETURNING id, chat_session_id, steps_executed, prompt_tokens, completion_tokens, duration_ms
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + _STEP_INSERT
    + """
answer AS (
    SELECT * FROM jsonb_to_record($16::jsonb) AS new (content text, token_count int, error text, rephrased_query text,
        retrieval_context jsonb, tool_calls jsonb)
),
message AS (
    UPDATE chat_messages
    SET content = answer.content, token_count = answer.token_count, status = $15, error = NULLIF(answer.error, ''),
        rephrased_query = NULLIF(answer.rephrased_query, ''), retrieval_context = answer.retrieval_context,
        tool_calls = answer.tool_calls
    FROM run, answer WHERE chat_messages.id = $14
    RETURNING chat_messages.creation_date, chat_messages.last_update, chat_messages.parent_message_id
),
citations AS (
    INSERT INTO chat_message_documents (chat_message_id, number, document_id, title, chunk_id, relevance_score,
        snippet, supported, page, sentence_start, sentence_end, chunking_session, span_start, span_end)
    SELECT $14, new.number, (SELECT documents.id FROM documents WHERE documents.id = new.document_id), new.title,
        new.chunk_id, new.score, new.snippet, new.supported, new.page, new.sentence_start, new.sentence_end,
        new.chunking_session, new.span_start, new.span_end
    FROM run, jsonb_to_recordset($17::jsonb) AS new (number int, document_id bigint, title text, chunk_id text,
        score numeric, snippet text, supported boolean, page int, sentence_start int, sentence_end int,
        chunking_session uuid, span_start int, span_end int)
),"""
    + insert_events(GIVEN.format(8, 9, 10))
    + """
SELECT run.prompt_tokens, run.completion_tokens, run.duration_ms, message.*,
    stored_events.*
FROM run, message, stored_events
"""
)
_MESSAGE_STATUS: dict[str, tuple[MessageStatus, run_pb2.MessageStatus.ValueType]] = {
    "completed": ("completed", run_pb2.MESSAGE_STATUS_COMPLETED),
    "cancelled": ("cancelled", run_pb2.MESSAGE_STATUS_CANCELLED),
    "failed": ("failed", run_pb2.MESSAGE_STATUS_FAILED),
    "timeout": ("failed", run_pb2.MESSAGE_STATUS_FAILED),
}


async def finish(
    pool: asyncpg.Pool,
    taken: Taken,
    status: RunStatus,
    answer: Answer,
    *,
    text: str,
    step: NewStep | None = None,
    error: dict[str, str] | None = None,
    cost: float = 0.0,
) -> EventsStored:
    """Ends a run in one transaction: its state, its message with the citations, its last step and the final event.

    Args:
        pool: The database.
        taken: The run.
        status: A final state.
        answer: What the message becomes.
        text: The final event's line for people.
        step: The step that wrote the answer; None when the run ended between steps.
        error: What ended it early: `reason` and `message`.
        cost: US dollars to add to the run's.

    Returns:
        The final event with the message as stored, for announcing.

    Raises:
        LeaseLostError: The run is not this worker's any more, or has ended: the first final state wins.
    """
    message_id = taken.run["message_id"]
    message_status, message_status_number = _MESSAGE_STATUS[status]
    event = RunEvent(kind=run_pb2.RUN_EVENT_KIND_FINAL, text=text)
    event.finished.status = run_status(status)
    if error:
        event.finished.error.reason = error["reason"]
        event.finished.error.message = error["message"]
    record = {
        "content": answer.content,
        "token_count": answer.token_count,
        "error": answer.error,
        "rephrased_query": answer.rephrased_query,
        "retrieval_context": answer.retrieval_context,
        "tool_calls": answer.tool_calls,
    }
    row = await pool.fetchrow(
        _FINISH,
        taken.run_id,
        taken.attempt,
        1 if step else 0,
        0,
        step.prompt_tokens if step else 0,
        step.completion_tokens if step else 0,
        _step_record(step) if step else None,
        *columns([event]),
        status,
        error,
        taken.run["llm_id"],
        message_id,
        message_status,
        record,
        [asdict(citation) for citation in answer.citations],
        cost,
    )
    if row is None:
        raise LeaseLostError
    finished = event.finished
    finished.prompt_tokens = row["prompt_tokens"]
    finished.completion_tokens = row["completion_tokens"]
    finished.duration_ms = row["duration_ms"]
    message = finished.message
    message.id = message_id
    message.chat_session_id = taken.session_id
    message.role = run_pb2.MESSAGE_ROLE_ASSISTANT
    message.status = message_status_number
    message.content = answer.content
    message.token_count = answer.token_count
    message.error = answer.error
    message.rephrased_query = answer.rephrased_query
    message.run_id = str(taken.run_id)
    if row["parent_message_id"]:
        message.parent_message_id = row["parent_message_id"]
    message.creation_date.FromDatetime(row["creation_date"])
    if row["last_update"]:
        message.last_update.FromDatetime(row["last_update"])
    for citation in answer.citations:
        message.citations.add(**{key: value for key, value in asdict(citation).items() if value is not None})
    return complete([event], row, taken.session_id, taken.run_id)


_LEAVE = (
    """
WITH run AS (
    UPDATE runs SET status = $3, worker_id = NULL, control_requested = NULL, state = $4
    WHERE id = $1 AND attempt = $2 AND status = 'running'
    RETURNING id, chat_session_id
),
message AS (UPDATE chat_messages SET content = $5 FROM run WHERE chat_messages.run_id = run.id AND role = 'assistant'),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events(GIVEN.format(6, 7, 8))
    + "SELECT stored_events.* FROM run, stored_events"
)


async def leave(
    pool: asyncpg.Pool, taken: Taken, status: RunStatus, content: str, state: dict[str, Any], event: RunEvent
) -> EventsStored:
    """Gives a run back: `paused` when a person asked for it, `queued` when this worker stops.

    `content` is the text so far, `state` what the next worker must know (at most 8 kB).

    Raises:
        LeaseLostError: The run is not this worker's any more.
    """
    row = await pool.fetchrow(_LEAVE, taken.run_id, taken.attempt, status, state, content, *columns([event]))
    if row is None:
        raise LeaseLostError
    return complete([event], row, taken.session_id, taken.run_id)


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
