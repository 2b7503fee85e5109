"""Branches of a session's tree of messages: which one is shown, and sessions that begin as a copy of one."""

from dataclasses import dataclass
from typing import Final

import asyncpg

from echomind_lib.conversations import checkpoints
from echomind_lib.conversations.checkpoints import LAST_FINISHED, Connection
from echomind_lib.errors import NotFoundError, RunActiveError, ValidationFailedError
from echomind_lib.events.log import GIVEN, complete, insert_events
from echomind_lib.events.statements import columns
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

BRANCH: Final = """
WITH RECURSIVE branch AS (
    SELECT id, parent_message_id FROM chat_messages WHERE id = {last} AND id > {after}
    UNION ALL
    SELECT above.id, above.parent_message_id
    FROM branch JOIN chat_messages AS above ON above.id = branch.parent_message_id
    WHERE above.id > {after}
)"""
"""The messages from `last` upwards, as far as their ids are above `after`, as a CTE `branch`. A message's id is always
above its parent's, so a page of a long branch reads no further than it has to."""

_NEWEST = """
WITH RECURSIVE below AS (
    SELECT id, role FROM chat_messages WHERE {}
    UNION ALL
    SELECT message.id, message.role FROM below JOIN chat_messages AS message ON message.parent_message_id = below.id
)
SELECT max(id) FROM below WHERE role = 'assistant'
"""
NEWEST_BELOW: Final = _NEWEST.format("id = $1")
"""The newest answer among a message and all that hangs on it."""
NEWEST_OF_ALL: Final = _NEWEST.format("chat_session_id = $1 AND parent_message_id IS NULL")
"""The newest answer of a session."""

_MOVE = (
    """
WITH origin AS (
    UPDATE chat_sessions SET head_message_id = $2, user_id_last_update = $3 WHERE id = $1
    RETURNING id AS chat_session_id, NULL::uuid AS run_id
),"""
    + insert_events(GIVEN.format(4, 5, 6))
    + "SELECT stored_events.* FROM stored_events"
)


async def move_head(
    pool: asyncpg.Pool, session_id: int, message_id: int, user_id: int, *, to_latest: bool = False
) -> list[EventsStored]:
    """Shows another branch of a session, or takes its last messages back. The state before becomes a checkpoint.

    Args:
        pool: The database.
        session_id: The session.
        message_id: The answer that becomes the head; 0 means none, so that the next question is a first one.
        user_id: Who wants it. Whether they may is for the caller to say.
        to_latest: Whether the newest answer below that message (which may be a question then) becomes the head.

    Returns:
        Events for announcing; none when the head is there already.

    Raises:
        NotFoundError: There is no such session, or no such message in it.
        ValidationFailedError: The message is not an answer.
        RunActiveError: The session has a run that is not finished.
    """
    async with pool.acquire() as connection, connection.transaction():
        head = await checkpoints.lock_idle_session(connection, session_id)
        target = await _place(connection, session_id, message_id, to_latest=to_latest)
        if target == head:
            return []
        before = await checkpoints.create(connection, session_id, "auto", "Before going to another message")
        event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text="Went to another message")
        event.session_changed.change = session_event_pb2.SESSION_CHANGE_HEAD_MOVED
        if target is not None:
            event.session_changed.head_message_id = target
        row = await connection.fetchrow(_MOVE, session_id, target, user_id, *columns([event]))
        assert row is not None  # the session is locked
        return [before.stored, complete([event], row, session_id, None)]


async def _place(connection: Connection, session_id: int, message_id: int, *, to_latest: bool) -> int | None:
    """The answer that a head is to be at; None is before the first question."""
    if message_id:
        role = (await _message(connection, session_id, message_id))["role"]
        if role != "assistant" and not to_latest:
            raise _not_an_answer(message_id, ", or ask for the newest answer below it (`to_latest`)")
    if not to_latest:
        return message_id or None
    newest: int | None = (
        await connection.fetchval(NEWEST_BELOW, message_id)
        if message_id
        else await connection.fetchval(NEWEST_OF_ALL, session_id)
    )
    if newest is None and message_id:
        raise _not_an_answer(message_id, ": this one has none; regenerate it to have it answered")
    return newest


_FORK = (
    BRANCH.format(last="$3", after=0)
    + """,
copies AS MATERIALIZED (
    SELECT ordered.id, ordered.parent_message_id, nextval('chat_messages_id_seq') AS copy_id
    FROM (SELECT id, parent_message_id FROM branch ORDER BY id) AS ordered
),
source AS (SELECT * FROM chat_sessions WHERE id = $1 AND deleted_date IS NULL),
runs_of_copies AS (
    SELECT COALESCE(message.run_id, message.origin_run_id)::text AS id
    FROM copies JOIN chat_messages AS message ON message.id = copies.id
),
session AS (
    INSERT INTO chat_sessions (user_id, assistant_id, title, mode, goal, initial_goal, parent_session_id,
        forked_from_message_id, head_message_id, preferences, important_steps, compressed_summary,
        last_compressed_message_id, context)
    SELECT $2, source.assistant_id, COALESCE(NULLIF($4, ''), source.title), source.mode, source.goal,
        source.initial_goal, source.id, $3, (SELECT max(copy_id) FROM copies), source.preferences,
        (SELECT COALESCE(jsonb_agg(step ORDER BY place), '[]')
         FROM jsonb_array_elements(source.important_steps) WITH ORDINALITY AS important (step, place)
         WHERE step ->> 'runId' IN (SELECT id FROM runs_of_copies)),
        CASE WHEN summarized.id IS NOT NULL THEN source.compressed_summary END,
        summarized.copy_id,
        CASE WHEN source.context ? 'tainted' OR EXISTS (
            SELECT FROM runs WHERE runs.chat_session_id = source.id AND runs.tainted)
        THEN '{"tainted": true}' ELSE '{}' END::jsonb
    FROM source LEFT JOIN copies AS summarized ON summarized.id = source.last_compressed_message_id
    RETURNING id
),
messages AS (
    INSERT INTO chat_messages (id, chat_session_id, role, status, content, token_count, parent_message_id, discarded,
        rephrased_query, retrieval_context, tool_calls, error, origin_run_id)
    SELECT copies.copy_id, session.id, message.role, message.status, message.content, message.token_count,
        above.copy_id, message.discarded, message.rephrased_query, message.retrieval_context, message.tool_calls,
        message.error, COALESCE(message.run_id, message.origin_run_id)
    FROM session CROSS JOIN copies JOIN chat_messages AS message ON message.id = copies.id
    LEFT JOIN copies AS above ON above.id = copies.parent_message_id
    ORDER BY copies.copy_id
),
citations AS (
    INSERT INTO chat_message_documents (chat_message_id, number, document_id, title, chunk_id, relevance_score,
        snippet, supported, page, sentence_start, sentence_end, chunking_session, span_start, span_end)
    SELECT copies.copy_id, citation.number, citation.document_id, CASE WHEN kept.yes THEN citation.title ELSE '' END,
        citation.chunk_id, citation.relevance_score, CASE WHEN kept.yes THEN citation.snippet ELSE '' END,
        citation.supported, citation.page, citation.sentence_start, citation.sentence_end, citation.chunking_session,
        citation.span_start, citation.span_end
    FROM session CROSS JOIN source CROSS JOIN copies
    JOIN chat_message_documents AS citation ON citation.chat_message_id = copies.id
    CROSS JOIN LATERAL (SELECT citation.document_id IS NOT NULL OR source.user_id = $2 AS yes) AS kept
    ORDER BY citation.id
),
origin AS (SELECT source.id AS chat_session_id, NULL::uuid AS run_id FROM source, session WHERE source.user_id = $2),"""
    + insert_events("""(
        SELECT 'progress' AS kind, $5 AS text, 1 AS place, jsonb_build_object(
            'sessionChanged', jsonb_build_object(
                'change', 'SESSION_CHANGE_FORKED', 'forkedSessionId', session.id)) AS payload
        FROM session
    ) AS event""")
    + "SELECT session.id, stored_events.* FROM session, stored_events"
)
_FORKED = "Forked into another session"


@dataclass(frozen=True, slots=True)
class Forked:
    """A session that began as a copy."""

    session_id: int
    stored: EventsStored
    """The event in the source that tells of it, for announcing; none when the copy is somebody else's."""


async def fork_session(pool: asyncpg.Pool, session_id: int, message_id: int, user_id: int, title: str = "") -> Forked:
    """Begins a session with copies of the messages of a branch up to a message, with their citations.

    The copy has the source's assistant, mode, goal and preferences, the important steps of the runs that wrote the
    copied messages, and the summary when the copied messages are all that it covers or more. Its messages are of no
    run. Words of a source that is gone are for the conversation's owner alone, so somebody else's copy has none of
    them.

    Args:
        pool: The database.
        session_id: The session. Whether they may read it is for the caller to say.
        message_id: The last answer to take along; 0 means the last finished one of the shown branch.
        user_id: Whose session it becomes.
        title: Its title; empty means the source's.

    Raises:
        NotFoundError: There is no such session, or no such message in it.
        ValidationFailedError: The message is not an answer.
        RunActiveError: The answer is still being written.
    """
    last: int | None = message_id
    if message_id:
        message = await _message(pool, session_id, message_id)
        if message["role"] != "assistant":
            raise _not_an_answer(message_id, "")
        if message["status"] == "streaming":
            raise RunActiveError(
                "This answer is still being written: wait for it, or name the one before it.",
                run_id=str(message["run_id"]),
            )
    else:
        last = await pool.fetchval(f"SELECT {LAST_FINISHED} FROM chat_sessions AS session WHERE id = $1", session_id)
    row = await pool.fetchrow(_FORK, session_id, user_id, last, title, _FORKED)
    if row is None:
        raise NotFoundError(f"There is no chat session {session_id}.", resource="chat session", id=str(session_id))
    if not row["event_ids"]:
        return Forked(row["id"], EventsStored())
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=_FORKED)
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_FORKED
    event.session_changed.forked_session_id = row["id"]
    return Forked(row["id"], complete([event], row, session_id, None))


async def _message(connection: Connection, session_id: int, message_id: int) -> asyncpg.Record:
    row = await connection.fetchrow(
        "SELECT role, status, run_id FROM chat_messages WHERE id = $1 AND chat_session_id = $2", message_id, session_id
    )
    if row is None:
        raise NotFoundError(
            f"There is no message {message_id} in this chat session.", resource="message", id=str(message_id)
        )
    return row


def _not_an_answer(message_id: int, more: str) -> ValidationFailedError:
    return ValidationFailedError(
        f"Message {message_id} is not an answer: name an answer of this session{more}.", message_id="must be an answer"
    )
