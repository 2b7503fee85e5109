"""Inserts that the database must refuse."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

Insert = Callable[..., Awaitable[asyncpg.Record]]


async def refused(
    connection: asyncpg.Connection, insert: Insert, error: type[asyncpg.PostgresError], **values: Any
) -> str | None:
    """Insert what must be refused; gives the constraint's name."""
    with pytest.raises(error) as caught:
        async with connection.transaction():
            await insert(connection, **values)
    name: str | None = caught.value.as_dict().get("constraint_name")
    return name


@asynccontextmanager
async def rolled_back(connection: asyncpg.Connection) -> AsyncIterator[None]:
    """Takes back what the block has stored, within the transaction of the test."""
    savepoint = connection.transaction()
    await savepoint.start()
    try:
        yield
    finally:
        await savepoint.rollback()
