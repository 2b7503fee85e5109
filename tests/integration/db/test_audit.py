"""The audit log in the database: its seals find what was changed, removed, added and cut off."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest
from asyncpg.pool import PoolConnectionProxy
from sqlalchemy import select

from echomind_api.audit import horizon, sealing, verification
from echomind_api.audit.chain import SealedEntry
from echomind_api.audit.horizon import complete_through
from echomind_api.audit.sealing import AuditSeals
from echomind_api.audit.verification import KnownSeal, Verified
from echomind_api.retention.audit_entries import AuditExpiry
from echomind_lib.db.database import Database
from echomind_lib.db.models import AuditSeal
from echomind_lib.models.public import AuditDefect
from tests.drivers.audit_log import add, verified


@asynccontextmanager
async def unguarded(database: Database) -> AsyncIterator[PoolConnectionProxy]:
    """What whoever holds the data folder can do: triggers and rights do not stop them."""
    async with database.pool.acquire() as connection, connection.transaction():
        await connection.execute("SET LOCAL session_replication_role = replica")
        yield connection


async def ids(database: Database) -> list[int]:
    return [row["id"] for row in await database.pool.fetch("SELECT id FROM audit_log ORDER BY id")]


async def test_a_log_as_it_was_written_is_whole(log: Database) -> None:
    assert await verified(log) == Verified(seals=3, entries=12)
    assert await verified(log, first=2) == Verified(seals=2, entries=8)
    assert await AuditSeals(log).seal() == 1
    assert await AuditSeals(log).seal() == 0
    assert await verified(log) == Verified(seals=4, entries=13)


@pytest.mark.parametrize(
    "change",
    [
        "actor_id = 7",
        "actor_id = 0",
        "action = 'x'",
        "target = target || ' '",
        """detail = '{"a": ["ä", 1.5], "b": 1}'""",
        "denied = true",
        "count = 2",
        "creation_date = creation_date + interval '1 microsecond'",
        "address = '127.0.0.1'",
        "credential = 'api-keys/1'",
        "action = action || left(target, 1), target = substr(target, 2)",
    ],
)
async def test_a_changed_entry_is_named(log: Database, change: str) -> None:
    entry = (await ids(log))[5]
    async with unguarded(log) as connection:
        await connection.execute(f"UPDATE audit_log SET {change} WHERE id = $1", entry)
    assert await verified(log) == Verified(AuditDefect.CHANGED, entry_id=entry, seal=2)


@pytest.mark.parametrize("index", [0, 5, 11])
async def test_a_removed_entry_is_named(log: Database, index: int) -> None:
    entry = (await ids(log))[index]
    async with unguarded(log) as connection:
        await connection.execute("DELETE FROM audit_log WHERE id = $1", entry)
    assert await verified(log) == Verified(AuditDefect.REMOVED, entry_id=entry, seal=index // 4 + 1)


async def test_swapped_entries_are_found(log: Database) -> None:
    first, second = (await ids(log))[5:7]
    async with unguarded(log) as connection:
        await connection.execute(
            "UPDATE audit_log a SET target = b.target FROM audit_log b WHERE a.id = ANY($1) AND b.id = ANY($1)"
            " AND a.id <> b.id",
            [first, second],
        )
    assert (await verified(log)).entry_id == first


async def test_an_entry_that_was_replaced_is_named(log: Database) -> None:
    entry = (await ids(log))[5]
    async with unguarded(log) as connection:
        await connection.execute("DELETE FROM audit_log WHERE id = $1", entry)
        await connection.execute(
            "INSERT INTO audit_log (id, action, target) OVERRIDING SYSTEM VALUE VALUES ($1, 'x', 'y')", entry
        )
    assert await verified(log) == Verified(AuditDefect.CHANGED, entry_id=entry, seal=2)


async def test_an_entry_among_sealed_ones_is_named(database: Database) -> None:
    await database.pool.execute("SELECT nextval('audit_log_id_seq')")  # as of a transaction that was rolled back
    await add(database, 2)
    await AuditSeals(database).seal()
    free = (await ids(database))[0] - 1
    async with unguarded(database) as connection:
        await connection.execute(
            "INSERT INTO audit_log (id, action, target) OVERRIDING SYSTEM VALUE VALUES ($1, 'x', 'y')", free
        )
    assert await verified(database) == Verified(AuditDefect.ADDED, entry_id=free, seal=1)


@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("UPDATE audit_seals SET last_id = last_id - 1 WHERE number = 2", Verified(AuditDefect.SEAL_CHANGED, seal=2)),
        (
            "UPDATE audit_seals SET digests = overlay(digests PLACING '\\xff' FROM 3) WHERE number = 2",
            Verified(AuditDefect.SEAL_CHANGED, seal=2),
        ),
        (
            "UPDATE audit_seals SET ids = NULL, digests = NULL WHERE number = 2",
            Verified(AuditDefect.SEAL_CHANGED, seal=2),
        ),
        ("DELETE FROM audit_seals WHERE number = 2", Verified(AuditDefect.SEAL_MISSING, seal=2)),
        ("DELETE FROM audit_seals WHERE number = 1", Verified(AuditDefect.SEAL_MISSING, seal=1)),
    ],
)
async def test_a_changed_or_missing_seal_is_named(log: Database, change: str, found: Verified) -> None:
    async with unguarded(log) as connection:
        await connection.execute(change)
    assert await verified(log) == found


async def test_a_removed_end_is_found_by_a_seal_that_was_kept(log: Database) -> None:
    async with log.session() as session:
        head = await session.scalar(select(AuditSeal).order_by(AuditSeal.number.desc()).limit(1))
    assert head is not None
    known = KnownSeal(head.number, head.hash)
    assert await verified(log, known=known) == Verified(seals=3, entries=12)
    async with unguarded(log) as connection:
        await connection.execute("DELETE FROM audit_log WHERE id >= $1", head.first_id)
        await connection.execute("DELETE FROM audit_seals WHERE number = $1", head.number)
    assert await verified(log) == Verified(seals=2, entries=8)  # which is why a seal is kept elsewhere
    assert await verified(log, known=known) == Verified(AuditDefect.SEAL_MISSING, seal=3)
    await add(log, 4)
    await AuditSeals(log).seal()
    assert await verified(log, known=known) == Verified(AuditDefect.SEAL_CHANGED, seal=3)


async def test_entries_end_with_their_time_and_their_seals_stay(database: Database) -> None:
    seals = AuditSeals(database)
    for days in (40, 31, 2):
        await add(database, 3, days)
        await seals.seal()
    assert await AuditExpiry(database, 0).sweep() == 0
    assert await AuditExpiry(database, 30).sweep() == 6
    assert await AuditExpiry(database, 30).sweep() == 0
    left = await database.pool.fetch("SELECT action, count, detail FROM audit_log ORDER BY id")
    assert [row["action"] for row in left] == ["User/Test"] * 3 + ["Audit/Retention"]
    assert left[-1]["count"] == 6
    assert await verified(database) == Verified(seals=3, entries=3, expired=6)
    assert await verified(database, days=35) == Verified(seals=3, entries=3, expired=6, expired_early=3)
    assert await verified(database, days=0) == Verified(seals=3, entries=3, expired=6, expired_early=6)


@pytest.mark.parametrize("index", [0, 1, 5])
async def test_an_entry_among_expired_ones_is_named(database: Database, index: int) -> None:
    seals = AuditSeals(database)
    for _ in range(2):
        await add(database, 3, 40)
        await seals.seal()
    entry = (await ids(database))[index]
    assert await AuditExpiry(database, 30).sweep() == 6
    await database.pool.execute(
        "INSERT INTO audit_log (id, action, target) OVERRIDING SYSTEM VALUE VALUES ($1, 'x', 'y')", entry
    )
    assert await verified(database) == Verified(AuditDefect.ADDED, entry_id=entry, seal=index // 3 + 1)


async def test_a_sweep_while_the_log_is_verified_is_no_defect(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    seals = AuditSeals(database)
    for days in (40, 2):
        await add(database, 3, days)
        await seals.seal()
    removed: list[int] = []

    async def read_after_a_sweep(*arguments: Any) -> list[SealedEntry]:
        removed.append(await AuditExpiry(database, 30).sweep())
        return await sealing.read_entries(*arguments)

    monkeypatch.setattr(verification, "read_entries", read_after_a_sweep)
    assert await verified(database) == Verified(seals=2, entries=6)
    assert removed == [3, 0]
    assert await verified(database) == Verified(seals=2, entries=3, expired=3)


async def test_an_old_entry_that_is_not_sealed_stays(database: Database) -> None:
    await add(database, 1, 40)
    assert await AuditExpiry(database, 30).sweep() == 0
    assert len(await ids(database)) == 1


async def test_nobody_ends_the_time_of_what_is_new(log: Database) -> None:
    with pytest.raises(asyncpg.InvalidParameterValueError, match="for a day at least"):
        await log.pool.execute("SELECT remove_audit_entries(now())")
    with pytest.raises(asyncpg.InvalidParameterValueError):
        await log.pool.execute("SELECT remove_audit_entries(now() + interval '1 year')")


async def test_seals_beside_writers_lose_nothing(database: Database) -> None:
    """Transactions that draw ids and end later, some of them undone, while seals are made all the time."""
    seals, done = AuditSeals(database), asyncio.Event()

    async def write(number: int) -> None:
        async with database.pool.acquire() as connection:
            for turn in range(5):
                transaction = connection.transaction()
                await transaction.start()
                await connection.execute("INSERT INTO audit_log (action, target) VALUES ('x', $1)", f"{number}/{turn}")
                await asyncio.sleep(0.005 * ((number + turn) % 4))
                await (transaction.rollback() if (number + turn) % 5 == 0 else transaction.commit())

    async def seal() -> None:
        while not done.is_set():
            await seals.seal()

    sealing_task = asyncio.create_task(seal())
    await asyncio.gather(*(write(number) for number in range(8)))
    done.set()
    await sealing_task
    await seals.seal()
    result = await verified(database)
    assert (result.defect, result.entries) == (AuditDefect.UNSPECIFIED, 32)
    assert await database.pool.fetchval("SELECT count(*) FROM audit_seals") > 1


async def test_the_log_is_complete_up_to_what_was_drawn_before_open_transactions_end(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_writers, looks, has_waited = horizon._writers, 0, asyncio.Event()

    async def count_looks(database: Database) -> set[str]:
        nonlocal looks
        writers = await read_writers(database)
        looks += bool(writers)
        if looks == 2:
            has_waited.set()
        return writers

    monkeypatch.setattr(horizon, "_writers", count_looks)
    await add(database, 1)
    async with database.pool.acquire() as connection:
        transaction = connection.transaction()
        await transaction.start()
        await connection.execute("INSERT INTO audit_log (action, target) VALUES ('a', 'late')")
        await add(database, 1)
        wait = 0.1
        while not looks:  # until a call has found the writer in its time
            assert await complete_through(database, wait) is None
            wait *= 2
        looks = 0
        has_waited.clear()
        waiting = asyncio.create_task(complete_through(database, 60))
        async with asyncio.timeout(60):
            await has_waited.wait()
        assert not waiting.done()
        await transaction.commit()
    through = await waiting
    assert through == (await ids(database))[-1]
