"""What tests of erasures and legal holds leave as they found it."""

from collections.abc import AsyncIterator

import asyncpg
import pytest_asyncio


@pytest_asyncio.fixture(autouse=True, loop_scope="session")
async def released(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Leaves no hold behind, and no erasure that somebody would continue."""
    yield
    await pool.execute("DELETE FROM legal_holds")
    await pool.execute("DELETE FROM erasures WHERE completed_at IS NULL")
