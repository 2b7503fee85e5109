"""Notebooks, and what is in them."""

from typing import Any

import asyncpg

from tests.factories.rows.accounts import user
from tests.factories.rows.base import Connection, insert


async def notebook(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"title": "N", **values}
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "notebooks", given)


async def notebook_member(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"role": "viewer", **values}
    if "notebook_id" not in given:
        given["notebook_id"] = (await notebook(connection))["id"]
    if "user_id" not in given:
        given["user_id"] = (await user(connection))["id"]
    return await insert(connection, "notebook_members", given)


async def notebook_group(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"role": "viewer", **values}
    if "notebook_id" not in given:
        given["notebook_id"] = (await notebook(connection))["id"]
    if "group_id" not in given:
        given["group_id"] = await connection.fetchval("INSERT INTO groups (name) VALUES (uuidv7()::text) RETURNING id")
    return await insert(connection, "notebook_groups", given)


async def notebook_summary(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"fingerprint": "0" * 64, "documents": 1} | values
    if "notebook_id" not in given:
        given["notebook_id"] = (await notebook(connection))["id"]
    return await insert(connection, "notebook_summaries", given)


async def notebook_note(connection: Connection, **values: Any) -> asyncpg.Record:
    given = {"title": "Note", "content": "x"} | values
    return await insert(connection, "notebook_notes", given)


async def notebook_source(connection: Connection, **values: Any) -> asyncpg.Record:
    given = dict(values)
    if "notebook_id" not in given:
        given["notebook_id"] = (await notebook(connection))["id"]
    return await insert(connection, "notebook_sources", given)
