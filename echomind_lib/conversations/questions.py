"""Questions as they are stored, each with its empty answer and its queued run, in one statement.

A session's messages are a tree: a question follows the answer before it, an edited question stands beside the one that
it was edited from, and another answer to the same question beside the first. Nothing is overwritten.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import asyncpg

from echomind_lib.access.assistant_choice import CHOSEN, USABLE, assistant_unavailable
from echomind_lib.db.words import RunStatus
from echomind_lib.errors import EchoMindError, NotFoundError, RunActiveError, ValidationFailedError
from echomind_lib.events.log import complete, insert_events
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs.controls import provide_input

GOAL_REFUSED: Final = (
    "The built-in model answers questions by quoting your documents and cannot work towards a goal. Choose an "
    "assistant with a chat model, or ask a question."
)
"""Why a goal is refused, for people."""
_TITLE_LENGTH = 80
_NO_OPTIONS: Final[Mapping[str, Any]] = {}

# Each way of asking begins with a CTE `session`: where the question goes, what it is and how its run is to work. What
# is asked comes last among the parameters, because another answer to a question does not name it.
_ASKED = "NULL::bigint AS question_id, $6::text AS content, $7::int AS token_count, now() AS asked_at"

# The lock lets inserts that only refer to the session pass: a writer of events waits for nothing here.
_IN_SESSION = f"""
WITH session AS (
    SELECT id, assistant_id, preferences || $4::jsonb AS options, head_message_id AS parent_message_id, {_ASKED}
    FROM chat_sessions
    WHERE id = $1 AND user_id = $2 AND deleted_date IS NULL
    FOR NO KEY UPDATE
),"""

_NEW_SESSION = f"""
WITH session AS (
    SELECT nextval('chat_sessions_id_seq')::int AS id, chosen.id AS assistant_id, $4::jsonb AS options,
        NULL::bigint AS parent_message_id, {_ASKED}
    FROM ({CHOSEN.format(user_id="$2", assistant_id="$1")}) AS chosen
),"""

# Whether the last answer to a question was worked out by a run by itself, as an option of the next one.
_AS_BEFORE = """
COALESCE((
    SELECT jsonb_build_object('autoRun', run.auto_run)
    FROM chat_messages AS answer JOIN runs AS run ON run.id = answer.run_id
    WHERE answer.parent_message_id = {question}.id AND answer.role = 'assistant' ORDER BY answer.id DESC LIMIT 1
), '{{}}')"""

_EDITED = f"""
WITH session AS (
    SELECT session.id, session.assistant_id,
        session.preferences || {_AS_BEFORE.format(question="edited")} || $4::jsonb AS options, edited.parent_message_id,
        {_ASKED}
    FROM chat_messages AS edited JOIN chat_sessions AS session ON session.id = edited.chat_session_id
    WHERE edited.id = $1 AND edited.role = 'user' AND session.user_id = $2 AND session.deleted_date IS NULL
    FOR NO KEY UPDATE OF session
),"""

_REGENERATED = f"""
WITH session AS (
    SELECT session.id, session.assistant_id,
        session.preferences || {_AS_BEFORE.format(question="question")} || $4::jsonb AS options,
        question.parent_message_id,
        question.id AS question_id, question.content, COALESCE(question.token_count, 0) AS token_count,
        question.creation_date AS asked_at
    FROM chat_messages AS given
    JOIN chat_messages AS question
        ON question.id = CASE given.role WHEN 'user' THEN given.id ELSE given.parent_message_id END
    JOIN chat_sessions AS session ON session.id = given.chat_session_id
    WHERE given.id = $1 AND question.role = 'user' AND session.user_id = $2 AND session.deleted_date IS NULL
    FOR NO KEY UPDATE OF session
),"""

# With a key that has answered a run before, nothing is asked: `_store` gives that run. Nor is anything asked of an
# assistant that the person may not use: `_why_not` says so.
_IDS = f"""
ids AS MATERIALIZED (
    SELECT session.id AS session_id, session.assistant_id, session.options, session.parent_message_id,
        session.question_id IS NULL AS asks, session.content, session.token_count, session.asked_at,
        CASE WHEN (session.options ->> 'autoRun')::boolean THEN session.content END AS goal,
        COALESCE(session.question_id, nextval('chat_messages_id_seq')) AS user_message_id,
        nextval('chat_messages_id_seq') AS assistant_message_id, uuidv7() AS run_id
    FROM session
    JOIN assistants AS assistant ON assistant.id = session.assistant_id
    JOIN users AS asker ON asker.id = $2
    WHERE {USABLE.format(assistant="assistant", person="asker")}
        AND NOT EXISTS (SELECT FROM tool_calls WHERE user_id_last_update = $2 AND tool_calls.request_id = $3)
),"""

_INSERT_SESSION = """
touched AS (
    INSERT INTO chat_sessions (id, user_id, assistant_id, title, head_message_id, most_recent_run_id, goal,
        initial_goal)
    SELECT session_id, $2, assistant_id, $5, assistant_message_id, run_id, goal, goal FROM ids
),"""

_UPDATE_SESSION = """
touched AS (
    UPDATE chat_sessions
    SET head_message_id = ids.assistant_message_id, most_recent_run_id = ids.run_id, status = 'active',
        title = CASE WHEN message_count = 0 AND title IN ('', 'New Chat') THEN $5 ELSE title END,
        goal = COALESCE(chat_sessions.goal, ids.goal),
        initial_goal = COALESCE(chat_sessions.initial_goal, chat_sessions.goal, ids.goal)
    FROM ids WHERE chat_sessions.id = ids.session_id
),"""


def _cost(source: str) -> str:
    """A limit in dollars as its column holds it: at least the smallest; too large a one is none, as 0 is."""
    value = f"({source} ->> 'maxCost')::float8"
    return f"CASE WHEN {value} > 0 AND {value} < 1e6 THEN GREATEST({value}, 1e-8)::numeric(14, 8) END"


# What others wrote goes on in the answers, the summary and the steps that the prompt takes from earlier turns.
_TAINTED = """
(SELECT chat_sessions.mode = 'chat' AND (chat_sessions.context ? 'tainted' OR EXISTS (
    SELECT FROM runs AS earlier WHERE earlier.chat_session_id = ids.session_id AND earlier.tainted))
FROM chat_sessions WHERE chat_sessions.id = ids.session_id)
"""

# What is allowed is the assistant's; options only lower it. LEAST passes over NULL, which is no limit. The log's lock
# comes after the run, so that a session whose run is active is refused without waiting for the run's own events.
_STORE = (
    f"""
messages AS (
    INSERT INTO chat_messages (id, chat_session_id, role, content, token_count, parent_message_id, run_id, status)
    SELECT user_message_id, session_id, 'user', content, token_count, parent_message_id, NULL, 'completed'
    FROM ids WHERE asks
    UNION ALL
    SELECT assistant_message_id, session_id, 'assistant', '', 0, user_message_id, run_id, 'streaming' FROM ids
),
run AS (
    INSERT INTO runs (id, user_id, chat_session_id, assistant_id, input, request_id, goal, auto_run, ask_clarifications,
        max_steps, timeout_seconds, max_run_tokens, max_cost, max_depth, tainted, priority)
    SELECT ids.run_id, $2, ids.session_id, ids.assistant_id, ids.content, NULLIF($3, ''), ids.goal,
        ids.goal IS NOT NULL,
        ids.goal IS NULL AND COALESCE(
            (options ->> 'askClarifications')::boolean, (config ->> 'askClarifications')::boolean, FALSE),
        LEAST(NULLIF((options ->> 'maxSteps')::int, 0), COALESCE(NULLIF((config ->> 'maxSteps')::int, 0), 20)),
        LEAST(
            NULLIF((options ->> 'timeoutSeconds')::int, 0),
            COALESCE(NULLIF((config ->> 'timeoutSeconds')::int, 0), 300)),
        LEAST(NULLIF((options ->> 'maxRunTokens')::bigint, 0), NULLIF((config ->> 'maxRunTokens')::bigint, 0)),
        LEAST({_cost("options")}, {_cost("config")}),
        LEAST((options ->> 'maxDepth')::int, COALESCE((config ->> 'maxDepth')::int, 2)),
        COALESCE((config ->> 'addHistoryToContext')::boolean, TRUE) AND COALESCE({_TAINTED}, FALSE),
        CASE WHEN ids.goal IS NULL THEN 1 ELSE 3 END
    FROM ids JOIN assistants AS assistant ON assistant.id = ids.assistant_id
    RETURNING id, chat_session_id, status, goal, auto_run, ask_clarifications, max_steps, timeout_seconds,
        max_run_tokens, max_cost::float8 AS max_cost, max_depth, creation_date
),
origin AS (SELECT chat_session_id, id AS run_id FROM run),"""
    + insert_events("""(
        SELECT 'status' AS kind, 'Queued' AS text, 1 AS place, jsonb_build_object(
            'queued', jsonb_build_object('assistantMessageId', assistant_message_id::text)) AS payload
        FROM ids
    ) AS event""")
    + """
SELECT ids.session_id, ids.assistant_id, ids.parent_message_id, ids.user_message_id, ids.assistant_message_id,
    ids.run_id, ids.content, ids.token_count, ids.asked_at, run.*, stored_events.*
FROM ids, run, stored_events
"""
)

_SEND = _IN_SESSION + _IDS + _UPDATE_SESSION + _STORE
_BEGIN = _NEW_SESSION + _IDS + _INSERT_SESSION + _STORE
_EDIT = _EDITED + _IDS + _UPDATE_SESSION + _STORE
_REGENERATE = _REGENERATED + _IDS + _UPDATE_SESSION + _STORE


@dataclass(frozen=True, slots=True)
class Sent:
    """A stored question with the answer that is to come, and how the run works that writes it."""

    session_id: int
    assistant_id: int
    parent_message_id: int | None
    user_message_id: int
    assistant_message_id: int
    run_id: UUID
    content: str
    token_count: int
    asked_at: datetime
    """When the question was stored."""
    status: RunStatus
    goal: str | None
    auto_run: bool
    ask_clarifications: bool
    max_steps: int
    timeout_seconds: int
    max_run_tokens: int | None
    max_cost: float | None
    max_depth: int
    creation_date: datetime
    """When the run, and with it the answer, was stored."""
    stored: EventsStored
    """Events to announce: the `queued` one, complete, or those of the answer to a run that waited. Empty for a
    repetition."""
    is_new: bool
    """Whether this call made the run."""


_COLUMNS = tuple(field.name for field in fields(Sent) if field.name not in {"stored", "is_new"})


def _sent(row: asyncpg.Record, stored: EventsStored, *, is_new: bool) -> Sent:
    return Sent(**{name: row[name] for name in _COLUMNS}, stored=stored, is_new=is_new)


async def send_message(
    pool: asyncpg.Pool,
    user_id: int,
    session_id: int | None,
    content: str,
    *,
    assistant_id: int = 0,
    request_id: str = "",
    token_count: int = 0,
    options: Mapping[str, Any] = _NO_OPTIONS,
) -> Sent:
    """Stores a question after the session's head, its empty answer and the queued run.

    Args:
        pool: The database.
        user_id: Who asks; must own the session.
        session_id: The session; None begins one with `assistant_id` (0: the default assistant).
        content: The question.
        assistant_id: For a new session.
        request_id: The caller's key against repetition; a key that was used gives the first call's messages and run.
        token_count: Tokens of the question.
        options: `RunOptions` as ProtoJSON, set fields alone. They go before the session's preferences, and budgets only
            lower what the assistant allows.

    Raises:
        NotFoundError: There is no such session, or no such assistant that they may use.
        AssistantUnavailableError: The session's assistant was removed, or hidden from them.
        RunActiveError: The session's last run has not ended.
    """
    title = " ".join(content.split())[:_TITLE_LENGTH]
    asked = (title, content, token_count)
    if session_id is None:
        sent = await _store(pool, _BEGIN, assistant_id, user_id, request_id, options, *asked)
        noun, missing = "assistant", assistant_id
    else:
        sent = await _store(pool, _SEND, session_id, user_id, request_id, options, *asked)
        noun, missing = "chat session", session_id
        if sent is None and await pool.fetchval(_WITHOUT_ASSISTANT, session_id, user_id):
            raise assistant_unavailable(session_id)
    if sent is None:
        raise NotFoundError(f"There is no {noun} {missing or 'by default'}.", resource=noun, id=str(missing))
    return sent


async def edit_message(
    pool: asyncpg.Pool,
    user_id: int,
    message_id: int,
    content: str,
    *,
    request_id: str = "",
    token_count: int = 0,
    options: Mapping[str, Any] = _NO_OPTIONS,
) -> Sent:
    """Stores a question beside another, in its place in the conversation, with its empty answer and the queued run.

    Args:
        pool: The database.
        user_id: Who asks; must own the session.
        message_id: The question that is asked in other words.
        content: The words.
        request_id: As in `send_message`.
        token_count: Tokens of the words.
        options: As in `send_message`.

    Raises:
        NotFoundError: There is no such message in a session of theirs.
        ValidationFailedError: It is not a question.
        AssistantUnavailableError: The session's assistant was removed, or hidden from them.
        RunActiveError: The session's last run has not ended.
    """
    title = " ".join(content.split())[:_TITLE_LENGTH]
    sent = await _store(pool, _EDIT, message_id, user_id, request_id, options, title, content, token_count)
    if sent is None:
        raise await _why_not(pool, user_id, message_id)
    return sent


async def regenerate_message(
    pool: asyncpg.Pool,
    user_id: int,
    message_id: int,
    *,
    request_id: str = "",
    options: Mapping[str, Any] = _NO_OPTIONS,
) -> Sent:
    """Stores another empty answer to a question, with its queued run.

    Args:
        pool: The database.
        user_id: Who asks; must own the session.
        message_id: The answer that the new one stands beside, or the question.
        request_id: As in `send_message`.
        options: As in `send_message`.

    Raises:
        NotFoundError: There is no such message in a session of theirs.
        ValidationFailedError: It is neither a question nor the answer to one.
        AssistantUnavailableError: The session's assistant was removed, or hidden from them.
        RunActiveError: The session's last run has not ended.
    """
    sent = await _store(pool, _REGENERATE, message_id, user_id, request_id, options, "")
    if sent is None:
        raise await _why_not(pool, user_id, message_id)
    return sent


async def answer_run(pool: asyncpg.Pool, user_id: int, run_id: UUID, content: str, request_id: str = "") -> Sent | None:
    """Takes a text for what a run waits to hear from its owner, so that the run goes on.

    Args:
        pool: The database.
        user_id: Who answers; must own the run's session.
        run_id: The run.
        content: The text.
        request_id: As in `send_message`.

    Returns:
        The run with its question and answer; None when it does not wait for a text.
    """
    try:
        answered = await provide_input(pool, run_id, user_id, content, request_id)
    except asyncpg.UniqueViolationError:
        return await _sent_before(pool, user_id, request_id)
    if answered is None:
        # The same request may have come twice at the same time.
        return await _find_sent(pool, user_id, request_id)
    row = await pool.fetchrow(_FIND.format("run.id = $1"), run_id)
    return _sent(row, answered.stored, is_new=False) if row else None


async def _store(
    pool: asyncpg.Pool, statement: str, target: int, user_id: int, request_id: str, *rest: Any
) -> Sent | None:
    """Runs one of the statements, or finds what the same request did before; None when neither is possible."""
    try:
        row = await pool.fetchrow(statement, target, user_id, request_id, *rest)
    except asyncpg.UniqueViolationError as error:
        if error.constraint_name != "idx_runs_active_root":
            return await _sent_before(pool, user_id, request_id)
        if repeated := await _find_sent(pool, user_id, request_id):
            return repeated
        run_id = await pool.fetchval(_ACTIVE_IN_SESSION if statement is _SEND else _ACTIVE_OF_MESSAGE, target)
        raise RunActiveError(
            "The session's last question is still being answered: wait for the answer, or cancel the run.",
            run_id=str(run_id),
        ) from error
    if row is None:
        return await _find_sent(pool, user_id, request_id)
    queued = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_STATUS, text="Queued")
    queued.queued.assistant_message_id = row["assistant_message_id"]
    question = queued.queued.user_message
    question.id = row["user_message_id"]
    question.chat_session_id = row["session_id"]
    question.role = chat_message_pb2.MESSAGE_ROLE_USER
    question.status = chat_message_pb2.MESSAGE_STATUS_COMPLETED
    question.content = row["content"]
    question.token_count = row["token_count"]
    if row["parent_message_id"]:
        question.parent_message_id = row["parent_message_id"]
    question.creation_date.FromDatetime(row["asked_at"])
    return _sent(row, complete([queued], row, row["session_id"], row["run_id"]), is_new=True)


_ACTIVE_IN_SESSION = "SELECT most_recent_run_id FROM chat_sessions WHERE id = $1"
_ACTIVE_OF_MESSAGE = """
SELECT most_recent_run_id FROM chat_sessions
WHERE id = (SELECT chat_session_id FROM chat_messages WHERE id = $1)
"""

_FIND = """
SELECT run.chat_session_id AS session_id, run.assistant_id, question.parent_message_id, question.id AS user_message_id,
    answer.id AS assistant_message_id, run.id AS run_id, question.content,
    COALESCE(question.token_count, 0) AS token_count, question.creation_date AS asked_at, run.status, run.goal,
    run.auto_run, run.ask_clarifications, run.max_steps, run.timeout_seconds, run.max_run_tokens,
    run.max_cost::float8 AS max_cost, run.max_depth, run.creation_date
FROM runs AS run
JOIN chat_messages AS answer ON answer.run_id = run.id AND answer.role = 'assistant'
JOIN chat_messages AS question ON question.id = answer.parent_message_id
JOIN chat_sessions AS session ON session.id = run.chat_session_id AND session.deleted_date IS NULL
WHERE {}
"""
_FIND_BY_REQUEST = _FIND.format("""run.id IN (
    SELECT id FROM runs WHERE user_id = $1 AND request_id = $2
    UNION ALL
    SELECT steps.run_id FROM tool_calls JOIN steps ON steps.id = tool_calls.step_id
    WHERE tool_calls.user_id_last_update = $1 AND tool_calls.request_id = $2
) LIMIT 1""")


async def _find_sent(pool: asyncpg.Pool, user_id: int, request_id: str) -> Sent | None:
    if not request_id:
        return None
    row = await pool.fetchrow(_FIND_BY_REQUEST, user_id, request_id)
    return _sent(row, EventsStored(), is_new=False) if row else None


async def _sent_before(pool: asyncpg.Pool, user_id: int, request_id: str) -> Sent:
    sent = await _find_sent(pool, user_id, request_id)
    if sent is None:
        raise NotFoundError(f"The run of request {request_id} is gone.", resource="run", id=request_id)
    return sent


_WITHOUT_ASSISTANT = f"""
SELECT TRUE FROM chat_sessions
JOIN assistants AS assistant ON assistant.id = chat_sessions.assistant_id
JOIN users AS asker ON asker.id = chat_sessions.user_id
WHERE chat_sessions.id = $1 AND chat_sessions.user_id = $2 AND chat_sessions.deleted_date IS NULL
    AND NOT {USABLE.format(assistant="assistant", person="asker")}
"""


async def _why_not(pool: asyncpg.Pool, user_id: int, message_id: int) -> EchoMindError:
    """Why there was nothing to edit or to answer once more."""
    row = await pool.fetchrow(
        "SELECT message.role, message.parent_message_id, session.id AS session_id FROM chat_messages AS message "
        "JOIN chat_sessions AS session ON session.id = message.chat_session_id "
        "WHERE message.id = $1 AND session.user_id = $2 AND session.deleted_date IS NULL",
        message_id,
        user_id,
    )
    if row is None:
        return NotFoundError(f"There is no message {message_id}.", resource="message", id=str(message_id))
    if await pool.fetchval(_WITHOUT_ASSISTANT, row["session_id"], user_id):
        return assistant_unavailable(row["session_id"])
    if row["role"] == "assistant" and row["parent_message_id"]:
        advice = f"edit its question, {row['parent_message_id']}, or regenerate the answer"
    else:
        advice = "name a question"
    return ValidationFailedError(f"Message {message_id} is not a question: {advice}.", id="must be a question")
