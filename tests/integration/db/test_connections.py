"""`Database`: guarantees of the pool and the sessions."""

import asyncio
import subprocess
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from echomind_lib.db.database import Database, DatabaseUnavailableError, connect_once
from echomind_lib.db.models import User
from tests.factories import rows

# PostgreSQL's text holds everything but NUL and halves of surrogate pairs; its numbers are wider than JSON's here.
texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e15, 1e15) | texts,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(texts, children, max_size=4),
    max_leaves=12,
)


async def test_uuids_and_times_come_as_python_values(database: Database) -> None:
    row = await database.pool.fetchrow("SELECT uuidv7() AS id, now() AS time")

    assert row is not None
    assert isinstance(row["id"], UUID)
    assert row["time"].tzinfo is UTC
    assert abs((row["time"] - datetime.now(UTC)).total_seconds()) < 60


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=json_values)
async def test_json_goes_in_and_comes_out_the_same(database: Database, value: Any) -> None:
    assert await database.pool.fetchval("SELECT $1::jsonb", value) == value


async def test_json_of_the_pool_and_of_sessions_is_the_same(database: Database) -> None:
    preferences = {"theme": "dark", "list": [1, None, {"ü": 1.5}]}
    async with database.pool.acquire() as connection:
        user = await rows.user(connection, preferences=preferences)

    async with database.session() as session:
        loaded = await session.get_one(User, user["id"])
        assert loaded.preferences == preferences
        loaded.preferences = {"theme": "light"}

    stored = await database.pool.fetchval("SELECT preferences FROM users WHERE id = $1", user["id"])
    assert stored == {"theme": "light"}


async def test_a_session_is_one_transaction(database: Database) -> None:
    with suppress(ZeroDivisionError):
        async with database.session() as session:
            session.add(User(user_name="a", email="a@example.org"))
            await session.flush()
            raise ZeroDivisionError

    async with database.session() as session:
        assert (await session.scalars(select(User))).all() == []
        session.add(User(user_name="b", email="b@example.org"))

    async with database.session() as session:
        assert (await session.scalars(select(User.user_name))).all() == ["b"]


async def test_what_the_server_made_is_loaded_without_another_query(database: Database) -> None:
    async with database.session() as session:
        user = User(user_name="a", email="a@example.org")
        session.add(user)
        await session.flush()
        assert (user.roles, user.is_active, user.last_update) == (["user"], True, None)
        assert user.creation_date.tzinfo is not None


async def test_a_transaction_left_open_is_rolled_back_on_release(postgres_url: str) -> None:
    async with await Database.connect(postgres_url, max_size=1) as database:
        complaints: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
        try:
            async with database.pool.acquire() as connection:
                await connection.execute("BEGIN")
                await rows.user(connection)
        finally:
            asyncio.get_running_loop().set_exception_handler(None)

        assert await database.pool.fetchval("SELECT count(*) FROM users") == 0
        assert "active transaction" in complaints[0]["message"]


async def test_releasing_a_connection_costs_no_round_trip(postgres_url: str) -> None:
    async with await Database.connect(postgres_url, max_size=1) as database:
        queries: list[str] = []
        async with database.pool.acquire() as connection:
            connection.add_query_logger(lambda record: queries.append(record.query))
            await connection.fetchval("SELECT 1")
        await database.pool.fetchval("SELECT 2")
        await asyncio.sleep(0)  # loggers are called in the next round of the loop

        assert queries == ["SELECT 1", "SELECT 2"]


async def test_a_connection_waits_while_the_server_has_no_room_for_it(postgres_url: str) -> None:
    server, name = urlsplit(postgres_url), f"crowded_{uuid4().hex}"
    url = server._replace(netloc=f"{name}:secret@{server.hostname}:{server.port}").geturl()
    async with await Database.connect(postgres_url) as admin:
        await admin.pool.execute(f"CREATE ROLE {name} LOGIN PASSWORD 'secret' CONNECTION LIMIT 3")
        others = [await asyncpg.connect(url) for _ in range(2)]
        try:
            async with await Database.connect(url) as database, database.pool.acquire():
                waiting = [
                    asyncio.create_task(database.pool.fetchval("SELECT 1")),
                    asyncio.create_task(_one(database)),
                ]
                done, _ = await asyncio.wait(waiting, timeout=0.2)
                assert not done
                for other in others:
                    await other.close()
                assert await asyncio.gather(*waiting) == [1, 1]
        finally:
            for other in others:
                other.terminate()
            await admin.pool.execute(f"DROP ROLE {name}")


async def _one(database: Database) -> int | None:
    async with database.session() as session:
        return await session.scalar(select(1))


async def test_the_connection_has_a_name_and_limits(postgres_url: str) -> None:
    async with await Database.connect(
        postgres_url, application_name="echomind-agent", statement_timeout=2.0
    ) as database:
        assert await database.pool.fetchval("SHOW application_name") == "echomind-agent"
        assert await database.pool.fetchval("SHOW jit") == "off"
        with pytest.raises(asyncpg.QueryCanceledError):
            await database.pool.fetchval("SELECT pg_sleep(30)")
        async with database.session() as session:
            connection = await session.connection()
            assert (await connection.exec_driver_sql("SHOW statement_timeout")).scalar_one() == "2s"


async def test_connections_that_the_server_closed_are_replaced(postgres_url: str) -> None:
    async with await Database.connect(postgres_url) as database:
        async with database.session() as session:
            await session.execute(select(1))
        outsider = await connect_once(postgres_url, "outsider")
        await outsider.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid()"
        )
        await outsider.close()

        async with database.session() as session:
            assert await session.scalar(select(1)) == 1
        with suppress(asyncpg.PostgresError):
            await database.pool.fetchval("SELECT 1")
        assert await database.pool.fetchval("SELECT 1") == 1


async def _connections(database: Database, name: str) -> int:
    query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1"
    return int(await database.pool.fetchval(query, name))


@pytest.mark.parametrize("is_given_back", [True, False])
async def test_closing_waits_for_open_sessions_and_leaves_no_connection(
    database: Database, postgres_url: str, monkeypatch: pytest.MonkeyPatch, is_given_back: bool
) -> None:
    if not is_given_back:
        monkeypatch.setattr("echomind_lib.db.database._CLOSE_SECONDS", 0.05)
    own = await Database.connect(postgres_url, application_name="own")
    is_open, go = asyncio.Event(), asyncio.Event()

    async def use() -> None:
        async with own.session() as session:
            await session.execute(select(1))
            is_open.set()
            await go.wait()

    using = asyncio.create_task(use())
    await is_open.wait()
    assert await _connections(database, "own") == 2
    closing = asyncio.create_task(own.close())
    if is_given_back:
        await asyncio.sleep(0)
        assert not closing.done()
        go.set()
        await using
    await closing
    async with asyncio.timeout(60):
        while await _connections(database, "own"):  # noqa: ASYNC110 - a server tells nobody when a session ends
            await asyncio.sleep(0.01)
    go.set()
    await asyncio.gather(using, return_exceptions=True)


async def test_a_process_that_uses_the_pool_does_not_load_the_orm(postgres_url: str) -> None:
    program = """
import asyncio, sys
from echomind_lib.db.database import Database
from echomind_lib.db import words

async def main():
    async with await Database.connect(sys.argv[1]) as database:
        await database.pool.fetchval("SELECT 1")

asyncio.run(main())
print("sqlalchemy" in sys.modules, "alembic" in sys.modules)
"""
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", program, postgres_url], capture_output=True, text=True, check=True
    )

    assert done.stdout == "False False\n"


async def refusal(url: str) -> str:
    with pytest.raises(DatabaseUnavailableError) as caught:
        await Database.connect(url, wait=0)
    return str(caught.value)


async def test_a_refused_connection_reports_address_and_reason(postgres_url: str, free_port_number: int) -> None:
    parts = urlsplit(postgres_url)
    server = f"{parts.hostname}:{parts.port}"

    wrong_password = await refusal(parts._replace(netloc=f"{parts.username}:sesame@{server}").geturl())
    assert wrong_password.startswith(f"PostgreSQL at {server}{parts.path} refuses the connection: password")
    assert "sesame" not in wrong_password

    missing = await refusal(parts._replace(path="/nowhere").geturl())
    assert missing == f'PostgreSQL at {server}/nowhere refuses the connection: database "nowhere" does not exist'

    away = await refusal(f"postgresql://a:sesame@127.0.0.1:{free_port_number}/b")
    assert away.startswith(f"PostgreSQL at 127.0.0.1:{free_port_number}/b cannot be reached: ")
    assert "sesame" not in away


async def test_connecting_waits_for_a_server_that_is_starting(
    postgres_url: str, free_port_number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The port opens after the first attempt has failed."""
    target = urlsplit(postgres_url)
    failed = asyncio.Event()
    sleep = asyncio.sleep

    async def noticed_sleep(delay: float) -> None:
        failed.set()
        await sleep(delay)

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        from_server, to_server = await asyncio.open_connection(target.hostname, target.port)
        await asyncio.gather(pump(reader, to_server), pump(from_server, writer), return_exceptions=True)

    async def connect() -> Any:
        url = target._replace(netloc=target.netloc.replace(f":{target.port}", f":{free_port_number}")).geturl()
        async with await Database.connect(url, wait=30) as database:
            return await database.pool.fetchval("SELECT 1")

    monkeypatch.setattr("echomind_lib.db.database.asyncio.sleep", noticed_sleep)
    connecting = asyncio.create_task(connect())
    await failed.wait()
    async with await asyncio.start_server(forward, "127.0.0.1", free_port_number):
        assert await connecting == 1


async def test_a_url_of_something_else_is_refused() -> None:
    with pytest.raises(ValueError, match="postgresql://user:password@host:port/database") as caught:
        await Database.connect(f"mysql://a:{uuid4()}@b/c")
    assert "mysql" not in str(caught.value)
