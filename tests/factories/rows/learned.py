"""Memories and knowledge."""

from typing import Any

import asyncpg

from tests.factories.rows.accounts import user
from tests.factories.rows.base import Connection, insert, numbers
from tests.factories.rows.conversations import chat_session


async def memory(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"memory_type": "semantic", "content": "x", **values}
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "agent_memories", given)


async def session_learning(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"kind": "memory", "last_message_id": 1, **values}
    if "read_to" not in given:
        given["read_to"] = await connection.fetchval("SELECT now()")
    if "chat_session_id" not in given:
        given["chat_session_id"] = (await chat_session(connection))["id"]
    return await insert(connection, "session_learnings", given)


async def knowledge(connection: Connection, **values: Any) -> asyncpg.Record:
    given: dict[str, Any] = {"title": f"entity {next(numbers)}", "content": "Something that is known."}
    given |= {"prior_alpha": 8.0, "prior_beta": 2.0, "alpha": 8.0, "beta": 2.0, **values}
    return await insert(connection, "knowledge_entities", given)


async def knowledge_revision(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"revision": 1, "level": "public", "title": "entity", "content": "Something that is known.", **values}
    if "knowledge_id" not in given:
        given["knowledge_id"] = (await knowledge(connection, level="public"))["id"]
    return await insert(connection, "knowledge_revisions", given)


async def knowledge_feedback(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    for column, make in (("knowledge_id", knowledge), ("user_id", user)):
        if column not in given:
            given[column] = (await make(connection, **({"level": "public"} if make is knowledge else {})))["id"]
    return await insert(connection, "knowledge_feedback", given)
