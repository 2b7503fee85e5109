"""Which part of EchoMind an error names when something does not answer."""

from collections.abc import Awaitable, Callable

import asyncpg
import pytest

from echomind_api.calls.middlewares import storage_errors
from echomind_lib.config import DiskSettings
from echomind_lib.contract import CallContext
from echomind_lib.contract.model import ProtoModel
from echomind_lib.db.database import DatabaseUnavailableError
from echomind_lib.disk import DiskSpace
from echomind_lib.errors import DependencyUnavailableError


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
    async def proceed() -> ProtoModel | None:
        await fails()
        return None

    with pytest.raises(DependencyUnavailableError) as caught:
        await storage_errors(DiskSpace(DiskSettings()))(CallContext("m", {}), proceed)
    assert (caught.value.message, caught.value.metadata.get("dependency")) == (message, dependency)
