"""A pool of connections on which single statements, and the return of a connection, cost little.

asyncpg returns each connection in a task of its own, shielded from cancellation, because it may have to wait for the
server then. A connection that has answered its last statement needs no such wait: it is free at once. This saves a
task, a round of the event loop, and two thirds of the calls that a statement takes.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import asyncpg
from asyncpg.pool import PoolConnectionProxy
from typing_extensions import override

_MAX_QUERIES: Final = 50_000
"""Statements after which a connection is replaced, asyncpg's own default."""
_IDLE_SECONDS: Final = 60.0
"""Seconds after which an unused connection is closed, except the last one. PostgreSQL holds up to 9 MiB for each, with
the plans of its statements, which nobody needs after a burst of work."""


class StatementPool(asyncpg.Pool):
    """asyncpg's pool, which gives clean connections back without a task."""

    def __init__(self, url: str, **options: Any) -> None:
        """Initializes the pool; `await` it to connect.

        Args:
            url: `postgresql://user:password@host:port/database`.
            options: Those of `asyncpg.create_pool`.
        """
        super().__init__(
            url,
            max_queries=_MAX_QUERIES,
            max_inactive_connection_lifetime=_IDLE_SECONDS,
            loop=None,
            record_class=asyncpg.Record,
            **options,
        )

    @override
    async def fetch(self, query: str, *args: Any, timeout: float | None = None, record_class: Any = None) -> Any:
        proxy = await self._taken()
        try:
            # On the connection itself, as the proxy would only check that it is not returned yet.
            return await proxy._con.fetch(query, *args, timeout=timeout, record_class=record_class)
        finally:
            if not self._returned(proxy):
                await super().release(proxy)

    @override
    async def fetchrow(self, query: str, *args: Any, timeout: float | None = None, record_class: Any = None) -> Any:
        proxy = await self._taken()
        try:
            return await proxy._con.fetchrow(query, *args, timeout=timeout, record_class=record_class)
        finally:
            if not self._returned(proxy):
                await super().release(proxy)

    @override
    async def fetchval(self, query: str, *args: Any, column: int = 0, timeout: float | None = None) -> Any:
        proxy = await self._taken()
        try:
            return await proxy._con.fetchval(query, *args, column=column, timeout=timeout)
        finally:
            if not self._returned(proxy):
                await super().release(proxy)

    @override
    async def execute(self, query: str, *args: Any, timeout: float | None = None) -> str:
        proxy = await self._taken()
        try:
            return await proxy._con.execute(query, *args, timeout=timeout)  # type: ignore[no-any-return]
        finally:
            if not self._returned(proxy):
                await super().release(proxy)

    @override
    async def release(self, connection: Any, *, timeout: float | None = None) -> None:
        is_own = type(connection) is PoolConnectionProxy and connection._holder._pool is self
        if not is_own or not self._returned(connection):
            await super().release(connection, timeout=timeout)

    async def _taken(self) -> Any:
        """Returns the proxy of a connection: at once if one is idle, otherwise as asyncpg does."""
        # The types of asyncpg leave out what is its own, as are a pool's queue, holders and proxies.
        pool: Any = self
        if not pool._closing and pool._initialized:
            try:
                holder = pool._queue.get_nowait()
            except asyncio.QueueEmpty:
                return await pool._acquire(None)
            connection = holder._con
            is_open = connection is not None and not connection.is_closed()
            if is_open and holder._generation == pool._generation:
                return await holder.acquire()  # which awaits nothing then
            pool._queue.put_nowait(holder)
        return await pool._acquire(None)

    def _returned(self, proxy: Any) -> bool:
        """Returns a connection to the pool if nothing has to be waited for, and whether this was so."""
        pool: Any = self
        connection, holder = proxy._con, proxy._holder
        if connection is None or connection.is_closed() or connection.has_open_exchange:
            return False
        protocol = connection._protocol
        is_clean = not (
            protocol.is_in_transaction()
            or protocol._is_cancelling()
            or connection._top_xact is not None
            or connection._listeners
            or connection._log_listeners
        )
        if not is_clean or protocol.queries_count >= holder._max_queries or holder._generation != pool._generation:
            return False
        connection._pool_release_ctr += 1  # what was made on the connection, such as cursors, is no longer valid
        holder._timeout = None
        holder._release()
        holder._setup_inactive_callback()
        return True


@asynccontextmanager
async def planned_for_values(pool: asyncpg.Pool) -> AsyncIterator[PoolConnectionProxy]:
    """Yields a connection, in a transaction, that plans each statement for the values of the call.

    For a statement with conditions that a value turns off, such as filters that are not given: the plan for all values,
    which connections of the pool make otherwise, would read much more of a large table than the values ask for.
    """
    async with pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        yield connection
