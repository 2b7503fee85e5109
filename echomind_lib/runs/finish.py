"""The end of a run in a worker's hands: what it leaves in its message. Fenced as `lease` says."""

from dataclasses import asdict, dataclass, field
from typing import Any

import asyncpg

from echomind_lib.db.words import ChatSessionStatus, MessageStatus, RunStatus
from echomind_lib.events.log import GIVEN, complete, insert_events
from echomind_lib.events.statements import columns
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.lease import LeaseLostError, Released, RunLease
from echomind_lib.runs.queue import held_back
from echomind_lib.runs.states import run_status
from echomind_lib.runs.steps import STEP_INSERT, NewStep, step_record


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


@dataclass(slots=True)
class Ending:
    """How a run ends."""

    status: RunStatus
    """A final state."""
    text: str
    """The final event's line for people."""
    error: dict[str, str] | None = None
    """What ended it early: `reason` and `message`."""
    cost: float = 0.0
    """US dollars to add to the run's."""
    seconds: float = 0.0
    """Seconds worked, without waiting."""
    tainted: bool = False
    """Whether it has read untrusted text."""
    final_output: dict[str, Any] | None = None
    """For a run without a message: its answer as `text`, and the `sources` that it cites."""
    result_summary: str | None = None
    """What it tells its parent."""
    important_steps: list[dict[str, Any]] | None = None
    """What later runs of the session should know of."""
    session_status: ChatSessionStatus | None = None
    """What becomes of the session; None leaves it as it is."""


CALLS_OF_RUN = """
    SELECT COALESCE(jsonb_agg(
        jsonb_build_object('toolName', called.tool_name, 'parameters', called.parameters) ORDER BY called.id), '[]')
    FROM steps JOIN tool_calls AS called ON called.step_id = steps.id WHERE steps.run_id = run.id
"""
"""The tools that a `run` has called, as its message keeps them."""

# A send locks the session and then waits for its run, so the session comes first here too, where it is written to.
_FINISH = (
    """
WITH locked AS MATERIALIZED (
    SELECT id FROM chat_sessions WHERE id = $25 AND ($23::jsonb IS NOT NULL OR $24::text IS NOT NULL)
    FOR NO KEY UPDATE
),
run AS (
    UPDATE runs
    SET status = $11, completed_at = now(), error = $12::jsonb, llm_id = $13, control_requested = NULL,
        cost = COALESCE(cost, 0) + $18, seconds_spent = GREATEST(seconds_spent, $19),
        final_output = $20, result_summary = $21, tainted = tainted OR $22,
        steps_executed = steps_executed + $3, tools_called = tools_called + $4,
        pending_input = NULL, prompt_tokens = prompt_tokens + $5, completion_tokens = completion_tokens + $6,
        duration_ms = (extract(epoch FROM now() - COALESCE(started_at, now())) * 1000)::bigint
    WHERE id = $1 AND attempt = $2 AND status = 'running' AND (SELECT count(*) FROM locked) >= 0
    RETURNING id, chat_session_id, user_id, steps_executed, prompt_tokens, completion_tokens, duration_ms
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + STEP_INSERT
    + """
unfinished AS (
    UPDATE steps SET status = CASE $11 WHEN 'timeout' THEN 'timeout' ELSE 'cancelled' END, completed_at = now(),
        error_message = $12::jsonb ->> 'message',
        execution_duration_ms = (extract(epoch FROM now() - started_at) * 1000)::int
    FROM run
    WHERE $11 <> 'completed' AND steps.run_id = run.id AND steps.status IN ('pending', 'running')
    RETURNING steps.id, steps.status, steps.error_message
),
calls AS (
    UPDATE tool_calls SET status = unfinished.status, completed_at = now(), error_message = unfinished.error_message,
        execution_duration_ms = (extract(epoch FROM now() - COALESCE(started_at, now())) * 1000)::int
    FROM unfinished
    WHERE tool_calls.step_id = unfinished.id AND tool_calls.status IN ('pending', 'running')
),
session AS (
    UPDATE chat_sessions
    SET important_steps = CASE WHEN $23::jsonb IS NULL THEN important_steps ELSE (
            SELECT COALESCE(jsonb_agg(kept.step ORDER BY kept.place), '[]') FROM (
                SELECT step, place
                FROM jsonb_array_elements(important_steps || $23) WITH ORDINALITY AS all_(step, place)
                ORDER BY place DESC LIMIT 20
            ) AS kept) END,
        status = COALESCE($24, status)
    FROM run, locked WHERE chat_sessions.id = locked.id
),
answer AS (
    SELECT * FROM jsonb_to_record($16::jsonb) AS new (content text, token_count int, error text, rephrased_query text,
        retrieval_context jsonb)
),
message AS (
    UPDATE chat_messages
    SET content = answer.content, token_count = answer.token_count, status = $15, error = NULLIF(answer.error, ''),
        rephrased_query = NULLIF(answer.rephrased_query, ''), retrieval_context = answer.retrieval_context,
        tool_calls = ("""
    + CALLS_OF_RUN
    + """)
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
    + f"""
SELECT run.prompt_tokens, run.completion_tokens, run.duration_ms, {held_back("run")} AS frees_slot, message.*,
    stored_events.*
FROM run CROSS JOIN stored_events LEFT JOIN message ON true
"""
)
_MESSAGE_STATUS: dict[str, tuple[MessageStatus, chat_message_pb2.MessageStatus.ValueType]] = {
    "completed": ("completed", chat_message_pb2.MESSAGE_STATUS_COMPLETED),
    "cancelled": ("cancelled", chat_message_pb2.MESSAGE_STATUS_CANCELLED),
    "failed": ("failed", chat_message_pb2.MESSAGE_STATUS_FAILED),
    "timeout": ("failed", chat_message_pb2.MESSAGE_STATUS_FAILED),
}


async def finish(
    pool: asyncpg.Pool, taken: RunLease, answer: Answer, ending: Ending, step: NewStep | None = None
) -> Released:
    """Ends a run in one transaction: its state, its message with the citations, its last step and the final event.

    Args:
        pool: The database.
        taken: The run.
        answer: What the message becomes; a run below another one has none.
        ending: How it ends.
        step: The step that wrote the answer; None when the run ended between steps.

    Returns:
        The final event with the message as stored, and whether a worker must be woken.

    Raises:
        LeaseLostError: The run is not this worker's any more, or has ended: the first final state wins.
    """
    message_id = taken.run.message_id
    message_status, message_status_number = _MESSAGE_STATUS[ending.status]
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_FINAL, text=ending.text)
    event.finished.status = run_status(ending.status)
    if ending.error:
        event.finished.error.reason = ending.error["reason"]
        event.finished.error.message = ending.error["message"]
    record = {
        "content": answer.content,
        "token_count": answer.token_count,
        "error": answer.error,
        "rephrased_query": answer.rephrased_query,
        "retrieval_context": answer.retrieval_context,
    }
    row = await pool.fetchrow(
        _FINISH,
        taken.run_id,
        taken.attempt,
        1 if step else 0,
        0,
        step.prompt_tokens if step else 0,
        step.completion_tokens if step else 0,
        step_record(step) if step else None,
        *columns([event]),
        ending.status,
        ending.error,
        taken.run.model.id if taken.run.model else None,
        message_id,
        message_status,
        record,
        [asdict(citation) for citation in answer.citations] if message_id else [],
        ending.cost,
        ending.seconds,
        ending.final_output or {"messageId": str(message_id)},
        ending.result_summary,
        ending.tainted,
        ending.important_steps or None,
        ending.session_status,
        taken.session_id,
    )
    if row is None:
        raise LeaseLostError
    finished = event.finished
    finished.prompt_tokens = row["prompt_tokens"]
    finished.completion_tokens = row["completion_tokens"]
    finished.duration_ms = row["duration_ms"]
    if message_id is None:
        return Released(complete([event], row, taken.session_id, taken.run_id), row["frees_slot"])
    message = finished.message
    message.id = message_id
    message.chat_session_id = taken.session_id
    message.role = chat_message_pb2.MESSAGE_ROLE_ASSISTANT
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
    return Released(complete([event], row, taken.session_id, taken.run_id), row["frees_slot"])
