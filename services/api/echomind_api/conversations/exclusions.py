"""Leaving messages and steps out of later prompts, and putting them back. Those who read the session learn of it."""

from contextlib import suppress
from uuid import UUID

import asyncpg

from echomind_lib.conversations.summaries import request_compression
from echomind_lib.errors import LlmUnavailableError
from echomind_lib.events.log import GIVEN, complete, insert_events, publish
from echomind_lib.events.statements import LOCK_CLASS, columns
from echomind_lib.messaging import Bus
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

# Nothing when the message is already as it is to be. The log's lock comes first, as where a run ends with its message,
# and before it the session, as where a question is sent. A summary that covers the message is made again.
_MESSAGE = (
    f"""
WITH summarized AS MATERIALIZED (
    SELECT session.id FROM chat_messages AS message
    JOIN chat_sessions AS session ON session.id = message.chat_session_id
    WHERE message.id = $1 AND message.discarded <> $2 AND session.last_compressed_message_id >= message.id
    FOR NO KEY UPDATE OF session
),
locked AS MATERIALIZED (
    SELECT pg_advisory_xact_lock({LOCK_CLASS}, chat_session_id) FROM chat_messages
    WHERE id = $1 AND (SELECT count(*) FROM summarized) >= 0
),
origin AS (
    UPDATE chat_messages SET discarded = $2, user_id_last_update = $3
    WHERE id = $1 AND discarded <> $2 AND (SELECT count(*) FROM locked) >= 0
    RETURNING chat_session_id, NULL::uuid AS run_id
),
session AS (
    UPDATE chat_sessions SET compressed_summary = NULL, last_compressed_message_id = NULL, user_id_last_update = $3
    FROM origin, summarized WHERE chat_sessions.id = summarized.id
    RETURNING chat_sessions.id
),"""
    + insert_events(GIVEN.format(4, 5, 6))
    + """
SELECT origin.chat_session_id, EXISTS (SELECT FROM session) AS lost_summary, stored_events.* FROM origin, stored_events
"""
)
# The run is locked so that no worker takes it meanwhile.
_STEP = (
    """
WITH run AS (
    SELECT id, chat_session_id FROM runs
    WHERE id = $1 AND status IN ('paused', 'waiting_for_input', 'waiting_for_children') FOR SHARE
),
origin AS (
    UPDATE steps SET discarded = $3, user_id_last_update = $4 FROM run
    WHERE steps.run_id = run.id AND steps.step_number = $2 AND steps.action <> 'retrieve'
    RETURNING run.chat_session_id, run.id AS run_id
),"""
    + insert_events(GIVEN.format(5, 6, 7))
    + "SELECT origin.chat_session_id, stored_events.* FROM origin, stored_events"
)


async def discard_message(pool: asyncpg.Pool, bus: Bus, message_id: int, user_id: int, *, discarded: bool) -> None:
    """Leaves a message out of later prompts, or puts it back.

    Args:
        pool: The database.
        bus: Where it is told.
        message_id: The message.
        user_id: Who wants it. Whether they may is for the caller to say.
        discarded: Whether it is left out.
    """
    event = _event("Left a message out" if discarded else "Put a message back")
    row = await pool.fetchrow(_MESSAGE, message_id, discarded, user_id, *columns([event]))
    if row is None:
        return
    await publish(bus, complete([event], row, row["chat_session_id"], None))
    if row["lost_summary"]:
        with suppress(LlmUnavailableError):  # no model to summarize with: prompts do without
            await request_compression(pool, bus, row["chat_session_id"])


async def discard_step(
    pool: asyncpg.Pool, bus: Bus, run_id: UUID, step_number: int, user_id: int, *, discarded: bool
) -> bool:
    """Leaves a step out of the prompts of the run's later steps, or puts it back.

    Args:
        pool: The database.
        bus: Where it is told.
        run_id: The run.
        step_number: Which of its steps.
        user_id: Who wants it. Whether they may is for the caller to say.
        discarded: Whether it is left out.

    Returns:
        Whether it could be done: the run is paused or waits, and the step asked a model.
    """
    event = _event(f"Left step {step_number} out" if discarded else f"Put step {step_number} back")
    row = await pool.fetchrow(_STEP, run_id, step_number, discarded, user_id, *columns([event]))
    if row is not None:
        await publish(bus, complete([event], row, row["chat_session_id"], run_id))
    return row is not None


def _event(text: str) -> SessionEvent:
    event = SessionEvent(kind=session_event_pb2.SESSION_EVENT_KIND_PROGRESS, text=text)
    event.session_changed.change = session_event_pb2.SESSION_CHANGE_DISCARDED
    return event
