"""What every row is made with."""

import itertools
from collections.abc import Mapping
from typing import Any

import asyncpg
from asyncpg.pool import PoolConnectionProxy

Connection = asyncpg.Connection | PoolConnectionProxy | asyncpg.Pool

numbers = itertools.count(1)


async def insert(connection: Connection, table: str, values: Mapping[str, Any]) -> asyncpg.Record:
    """Insert a row and give it back as stored."""
    columns = ", ".join(f'"{column}"' for column in values)
    places = ", ".join(f"${number}" for number in range(1, len(values) + 1))
    row = await connection.fetchrow(f"INSERT INTO {table} ({columns}) VALUES ({places}) RETURNING *", *values.values())
    assert row is not None
    return row
