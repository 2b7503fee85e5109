"""One migrated database for all tests that can work in a transaction which is rolled back."""

import secrets
from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from echomind.local.embedded.postgres import DATABASE, PostgresServer
from echomind.local.embedded.process import free_port
from echomind_api.audit import sealing
from echomind_api.audit.sealing import AuditSeals
from echomind_lib.db.database import Database
from tests.drivers.audit_log import add
from tests.drivers.servers import database_url
from tests.drivers.stored_rows import Stored


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_connection(
    postgres_server: PostgresServer, postgres_admin: asyncpg.Connection
) -> AsyncIterator[asyncpg.Connection]:
    name = f"shared_{secrets.token_hex(6)}"
    await postgres_admin.execute(f"CREATE DATABASE {name} TEMPLATE {DATABASE}")
    connection = await asyncpg.connect(database_url(postgres_server, name))
    yield connection
    await connection.close()
    await postgres_admin.execute(f"DROP DATABASE {name}")


@pytest_asyncio.fixture(loop_scope="session")
async def connection(shared_connection: asyncpg.Connection) -> AsyncIterator[asyncpg.Connection]:
    """A connection to a migrated, empty database, in a transaction that is rolled back."""
    transaction = shared_connection.transaction()
    await transaction.start()
    yield shared_connection
    await transaction.rollback()


@pytest_asyncio.fixture(loop_scope="session")
async def empty_url(postgres_server: PostgresServer, postgres_admin: asyncpg.Connection) -> AsyncIterator[str]:
    """URL of a database without a schema."""
    name = f"empty_{secrets.token_hex(6)}"
    await postgres_admin.execute(f"CREATE DATABASE {name}")
    yield database_url(postgres_server, name)
    await postgres_admin.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest_asyncio.fixture(loop_scope="session")
async def stored(empty_url: str) -> AsyncIterator[Stored]:
    """A database that the test migrates."""
    connection = await asyncpg.connect(empty_url)
    yield Stored(empty_url, connection)
    await connection.close()


@pytest.fixture
def free_port_number() -> int:
    """A port that nothing listens on."""
    return free_port()


@pytest_asyncio.fixture
async def log(database: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A log with 12 entries under 3 seals, and one that is not sealed."""
    monkeypatch.setattr(sealing, "_ENTRIES", 4)
    await add(database, 12)
    assert await AuditSeals(database).seal() == 12
    await add(database, 1)
    return database
