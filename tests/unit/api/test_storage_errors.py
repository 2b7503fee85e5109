"""Which part of EchoMind an error names when something does not answer."""

from collections.abc import Awaitable, Callable

import asyncpg
import pytest

from echomind_api.calls.middlewares import storage_error
from echomind_lib.config import DiskSettings
from echomind_lib.db.database import DatabaseUnavailableError
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.process.disk import DiskSpace


async def _refused() -> None:
    await asyncpg.connect("postgresql://somebody@127.0.0.1:1/none", ssl=False)


async def _unavailable() -> None:
    raise DatabaseUnavailableError("PostgreSQL at somewhere cannot be reached")


async def _frozen() -> None:
    raise TimeoutError


async def _full() -> None:
    raise asyncpg.TooManyConnectionsError("sorry, too many clients already")


@pytest.mark.parametrize(
    ("fails", "message", "dependency"),
    [
        (_refused, "The database does not answer: try again.", "postgres"),
        (_unavailable, "The database does not answer: try again.", "postgres"),
        (_full, "The database does not answer: try again.", "postgres"),
        (_frozen, "A part of EchoMind does not answer: try again.", None),
    ],
)
async def test_only_failures_of_the_database_name_it(
    fails: Callable[[], Awaitable[None]], message: str, dependency: str | None
) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - each fails by its own
        await fails()
    error = storage_error(caught.value, DiskSpace(DiskSettings()))
    assert isinstance(error, DependencyUnavailableError)
    assert (error.message, error.metadata.get("dependency")) == (message, dependency)
