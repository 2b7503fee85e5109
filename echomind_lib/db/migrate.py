"""Migrates the schema to the version that this code needs, or checks it.

Migrations are numbered: revision `0001` is the file `versions/2026_11_21_0001_initial.py`. So the version that this
code needs is known from file names alone, and alembic is loaded only if a migration is needed.
"""

import asyncio
import sys
import time
from pathlib import Path

import asyncpg

from echomind_lib.config import Settings
from echomind_lib.db.database import connect_once

OLDEST_SERVER = 18
"""The first major version of PostgreSQL that has `uuidv7()`."""

_LOCK = 0x6563686F  # "echo": the advisory lock that one migrating process holds
_LOCK_RETRY_SECONDS = 0.2
_CHECK_SECONDS = 1.0


class SchemaError(RuntimeError):
    """The server or the schema of the database is older than this code needs."""


def upgrade(url: str) -> None:
    """Creates the schema or migrates it to this code's version; does nothing if it is current.

    Safe to call from several processes concurrently: one migrates, the others wait. Must not be called while
    an event loop runs; use `upgrade_async` there.

    Raises:
        DatabaseUnavailableError: The server cannot be reached.
        SchemaError: The server is too old.
    """
    asyncio.run(upgrade_async(url))


async def upgrade_async(url: str) -> None:
    """As `upgrade`, within an event loop."""
    connection = await connect_once(url, "echomind-migrate")
    try:
        if _is_behind(await _version(connection)):
            await _lock(connection)
            if _is_behind(await _version(connection)):
                require_server(connection.get_server_version())
                await _run_alembic(url)
    finally:
        # Closing the connection releases the lock.
        await connection.close()


async def current(url: str) -> str | None:
    """Returns the schema's revision, such as `0001`; None for a database without a schema."""
    connection = await connect_once(url, "echomind-migrate")
    try:
        return await _version(connection)
    finally:
        await connection.close()


async def check(url: str, *, wait: float = 0.0) -> None:
    """Verifies that the schema is at least as new as this code requires; newer schemas also serve older code.

    Args:
        url: The database.
        wait: Seconds to wait for another process to migrate it.

    Raises:
        DatabaseUnavailableError: The server cannot be reached.
        SchemaError: The schema is missing or older.
    """
    deadline = time.monotonic() + wait
    while _is_behind(version := await current(url)) and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(_CHECK_SECONDS)
    if _is_behind(version):
        found = f"is at revision {version}" if version else "has no schema"
        message = f"the database {found}, this version of EchoMind needs {head()}: run the migrations first"
        raise SchemaError(message)


def main() -> None:
    """The program `echomind-migrate`: migrates the database that the environment names."""
    url = Settings().postgres.url.get_secret_value()
    try:
        before = asyncio.run(current(url))
        upgrade(url)
    except (ConnectionError, SchemaError, ValueError) as error:
        raise SystemExit(str(error)) from error
    from_before = f", it was at {before}" if before and before != head() else ""
    sys.stdout.write(f"The schema is at revision {head()}{from_before}.\n")


def require_server(version: asyncpg.ServerVersion) -> None:
    """Raises an error if the server is too old.

    Raises:
        SchemaError: It is too old.
    """
    if version.major < OLDEST_SERVER:
        found = f"{version.major}.{version.minor}"
        message = f"EchoMind needs PostgreSQL {OLDEST_SERVER} or newer, the server is {found}: upgrade the server"
        raise SchemaError(message)


def head() -> str:
    """Returns the revision that this code needs."""
    return max(path.stem.split("_")[3] for path in (migrations_folder() / "versions").glob("*.py"))


def migrations_folder() -> Path:
    """Alembic's script folder: inside the installed package, or `db-schema/migrations` of a checkout.

    Raises:
        FileNotFoundError: The installation is broken.
    """
    here = Path(__file__).resolve()
    for folder in (here.parent / "migrations", here.parents[2] / "db-schema" / "migrations"):
        if folder.is_dir():
            return folder
    message = f"the database migrations are missing beside {here.parent}: install EchoMind again"
    raise FileNotFoundError(message)


def _is_behind(version: str | None) -> bool:
    return version is None or version < head()


async def _version(connection: asyncpg.Connection) -> str | None:
    if await connection.fetchval("SELECT to_regclass('alembic_version')") is None:
        return None
    version: str | None = await connection.fetchval("SELECT version_num FROM alembic_version")
    return version


async def _lock(connection: asyncpg.Connection) -> None:
    # Polls instead of waiting in the server: a waiting statement would hold a snapshot, and a migration that builds an
    # index concurrently would wait for that snapshot in turn.
    while not await connection.fetchval("SELECT pg_try_advisory_lock($1)", _LOCK):  # noqa: ASYNC110
        await asyncio.sleep(_LOCK_RETRY_SECONDS)


async def _run_alembic(url: str) -> None:
    from alembic import command
    from alembic.config import Config
    from sqlalchemy import Connection
    from sqlalchemy.ext.asyncio import create_async_engine
    from sqlalchemy.pool import NullPool

    config = Config()
    config.set_main_option("script_location", str(migrations_folder()).replace("%", "%%"))

    def run(connection: Connection) -> None:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=lambda: connect_once(url, "echomind-migrate"),
        poolclass=NullPool,
        hide_parameters=True,
    )
    async with engine.connect() as connection:
        await connection.run_sync(run)
