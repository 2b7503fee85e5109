"""Where a text is left: in which tables and files."""

from uuid import uuid4

import asyncpg

from echomind_lib.objects import ObjectStore


def marker() -> str:
    """Returns a text that is found nowhere else."""
    return f"marker{uuid4().hex}"


async def tables_with(pool: asyncpg.Pool, text: str) -> set[str]:
    """Returns every table that has a row in which a text stands, in whichever column."""
    names = [
        row["tablename"] for row in await pool.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    ]
    return {
        name
        for name in names
        if await pool.fetchval(f'SELECT EXISTS (SELECT FROM "{name}" AS row WHERE strpos(row::text, $1) > 0)', text)
    }


async def files_with(objects: ObjectStore, text: str) -> set[str]:
    """Returns the keys of the stored files in which a text stands."""
    return {key for key in await objects.keys("") if text in key or text.encode() in await objects.get(key)}
