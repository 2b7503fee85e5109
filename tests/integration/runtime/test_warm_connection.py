"""A process keeps one connection to the database open, with its plans, however long nobody asks."""

import asyncio

import asyncpg

from echomind_lib.runtime.process import keep_warm

_LIFETIME = 0.4


async def test_one_connection_outlives_idleness(postgres_url: str, postgres_admin: asyncpg.Connection) -> None:
    used = "SELECT now() - query_start < interval '0.3 s' AND now() - backend_start > interval '1.5 s'"
    async with asyncpg.create_pool(postgres_url, min_size=1, max_inactive_connection_lifetime=_LIFETIME) as pool:
        async with pool.acquire(), pool.acquire():
            assert pool.get_size() == 2
        backend = await pool.fetchval("SELECT pg_backend_pid()")
        warming = asyncio.create_task(keep_warm(pool, _LIFETIME / 4))
        try:
            async with asyncio.timeout(60):
                while not await postgres_admin.fetchval(f"{used} FROM pg_stat_activity WHERE pid = $1", backend):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
        finally:
            warming.cancel()
        assert pool.get_size() == 1, "the other one is closed"
