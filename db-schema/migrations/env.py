"""Alembic's environment.

`echomind_lib.db.migrate` hands its connection over in `config.attributes["connection"]`; alembic's own command line
connects to the server that ECHOMIND_POSTGRES__URL names.
"""

import asyncio
import os

from alembic import context
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from echomind_lib.db.database import connect_once
from echomind_lib.db.models import Base


def run_migrations(connection: Connection) -> None:
    """Run what the command asks for on this connection, each migration in a transaction of its own."""
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_server_default=True,
        transaction_per_migration=True,
        # The second one is not in the default set: it compares CHECK constraints by name.
        autogenerate_plugins=["alembic.autogenerate.*", "alembic.ext.checkconstraint_byname"],
    )
    with context.begin_transaction():
        context.run_migrations()


async def connect_and_run() -> None:
    """Run on a connection of our own."""
    url = os.environ.get("ECHOMIND_POSTGRES__URL")
    if not url:
        message = "set ECHOMIND_POSTGRES__URL to the database that alembic shall work on"
        raise SystemExit(message)
    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: connect_once(url, "alembic"), hide_parameters=True
    )
    try:
        async with engine.connect() as connection:
            await connection.run_sync(run_migrations)
    finally:
        await engine.dispose()


given = context.config.attributes.get("connection")
if given is not None:
    run_migrations(given)
else:
    asyncio.run(connect_and_run())
