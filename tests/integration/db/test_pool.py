"""Statements over the pool take, keep and give back its connections."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest
from pydantic import ValidationError

from echomind_lib.config import PostgresSettings
from echomind_lib.db.database import Database
from echomind_lib.db.deletion_lock import deletion_lock
from echomind_lib.db.pool import planned_for_values


async def _a_value_that_does_not_fit(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(asyncpg.DataError):
        await database.pool.fetchval("SELECT $1::int + 1", 2**31)


async def _a_caller_that_is_cancelled_between_parsing_and_values(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    parse = asyncpg.Connection._get_statement  # type: ignore[attr-defined]

    async def parse_and_be_cancelled(*arguments: Any, **options: Any) -> Any:
        await parse(*arguments, **options)
        raise asyncio.CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(asyncpg.Connection, "_get_statement", parse_and_be_cancelled)
        with pytest.raises(asyncio.CancelledError):
            await database.pool.fetchval("SELECT $1::int + 1", 1)


async def _a_caller_that_is_cancelled_while_the_server_works(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await database.pool.fetchval("SELECT pg_sleep($1)", 30.0)


@pytest.mark.parametrize(
    "fail",
    [
        _a_value_that_does_not_fit,
        _a_caller_that_is_cancelled_between_parsing_and_values,
        _a_caller_that_is_cancelled_while_the_server_works,
    ],
)
async def test_a_statement_that_was_not_finished_harms_no_later_one(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, fail: Callable[[Database, pytest.MonkeyPatch], Awaitable[None]]
) -> None:
    async with await Database.connect(postgres_url, statement_timeout=1.0, max_size=1) as database:
        await fail(database, monkeypatch)
        async with await Database.connect(postgres_url) as watch:
            await watch.pool.fetchval("SELECT pg_sleep(1.2)")
        assert await database.pool.fetchval("SELECT $1::int + 2", 40) == 42


async def test_a_statement_takes_an_idle_connection_and_gives_it_back_at_once(postgres_url: str) -> None:
    async with await Database.connect(postgres_url, max_size=2) as database:
        pool, tasks = database.pool, len(asyncio.all_tasks())
        first = await pool.fetchval("SELECT pg_backend_pid()")

        assert await pool.fetchval("SELECT pg_backend_pid()") == first
        row = await pool.fetchrow("SELECT pg_backend_pid() AS number")
        assert row is not None
        assert row["number"] == first
        assert [each["number"] for each in await pool.fetch("SELECT pg_backend_pid() AS number")] == [first]
        assert await pool.execute("SELECT 1") == "SELECT 1"
        assert pool.get_idle_size() == pool.get_size() == 1
        assert len(asyncio.all_tasks()) == tasks


async def test_statements_wait_for_a_connection_in_turn(postgres_url: str) -> None:
    async with await Database.connect(postgres_url, max_size=1) as database:
        done: list[int] = []

        async def ask(number: int) -> None:
            await database.pool.fetchval("SELECT 1")
            done.append(number)

        async with asyncio.TaskGroup() as group, database.pool.acquire() as connection:
            for number in range(5):
                group.create_task(ask(number))
            await connection.fetchval("SELECT pg_sleep(0.05)")
            assert not done

        assert done == [0, 1, 2, 3, 4]


async def test_a_statement_replaces_a_connection_that_the_server_has_closed(postgres_url: str) -> None:
    async with await Database.connect(postgres_url, max_size=1) as database:
        pool = database.pool
        with pytest.raises((asyncpg.AdminShutdownError, asyncpg.ConnectionDoesNotExistError)):
            await pool.fetchval("SELECT pg_terminate_backend(pg_backend_pid())")

        assert await pool.fetchval("SELECT 1") == 1
        old = await pool.fetchval("SELECT pg_backend_pid()")
        await pool.expire_connections()
        assert await pool.fetchval("SELECT pg_backend_pid()") != old


async def test_nothing_that_was_made_on_a_connection_outlives_its_return(postgres_url: str) -> None:
    async with await Database.connect(postgres_url, max_size=1) as database:
        async with database.pool.acquire() as connection:
            statement = await connection.prepare("SELECT 1")
            assert await statement.fetchval() == 1
        with pytest.raises(asyncpg.InterfaceError, match="released back to the pool"):
            await connection.fetchval("SELECT 1")
        with pytest.raises(asyncpg.InterfaceError, match="released back to the pool"):
            await statement.fetchval()


async def test_a_listener_that_was_left_behind_is_removed(postgres_url: str) -> None:
    async with await Database.connect(postgres_url, max_size=1) as database:
        heard: list[Any] = []
        with pytest.warns(asyncpg.InterfaceWarning, match="active notification listener"):
            async with database.pool.acquire() as connection:
                await connection.add_listener("left_behind", lambda *given: heard.append(given))
        await database.pool.execute("SELECT pg_notify('left_behind', '')")
        assert not heard


async def test_a_closed_pool_refuses_statements(postgres_url: str) -> None:
    database = await Database.connect(postgres_url)
    await database.close()
    with pytest.raises(asyncpg.InterfaceError, match="pool is closed"):
        await database.pool.fetchval("SELECT 1")


@pytest.mark.parametrize("connections", [2, 3])
async def test_batches_of_deletions_leave_connections_for_what_they_execute(
    postgres_url: str, connections: int
) -> None:
    """Each holds a connection, and needs another one: held by all at once, they would wait for each other."""
    async with await Database.connect(postgres_url, max_size=connections) as database:

        async def delete() -> int:
            async with deletion_lock(database.pool) as may_delete:
                assert may_delete
                await asyncio.sleep(0)  # until the others have begun
                return int(await database.pool.fetchval("SELECT 1"))

        async with asyncio.timeout(30):
            assert sum(await asyncio.gather(*(delete() for _ in range(8)))) == 8


def test_a_pool_has_connections_for_a_deletion() -> None:
    assert PostgresSettings(pool_size=2).pool_size == 2
    with pytest.raises(ValidationError, match="pool_size"):
        PostgresSettings(pool_size=1)


async def test_a_connection_plans_a_statement_once_for_all_values_unless_asked(database: Database) -> None:
    async def plans(connection: Any) -> tuple[int, int]:
        for number in range(3):
            await connection.fetch("SELECT id FROM users WHERE id = $1", number)
        row = await connection.fetchrow(
            "SELECT generic_plans, custom_plans FROM pg_prepared_statements "
            "WHERE statement = 'SELECT id FROM users WHERE id = $1'"
        )
        return tuple(row)

    async with database.pool.acquire() as connection:
        assert await plans(connection) == (3, 0)
    async with planned_for_values(database.pool) as connection:
        assert await plans(connection) == (3, 3)
    async with database.pool.acquire() as connection:
        assert await plans(connection) == (6, 3)
