"""Liveness of workers: deaths are detected within a second, and an unavailable database causes none."""

import asyncio
import secrets
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from uuid import UUID

import asyncpg
import pytest

from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import free_port
from echomind_lib.db.database import Database, connect_once
from echomind_lib.runtime import Membership, membership
from tests.drivers.servers import StartServer, running

# A worker as a process, so that it can be killed and frozen.
_WORKER = """
import asyncio, sys
from echomind_lib.runtime import Membership
async def main():
    async with Membership(sys.argv[1], "test") as member:
        print(member.id, flush=True)
        await member.run()
asyncio.run(main())
"""


@asynccontextmanager
async def member(url: str) -> AsyncIterator[Membership]:
    """A worker in this process."""
    async with Membership(url, "test") as joined:
        running = asyncio.create_task(joined.run())
        try:
            yield joined
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


@asynccontextmanager
async def worker_process(url: str) -> AsyncIterator[tuple[subprocess.Popen[str], UUID]]:
    """A worker in a process of its own."""
    process = subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", _WORKER, url], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield process, UUID((await asyncio.to_thread(process.stdout.readline)).strip())
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        await asyncio.to_thread(process.wait)
        process.stdout.close()


async def is_alive(pool: asyncpg.Pool, worker_id: UUID) -> bool:
    alive: bool = await pool.fetchval("SELECT EXISTS (SELECT FROM workers WHERE id = $1)", worker_id)
    return alive


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not await condition():  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@pytest.fixture(autouse=True)
def no_grace_at_the_start(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """The tests' server may have started a moment ago; what a restart of it needs is shorter than in the product."""
    is_restart = "restart" in request.node.name
    monkeypatch.setattr(membership, "GRACE_SECONDS", 3.0 if is_restart else 0.0)
    monkeypatch.setattr(membership, "HEARTBEAT_SECONDS", 1.0)


async def test_killed_worker_is_known_to_be_dead_although_its_heartbeat_is_fresh(
    database: Database, postgres_url: str
) -> None:
    async with member(postgres_url) as watcher, worker_process(postgres_url) as (process, worker_id):
        await until(lambda: is_alive(database.pool, worker_id))
        process.kill()
        departure = asyncio.create_task(watcher.departure(60))
        while not departure.done():
            await database.pool.execute("UPDATE workers SET heartbeat_at = now() WHERE id = $1", worker_id)
            await asyncio.wait([departure], timeout=0.05)
        assert departure.result()
        await until(lambda: _not(is_alive(database.pool, worker_id)))
        assert await is_alive(database.pool, watcher.id)


async def _not(answer: Awaitable[bool]) -> bool:
    return not await answer


async def test_frozen_worker_loses_its_place_by_its_heartbeat_and_gets_it_back(
    database: Database, postgres_url: str
) -> None:
    async with member(postgres_url) as watcher, worker_process(postgres_url) as (process, worker_id):
        await until(lambda: is_alive(database.pool, worker_id))
        process.send_signal(signal.SIGSTOP)
        await _age_heartbeats(database.pool, worker_id)
        assert await watcher.departure(60)
        assert not await is_alive(database.pool, worker_id)
        process.send_signal(signal.SIGCONT)
        await until(lambda: is_alive(database.pool, worker_id))


async def test_worker_that_leaves_in_order_is_noticed_at_once(database: Database, postgres_url: str) -> None:
    async with member(postgres_url) as watcher:
        async with member(postgres_url) as other:
            await until(lambda: _present(watcher, other.id))
        assert not await is_alive(database.pool, other.id)
        assert await watcher.departure(60)


async def looked(looks: asyncio.Queue[float], seconds: float) -> bool:
    """Returns whether a worker looks at the others within a time."""
    try:
        await asyncio.wait_for(looks.get(), seconds)
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize(("service", "is_quick"), [("test", True), ("another", False)])
async def test_only_a_worker_that_others_can_take_over_from_is_watched_closely(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch, service: str, is_quick: bool
) -> None:
    monkeypatch.setattr(membership, "ALONE_SECONDS", 0.3)
    monkeypatch.setattr(membership, "HEARTBEAT_SECONDS", 60.0)
    looks = asyncio.Queue[float]()
    watch = Membership._watch

    async def counted(self: Membership, connection: asyncpg.Connection) -> None:
        await watch(self, connection)
        if self._service == "test":
            looks.put_nowait(asyncio.get_running_loop().time())

    monkeypatch.setattr(Membership, "_watch", counted)
    async with Membership(postgres_url, service), member(postgres_url):
        begun = await asyncio.wait_for(looks.get(), 60)
        if is_quick:
            while await asyncio.wait_for(looks.get(), 60) < begun + 4 * membership.WATCH_SECONDS:
                pass
            return
        async with asyncio.timeout(60):  # some more looks, until it knows that it is alone
            while await looked(looks, 4 * membership.WATCH_SECONDS):
                pass


async def test_worker_that_is_stopped_while_it_joins_leaves_no_connection(
    database: Database, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected = asyncio.Event()

    async def renew(_member: Membership, connection: asyncpg.Connection) -> None:
        connected.set()
        await connection.fetch("SELECT pg_sleep(60)")

    monkeypatch.setattr(Membership, "_renew", renew)
    joining = asyncio.create_task(Membership(postgres_url, "stopped").__aenter__())
    await connected.wait()
    joining.cancel()
    with pytest.raises(asyncio.CancelledError):
        await joining
    await until(lambda: _not(_is_connected(database.pool, "echomind-stopped-worker")))


async def _is_connected(pool: asyncpg.Pool, name: str) -> bool:
    query = "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE application_name = $1)"
    connected: bool = await pool.fetchval(query, name)
    return connected


async def _age_heartbeats(connection: asyncpg.Pool | asyncpg.Connection, *worker_ids: UUID) -> None:
    """Makes the last heartbeats of workers older than those of living ones ever are."""
    await connection.execute(
        "UPDATE workers SET heartbeat_at = now() - interval '1 minute' WHERE id = ANY($1)", worker_ids
    )


async def _present(watcher: Membership, worker_id: UUID) -> bool:
    return worker_id in watcher._present


async def test_a_worker_whose_connection_breaks_reacquires_its_lock(
    database: Database, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with member(postgres_url) as watcher, worker_process(postgres_url) as (_, worker_id):
        await until(lambda: _present(watcher, worker_id))
        # The second look that finds no lock declares it dead: the worker has until then, also on a busy machine.
        monkeypatch.setattr(membership, "WATCH_SECONDS", 10.0)
        old = await _lock_holder(database.pool, worker_id)
        await database.pool.execute("SELECT pg_terminate_backend($1)", old)

        async def has_a_new_one() -> bool:
            return await _lock_holder(database.pool, worker_id) not in (None, old)

        await until(has_a_new_one)
        assert await is_alive(database.pool, worker_id)
        assert not await watcher.departure(0)


async def _lock_holder(pool: asyncpg.Pool, worker_id: UUID) -> int | None:
    """Process of the server that holds a worker's lock."""
    holder: int | None = await pool.fetchval(
        "SELECT pid FROM pg_locks, LATERAL (SELECT hashtextextended($1::uuid::text, 0) AS key) WHERE locktype = "
        "'advisory' AND granted AND objsubid = 1 AND mode = 'ExclusiveLock' "
        "AND (classid::bigint << 32) | objid::bigint = key",
        worker_id,
    )
    return holder


async def test_workers_keep_their_membership_after_a_restart_of_the_database(
    tmp_path: Path, start_server: StartServer, caplog: pytest.LogCaptureFixture
) -> None:
    from echomind_lib.db.migrate import upgrade

    server = PostgresServer(tmp_path / "data", free_port(), secrets.token_urlsafe(16), {"fsync": "off"})
    with running(server, tmp_path):
        await asyncio.to_thread(upgrade, server.url)
        connection = await connect_once(server.url, "test")
        # Heartbeats that are too old after the server's restart are ignored, like free locks.
        workers = [Membership(server.url, "test") for _ in range(3)]
        for each in workers:
            await each.__aenter__()
        tasks = [asyncio.create_task(each.run()) for each in workers]
        ids = {each.id for each in workers}
        await until(lambda: _all_watch(workers))
        await connection.close()
    with running(server, tmp_path):
        connection = await connect_once(server.url, "test")
        await _age_heartbeats(connection, *ids)

        async def all_beat() -> bool:
            # Polls the rows: a missing row means that its worker was declared dead.
            rows = await connection.fetch("SELECT id, heartbeat_at > now() - interval '10 s' AS beats FROM workers")
            assert {row["id"] for row in rows} == ids
            return all(row["beats"] for row in rows)

        await until(all_beat)
        async with asyncio.timeout(60):
            while any(each._trusted_from > asyncio.get_running_loop().time() for each in workers):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert not any([await each.departure(2 * membership.WATCH_SECONDS) for each in workers])
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for each in workers:
            await each.leave()
        assert await connection.fetchval("SELECT count(*) FROM workers") == 0
        await connection.close()


async def _all_watch(workers: list[Membership]) -> bool:
    return all(len(each._present) == len(workers) - 1 for each in workers)
