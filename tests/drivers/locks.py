"""Waiting for calls that wait for a lock of the database."""

import asyncio
from typing import Any

import asyncpg


async def waits_for(pool: asyncpg.Pool, pid: int, call: asyncio.Task[Any]) -> None:
    """Returns when a call waits for a lock of a connection, or has ended."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))"
    while not call.done() and not await pool.fetchval(waiting, pid):  # noqa: ASYNC110
        await asyncio.sleep(0.01)
