"""Inserts that the database must refuse."""

from collections.abc import Awaitable, Callable
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
