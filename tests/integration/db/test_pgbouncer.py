"""The pool, sessions and locks through PgBouncer, configured as the guide says.

PgBouncer is that of the distribution; where it is missing, these tests are skipped.
"""

import asyncio
import configparser
import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest
import pytest_asyncio
from sqlalchemy import select

from echomind.local.embedded.process import ProcessSpec, accepts_connections, free_port, spawn, stop, wait_ready
from echomind_lib.db import database as database_module
from echomind_lib.db.database import Database, connect_once
from echomind_lib.db.models import User
from echomind_lib.runtime import membership
from echomind_lib.runtime.membership import Membership
from tests.drivers.snippets import to_run
from tests.factories import rows

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")

pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="pgbouncer is not installed (Debian: apt-get install pgbouncer)"
)


def block(language: str) -> str:
    """Returns the guide's block in a language."""
    (snippet,) = to_run("external-servers.md", language)
    return snippet.text


@dataclass
class Pooler:
    """PgBouncer, which a test may end and start again."""

    url: str
    direct: str
    spec: ProcessSpec
    log: Path

    def start(self) -> None:
        self._process = spawn(self.spec, self.log)
        wait_ready(self._process, self.spec, self.log)

    def stop(self) -> None:
        stop(self._process, self.spec)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PgBouncer's user may read."""
    with tempfile.TemporaryDirectory() as name:
        made = Path(name)
        made.chmod(0o755)
        yield made


@pytest_asyncio.fixture
async def pooler(postgres_url: str, folder: Path) -> AsyncIterator[Pooler]:
    """PgBouncer before the test's own database."""
    direct, port = urlsplit(postgres_url), free_port()
    name = direct.path.strip("/")
    text = block("ini").replace("echomind = host=127.0.0.1 port=5432", f"{name} = host=127.0.0.1 port={direct.port}")
    text = text.replace("/etc/pgbouncer", str(folder)).replace("listen_port = 6432", f"listen_port = {port}")
    (folder / "pgbouncer.ini").write_text(text)
    (folder / "userlist.txt").write_text(f'"{direct.username}" "{direct.password}"\n')
    connection = await asyncpg.connect(postgres_url)
    await connection.execute(block("sql").replace("DATABASE echomind", f"DATABASE {name}"))
    await connection.close()
    assert PROGRAM is not None
    user = ["-u", "nobody"] if os.geteuid() == 0 else []
    spec = ProcessSpec(
        "pgbouncer",
        [PROGRAM, *user, str(folder / "pgbouncer.ini")],
        {"PATH": "/bin"},
        ready=lambda: accepts_connections(port),
    )
    netloc = f"{direct.username}:{direct.password}@127.0.0.1:{port}"
    made = Pooler(direct._replace(netloc=netloc).geturl(), postgres_url, spec, folder / "pgbouncer.log")
    made.start()
    yield made
    made.stop()


async def test_a_connection_has_the_settings_of_a_direct_one(pooler: Pooler) -> None:
    names = database_module._server_settings("", 1.0).keys()
    async with await Database.connect(pooler.direct) as direct, await Database.connect(pooler.url) as pooled:
        for name in names:
            show = f"SHOW {name}"
            assert await pooled.pool.fetchval(show) == await direct.pool.fetchval(show), name
    parser = configparser.ConfigParser()
    parser.read_string(block("ini"))
    ignored = {each.strip() for each in parser["pgbouncer"]["ignore_startup_parameters"].split(",")}
    # Those that PgBouncer passes on are not named.
    assert ignored == (names - {"application_name", "timezone"}) | membership._KEEPALIVE.keys()


async def test_statements_transactions_and_sessions_work(pooler: Pooler) -> None:
    async with await Database.connect(pooler.url, max_size=2) as database:
        async with database.pool.acquire() as connection, connection.transaction():
            user = await rows.user(connection, preferences={"theme": ["dark", 1.5, None]})
        for _ in range(3):  # prepared at the first time
            stored = await database.pool.fetchrow("SELECT user_name, preferences FROM users WHERE id = $1", user["id"])
            assert stored is not None
            assert stored["preferences"] == {"theme": ["dark", 1.5, None]}
        async with database.session() as session:
            found = await session.get_one(User, user["id"])
            found.first_name = "Ada"
        async with database.session() as session:
            assert (await session.scalars(select(User.first_name))).all() == ["Ada"]
        with pytest.raises(asyncpg.UniqueViolationError):
            async with database.pool.acquire() as connection:
                await connection.execute(
                    "INSERT INTO users (user_name, email) SELECT user_name, $1 FROM users", f"{uuid4()}@example.org"
                )
        assert await database.pool.fetchval("SELECT count(*) FROM users") == 1


async def test_a_caller_that_is_cancelled_cancels_the_statement(pooler: Pooler) -> None:
    async with await Database.connect(pooler.url, max_size=1) as database:
        process = await database.pool.fetchval("SELECT pg_backend_pid()")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await database.pool.fetchval("SELECT pg_sleep($1)", 60.0)
        async with asyncio.timeout(10), await Database.connect(pooler.direct) as watch:
            while await watch.pool.fetchval(  # noqa: ASYNC110 - a server tells nobody
                "SELECT state = 'active' AND query LIKE '%pg_sleep%' FROM pg_stat_activity WHERE pid = $1", process
            ):
                await asyncio.sleep(0.05)
        assert await database.pool.fetchval("SELECT 1") == 1


async def test_the_lock_of_a_worker_is_free_when_it_dies(pooler: Pooler) -> None:
    key = secrets.randbelow(2**60)
    dead = await connect_once(pooler.url, "worker", settings=membership._KEEPALIVE)
    other = await connect_once(pooler.url, "worker", settings=membership._KEEPALIVE)
    assert await dead.fetchval("SELECT pg_try_advisory_lock($1)", key)
    assert not await other.fetchval("SELECT pg_try_advisory_lock($1)", key)
    dead.terminate()
    async with asyncio.timeout(10):
        while not await other.fetchval("SELECT pg_try_advisory_lock($1)", key):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    await other.close()


async def test_workers_and_pools_are_back_after_pgbouncer(pooler: Pooler) -> None:
    async with await Database.connect(pooler.url, max_size=2) as database, Membership(pooler.url, "agent") as member:
        watching = asyncio.create_task(member.run())
        await asyncio.to_thread(pooler.stop)
        with pytest.raises((OSError, asyncpg.PostgresError, asyncpg.InterfaceError)):
            await database.pool.fetchval("SELECT 1")
        await asyncio.to_thread(pooler.start)
        assert await database.pool.fetchval("SELECT 1") == 1
        async with asyncio.timeout(20):
            while not await database.pool.fetchval(  # noqa: ASYNC110
                "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' "
                "AND application_name = 'echomind-agent-worker' AND datname = current_database()"
            ):
                await asyncio.sleep(0.1)
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)
