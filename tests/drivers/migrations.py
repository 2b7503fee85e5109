"""Alembic, in this process and as people call it."""

import asyncio
import os
import sys

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from echomind_lib.db.database import connect_once
from tests.paths import ROOT

_SETTINGS = str(ROOT / "db-schema" / "alembic.ini")


async def run_migration(url: str, direction: str, revision: str) -> None:
    """Brings a database to a revision: `await run_migration(url, "downgrade", "base")`."""

    def run(connection: Connection) -> None:
        config = Config(_SETTINGS)
        config.attributes["connection"] = connection
        {"upgrade": command.upgrade, "downgrade": command.downgrade}[direction](config, revision)

    engine = create_async_engine("postgresql+asyncpg://", async_creator=lambda: connect_once(url, "alembic"))
    try:
        async with engine.connect() as connection:
            await connection.run_sync(run)
    finally:
        await engine.dispose()


async def run_alembic(url: str, *arguments: str) -> None:
    """Runs a command of Alembic's program on a database: `await run_alembic(url, "downgrade", "base")`."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "alembic", "-c", _SETTINGS, *arguments),
        env={**os.environ, "ECHOMIND_POSTGRES__URL": url},
    )
    assert await process.wait() == 0
