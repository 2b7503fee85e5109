"""Migrations, `schema.sql` and the ORM's classes describe one schema."""

import asyncio
import subprocess
import sys

import asyncpg
import pytest
from sqlalchemy.ext.asyncio import create_async_engine

from echomind_lib.db.models import Base
from tests.paths import ROOT

DUMP = ROOT / "db-schema" / "dump.py"

CATALOGUE = """
    SELECT 'column', c.relname, a.attname,
        concat_ws(' ', format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
                  pg_get_expr(d.adbin, d.adrelid))
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
    UNION ALL
    SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid)
    FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL
    SELECT 'index', tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
"""


async def catalogue(url: str) -> set[tuple[str, str, str, str]]:
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch(CATALOGUE)
    finally:
        await connection.close()
    return {(row[0], row[1], row[2], row[3]) for row in rows if row[1] != "alembic_version"}


async def check_dump(url: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DUMP), "--check", "--url", url]
    return await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=False)


async def test_the_classes_make_the_same_schema_as_the_migrations(postgres_url: str, empty_url: str) -> None:
    async def connect() -> asyncpg.Connection:
        return await asyncpg.connect(empty_url)

    engine = create_async_engine("postgresql+asyncpg://", async_creator=connect)
    async with engine.begin() as connection:
        for extension in ("pg_trgm", "btree_gin"):  # required by the indexes of the classes
            await connection.exec_driver_sql(f"CREATE EXTENSION {extension}")
        await connection.run_sync(Base.metadata.create_all)
    await engine.dispose()

    assert await catalogue(empty_url) == await catalogue(postgres_url)


async def test_schema_sql_is_the_dump_of_the_migrations(postgres_url: str) -> None:
    done = await check_dump(postgres_url)

    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "change",
    [
        "DROP TRIGGER update_chat_session_message_count_delete ON chat_messages",
        "ALTER TABLE runs DROP CONSTRAINT runs_depth_check, ADD CONSTRAINT runs_depth_check CHECK (depth <= 11)",
    ],
)
async def test_the_check_sees_triggers_and_constraints(postgres_url: str, change: str) -> None:
    connection = await asyncpg.connect(postgres_url)
    await connection.execute(change)
    await connection.close()

    assert (await check_dump(postgres_url)).returncode == 1
