"""Conversations, their messages, and the runs that answer."""

import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

import asyncpg

from tests.factories.rows.accounts import user
from tests.factories.rows.assistants import assistant
from tests.factories.rows.base import Connection, insert, numbers
from tests.factories.rows.sources import document


async def chat_session(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    if "assistant_id" not in given:
        given["assistant_id"] = (await assistant(connection))["id"]
    return await insert(connection, "chat_sessions", given)


async def session_source(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    if "document_id" not in given:
        given["document_id"] = (await document(connection))["id"]
    return await insert(connection, "chat_session_sources", given)


async def session_share(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {
        "token_hash": secrets.token_bytes(32),
        "title": "T",
        "expires_at": datetime.now(UTC) + timedelta(days=30),
        **values,
    }
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    if "user_id" not in given:
        given["user_id"] = await connection.fetchval(
            "SELECT user_id FROM chat_sessions WHERE id = $1", given["chat_session_id"]
        )
    if "head_message_id" not in given:
        answer = await chat_message(connection, chat_session_id=given["chat_session_id"], role="assistant")
        given["head_message_id"] = answer["id"]
    return await insert(connection, "session_shares", given)


async def session_share_recipient(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    if "session_share_id" not in given:
        given["session_share_id"] = (await session_share(connection))["id"]
    if "user_id" not in given and "group_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "session_share_recipients", given)


async def chat_message(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"role": "user", **values}
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    if "author_kind" not in given:
        owner = "SELECT user_id FROM chat_sessions WHERE id = $1"
        is_person = given["role"] == "user"
        given["author_kind"] = "person" if is_person else "assistant"
        given["author_id"] = await connection.fetchval(owner, given["chat_session_id"]) if is_person else None
    return await insert(connection, "chat_messages", given)


async def feedback(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"is_positive": True, **values}
    if "chat_message_id" not in given:
        given["chat_message_id"] = (await chat_message(connection))["id"]
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "chat_message_feedbacks", given)


async def citation(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"chunk_id": "c", "number": 1, **values}
    if "chat_message_id" not in given:
        given["chat_message_id"] = (await chat_message(connection))["id"]
    return await insert(connection, "chat_message_documents", given)


async def run(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    if "chat_session_id" not in given:
        session = await chat_session(connection)
        given["chat_session_id"] = session["id"]
        given.setdefault("user_id", session["user_id"])
    if "user_id" not in given:
        given["user_id"] = await connection.fetchval(
            "SELECT user_id FROM chat_sessions WHERE id = $1", given["chat_session_id"]
        )
    return await insert(connection, "runs", given)


async def step(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"step_number": 1, **values}
    if "run_id" not in given:
        given["run_id"] = (await run(connection))["id"]
    return await insert(connection, "steps", given)


async def tool_call(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"tool_call_id": f"call {next(numbers)}", "tool_name": "t", **values}
    if "step_id" not in given:
        given["step_id"] = (await step(connection))["id"]
    return await insert(connection, "tool_calls", given)


async def run_event(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"kind": "status", **values}
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    return await insert(connection, "run_events", given)


async def todo(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"title": "t", "order_index": 1, **values}
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    return await insert(connection, "todos", given)


async def checkpoint(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"name": "c", "checkpoint_type": "manual", "session_state": "{}", **values}
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    return await insert(connection, "checkpoints", given)


async def chunk_feedback(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"chunk_id": "c", "snippet": "x", "value": 1, **values}
    for column, make in (("message_id", chat_message), ("user_id", user), ("document_id", document)):
        if column not in given:
            given[column] = (await make(connection))["id"]
    return await insert(connection, "chunk_feedback", given)


async def rated_question(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"number": 1, "terms": [1], **values}
    if "message_id" not in given:
        given["message_id"] = (await chat_message(connection))["id"]
    return await insert(connection, "rated_questions", given)
