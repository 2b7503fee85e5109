"""Entries of the audit log, statements against it, and what verifying it finds."""

from datetime import UTC, datetime, timedelta

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from echomind_api.audit.verification import KnownSeal, Verified, snapshot, verify
from echomind_lib.db.database import Database

SETTING = "SET LOCAL echomind.retention = 'audit_log'"


async def attempt(connection: asyncpg.Connection | PoolConnectionProxy, *statements: str) -> None:
    """Executes statements in one transaction."""
    async with connection.transaction():
        for statement in statements:
            await connection.execute(statement)


async def add(database: Database, count: int, days: int = 0) -> None:
    query = """
        INSERT INTO audit_log (action, target, detail, creation_date)
        SELECT 'User/Test', 'users/' || n, '{"b": 1, "a": ["ä", 1.50]}', $2 FROM generate_series(1, $1) n
    """
    await database.pool.execute(query, count, datetime.now(UTC) - timedelta(days=days))


async def verified(database: Database, first: int = 1, known: KnownSeal | None = None, days: int = 30) -> Verified:
    async with snapshot(database) as session:
        return await verify(session, first, known, days)
