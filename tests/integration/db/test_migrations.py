import asyncio
import subprocess
import sys

import asyncpg
import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory

from echomind_lib.db import migrate
from tests.drivers.migrations import run_alembic


async def tables(url: str) -> set[str]:
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    finally:
        await connection.close()
    return {row["tablename"] for row in rows}


async def set_version(url: str, version: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute("UPDATE alembic_version SET version_num = $1", version)
    finally:
        await connection.close()


async def test_an_empty_database_is_brought_to_head(empty_url: str) -> None:
    assert await migrate.current(empty_url) is None

    await migrate.upgrade_async(empty_url)

    assert await migrate.current(empty_url) == migrate.head()
    await migrate.check(empty_url)


async def test_several_processes_may_migrate_at_once(empty_url: str) -> None:
    await asyncio.gather(*(migrate.upgrade_async(empty_url) for _ in range(3)))

    assert await migrate.current(empty_url) == migrate.head()


async def test_migrations_can_be_undone_and_repeated(postgres_url: str) -> None:
    before = await tables(postgres_url)

    await run_alembic(postgres_url, "downgrade", "base")
    assert await tables(postgres_url) == {"alembic_version"}

    await migrate.upgrade_async(postgres_url)
    assert await tables(postgres_url) == before


async def test_a_database_without_schema_is_refused(empty_url: str) -> None:
    with pytest.raises(migrate.SchemaError, match="has no schema"):
        await migrate.check(empty_url)


async def test_a_service_waits_for_the_migration(empty_url: str) -> None:
    waiting = asyncio.create_task(migrate.check(empty_url, wait=60))
    await migrate.upgrade_async(empty_url)
    await waiting


async def test_an_older_schema_is_refused(postgres_url: str) -> None:
    await set_version(postgres_url, "0000")

    with pytest.raises(migrate.SchemaError, match=f"is at revision 0000, .* needs {migrate.head()}"):
        await migrate.check(postgres_url)


async def test_a_newer_schema_is_accepted_and_left_alone(postgres_url: str) -> None:
    await set_version(postgres_url, "9999")

    await migrate.check(postgres_url)
    await migrate.upgrade_async(postgres_url)

    assert await migrate.current(postgres_url) == "9999"


async def test_the_head_by_file_names_is_alembics_head() -> None:
    config = Config()
    config.set_main_option("script_location", str(migrate.migrations_folder()))

    assert ScriptDirectory.from_config(config).get_current_head() == migrate.head()


async def test_at_head_neither_alembic_nor_the_orm_is_loaded(postgres_url: str) -> None:
    program = (
        "import sys; from echomind_lib.db.migrate import upgrade; upgrade(sys.argv[1]); "
        "print(sorted({'alembic', 'sqlalchemy'} & sys.modules.keys()))"
    )
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", program, postgres_url], capture_output=True, text=True, check=True
    )

    assert done.stdout == "[]\n"
