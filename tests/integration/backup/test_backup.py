"""A backup under load, and its restore into empty servers: what is restored is what the snapshot had."""

import asyncio
import io
import json
import os
import secrets
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from echomind.backup import restore
from echomind.backup.archive import ArchiveError
from echomind.backup.backup import write_backup
from echomind.backup.ledger import LedgerError, read_ledger, recorded_by, repeat_erasures
from echomind.backup.manifest import Erased
from echomind.backup.restore import RestoreError, restore_servers, verify
from echomind.backup.servers import Servers
from echomind.local.embedded.process import StartError
from echomind_lib.db.database import Database
from echomind_lib.objects import ObjectStore
from echomind_lib.retrieval import Retriever
from echomind_lib.vectors import VectorIndex
from tests.drivers.restores import backed_up, points, restored
from tests.drivers.stack import Stack
from tests.drivers.up import ECHOMIND
from tests.factories.rows import new_worker
from tests.factories.rows import run as make_run
from tests.factories.rows import user as make_user

PREPARED = {"background_jobs", "workers"}
"""Tables that a restore prepares for the services that will start."""


@pytest_asyncio.fixture(loop_scope="session")
async def connection(postgres_url: str) -> AsyncIterator[asyncpg.Connection]:
    connected = await asyncpg.connect(postgres_url)
    yield connected
    await connected.close()


@pytest.mark.timeout(240)
async def test_a_backup_under_load_restores_what_the_snapshot_had(
    stack: Stack, source: Servers, target: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connector = await stack.rows.connector("org")
    kept = [
        await stack.index(f"Room {number} opens at {number} o'clock.", f"{number}.txt", connector_id=connector)
        for number in range(12)
    ]
    question = "When does room 7 open?"
    before = [(hit.document_id, hit.text) for hit in await stack.retriever.search(stack.reader(), question)]
    rows = await stack.pool.fetch("SELECT id, signature, chunking_session FROM documents ORDER BY id")
    # Between the snapshot and the copy of the files, documents are removed, replaced and added.
    copied = asyncio.Event()
    copy_files = write_backup.__globals__["_copy_files"]

    async def copy_under_load(*arguments: Any) -> None:
        await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", kept[0])
        assert await stack.removal.run() == 0, "nothing is deleted while a backup is being made"
        await stack.index("Room 1 is closed for good.", "1.txt", connector_id=connector)
        await stack.index("Room 99 is new.", "99.txt", connector_id=connector)
        await copy_files(*arguments)
        copied.set()

    monkeypatch.setitem(write_backup.__globals__, "_copy_files", copy_under_load)
    summary = await backed_up(source, tmp_path / "backup")
    assert copied.is_set()
    assert (summary.documents, summary.missing) == (12, [])
    assert await stack.removal.run() == 1, "deletions continue after the backup"

    await restored(tmp_path / "backup", target)
    database = await Database.connect(target.postgres_url)
    objects, vectors = ObjectStore(target.s3), VectorIndex(target.qdrant_url, target.qdrant_key)
    try:
        found = await database.pool.fetch("SELECT id, signature, chunking_session FROM documents ORDER BY id")
        assert found == rows
        there = await points(target, stack.collection)
        sessions = {point.payload["chunking_session"].string_value for point in there.values()}
        for row in rows:
            original = await objects.get(f"documents/{row['id']}/{row['signature']}/original")
            text = await objects.get(f"documents/{row['id']}/{row['chunking_session']}/text")
            assert original.decode().strip() == text.decode().strip()
            assert str(row["chunking_session"]) in sessions
        same = await points(source, stack.collection)
        assert [point for key, point in there.items() if key in same and same[key] != point] == []
        retriever = Retriever(database, vectors, stack.embeddings, objects)
        after = [(hit.document_id, hit.text) for hit in await retriever.search(stack.reader(), question)]
        assert after == before
    finally:
        await vectors.close()
        await objects.close()
        await database.close()


async def test_work_and_sessions_of_that_time_do_not_go_on(
    stack: Stack, source: Servers, target: Servers, tmp_path: Path
) -> None:
    worker_id = await new_worker(stack.pool)
    run = (await make_run(stack.pool, status="running", worker_id=worker_id, attempt=3))["id"]
    ended = (await make_run(stack.pool, status="completed", attempt=1))["id"]
    await stack.pool.execute(
        "INSERT INTO web_sessions (token_hash, user_id, expires_at) VALUES (sha256('x'), $1, now() + interval '1 day')",
        stack.rows.user_id,
    )
    await backed_up(source, tmp_path / "backup")
    await restored(tmp_path / "backup", target)
    connection = await asyncpg.connect(target.postgres_url)
    runs = await connection.fetch("SELECT id, status, attempt, worker_id FROM runs")
    assert {row["id"]: tuple(row)[1:] for row in runs} == {run: ("queued", 4, None), ended: ("completed", 1, None)}
    for table in ("workers", "web_sessions"):
        assert await connection.fetchval(f"SELECT count(*) FROM {table}") == 0
    await connection.close()


async def test_whoever_was_erased_since_does_not_come_back(
    stack: Stack, source: Servers, target: Servers, tmp_path: Path
) -> None:
    erased, later, back, boss = [(await make_user(stack.pool))["id"] for _ in range(4)]
    await stack.pool.execute("UPDATE users SET roles = '{superadmin}' WHERE id = $1", boss)
    await backed_up(source, tmp_path / "old")
    old = verify(tmp_path / "old", []).manifest
    assert old.erasures is not None
    assert erased not in {each.user_id for each in old.erasures}
    # The second one is an account that got the number of an erased one, and the third one was activated again.
    begun = {erased: "now()", later: "now() - interval '1 day'", back: "now()"}
    for user_id, at in begun.items():
        completed = "NULL" if user_id == back else "now()"
        await stack.pool.execute(
            "INSERT INTO erasures (erased_user_id, items, creation_date, completed_at)"
            f" VALUES ($1, '[]', {at}, {completed})",
            user_id,
        )
    await backed_up(source, tmp_path / "new", with_vectors=False)
    given = read_ledger(tmp_path / "new", [])
    assert {each.user_id for each in given} >= {erased, later}
    assert back not in {each.user_id for each in given}
    states = {erased: "COMPLETED", later: "COMPLETED", back: "CANCELLED"}
    listed = [
        {
            "userId": user_id,
            "creationDate": next((each.erased_at for each in given if each.user_id == user_id), "2026-11-27T10:00:00Z"),
            "state": f"ERASURE_STATE_{state}",
        }
        for user_id, state in states.items()
    ]
    (tmp_path / "erasures.json").write_text(json.dumps({"erasures": listed}))
    of_list = read_ledger(tmp_path / "erasures.json", [])
    assert [each for each in given if each.user_id in states] == of_list

    repeated = await restore_servers(verify(tmp_path / "old", []), target, lambda _: None, of_list)
    assert (repeated.people, repeated.kept) == (1, [])
    connection = await asyncpg.connect(target.postgres_url)
    active = await connection.fetch("SELECT id FROM users WHERE id = ANY($1) AND is_active", [*states, boss])
    assert {row["id"] for row in active} == {later, back, boss}
    waiting = await connection.fetch("SELECT erased_user_id, completed_at, attempted_at < now() AS due FROM erasures")
    assert [tuple(row) for row in waiting if row["completed_at"] is None] == [(erased, None, True)]
    # Repeated, it begins no second one; and the only superadmins stay.
    superadmins = await connection.fetch("SELECT id, user_name FROM users WHERE 'superadmin' = ANY(roles)")
    everybody = [Erased(user_id=row["id"], erased_at="2099-01-01T00:00:00+00:00") for row in superadmins]
    async with connection.transaction():
        again = await repeat_erasures(connection, [*of_list, *everybody])
    assert (again.people, set(again.kept)) == (1, {row["user_name"] for row in superadmins})
    assert await connection.fetchval("SELECT count(*) FROM erasures WHERE completed_at IS NULL") == 1
    await connection.close()
    await stack.pool.execute("DELETE FROM erasures WHERE completed_at IS NULL")


async def test_whoever_is_not_in_this_backup_stays_in_the_ledger(connection: asyncpg.Connection) -> None:
    someone, namesake = [(await make_user(connection))["id"] for _ in range(2)]
    # One who is not there, one whose number has another account, one who is erased again, and one who is listed.
    gone, listed = 10**9 + 1, 10**9 + 2
    days = {someone: "2099-01-01", namesake: "2026-01-01", gone: "2026-01-02", listed: "2026-01-03"}
    ledger = [Erased(user_id=user_id, erased_at=f"{day}T00:00:00+00:00") for user_id, day in days.items()]
    before = Erased(user_id=gone, erased_at="2025-01-01T00:00:00+00:00")
    await connection.execute(
        "INSERT INTO erasures (erased_user_id, items, creation_date, completed_at)"
        " VALUES ($1, '[]', '2026-01-03T00:00:00Z', now())",
        listed,
    )
    for _ in range(2):
        async with connection.transaction():
            assert (await repeat_erasures(connection, [before, *ledger])).people == 1
    stored = await connection.fetch("SELECT erased_user_id AS id, completed_at IS NULL AS is_open FROM erasures")
    assert sorted((row["id"], row["is_open"]) for row in stored) == sorted(
        [(someone, True), (namesake, False), (gone, False), (listed, False)]
    )
    known = await recorded_by(connection)
    assert {each for each in known if each.user_id != someone} == {each for each in ledger if each.user_id != someone}


async def test_an_erased_superadmin_stays_while_no_other_can_sign_in(
    connection: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await connection.execute("UPDATE users SET roles = '{user}'")
    erased, other = [await make_user(connection, roles=["superadmin"]) for _ in range(2)]
    ledger = [Erased(user_id=erased["id"], erased_at="2099-01-01T00:00:00+00:00")]

    async def kept() -> list[str]:
        transaction = connection.transaction()
        await transaction.start()
        repeated = await repeat_erasures(connection, ledger)
        await transaction.rollback()
        return list(repeated.kept)

    password = "INSERT INTO credentials (user_id, password_hash) VALUES ($1, 'x')"
    assert await kept() == [], "where nobody can, an active one is enough"
    await connection.execute(password, erased["id"])
    assert await kept() == [erased["user_name"]]
    await connection.execute(password, other["id"])
    assert await kept() == []
    # Passwords are off, and one provider of the environment is left.
    monkeypatch.setenv("ECHOMIND_AUTH__LOCAL_ACCOUNTS", "false")
    monkeypatch.setenv("ECHOMIND_AUTH__ISSUER", "https://id.example.org")
    monkeypatch.setenv("ECHOMIND_AUTH__CLIENT_ID", "echomind")
    identity = "INSERT INTO user_identities (user_id, issuer, subject) VALUES ($1, 'https://id.example.org', $2)"
    await connection.execute(identity, erased["id"], "erased")
    assert await kept() == [erased["user_name"]]
    await connection.execute(identity, other["id"], "other")
    assert await kept() == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{}", "is not the output of `echomind users erasures --json`"),
        (
            '{"erasures": [{"userId": "x", "creationDate": "2026-11-27T10:00:00Z"}]}',
            "it needs `erasures` with `userId`",
        ),
        ('{"erasures": [{"userId": 7}]}', "is not the output"),
        ("no list", "is neither a backup nor a list of `echomind users erasures --json`"),
    ],
)
def test_a_file_without_a_list_of_erasures_is_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "list").write_text(content)
    with pytest.raises(LedgerError, match=message):
        read_ledger(tmp_path / "list", [])


def test_the_folder_that_is_replaced_says_who_was_erased(
    source: Servers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_id = secrets.randbelow(10**9) + 10**9

    async def erase() -> None:
        connection = await asyncpg.connect(source.postgres_url)
        insertion = "INSERT INTO erasures (erased_user_id, items, completed_at) VALUES ($1, '[]', now())"
        await connection.execute(insertion, user_id)
        await connection.close()

    @contextmanager
    def serving(*_: object, **__: object) -> Iterator[Servers]:
        yield source

    @contextmanager
    def damaged(*_: object, **__: object) -> Iterator[Servers]:
        raise StartError("postgres has ended")
        yield source

    asyncio.run(erase())
    read = partial(restore._ledger_of, run=asyncio.run, report=lambda _: None)
    assert read(tmp_path / "new", None) == []
    folder = tmp_path / "data"
    (folder / "postgres").mkdir(parents=True)
    monkeypatch.setattr(restore, "embedded_servers", serving)
    assert user_id in {each.user_id for each in read(folder, None)}
    monkeypatch.setattr(restore, "embedded_servers", damaged)
    with pytest.raises(RestoreError, match=r"does not say who was erased since the backup .* with --erasures"):
        read(folder, None)
    assert read(folder, []) == []


async def test_without_vectors_all_documents_are_indexed_again(
    stack: Stack, source: Servers, target: Servers, tmp_path: Path
) -> None:
    document_id = await stack.index("The garage opens at six.")
    await backed_up(source, tmp_path / "backup", with_vectors=False)
    await restored(tmp_path / "backup", target)
    connection = await asyncpg.connect(target.postgres_url)
    assert await connection.fetchval("SELECT status FROM documents WHERE id = $1", document_id) == "pending"
    assert await points(target, stack.collection) == {}
    await connection.close()


async def test_a_damaged_file_is_refused_before_anything_is_written(
    stack: Stack, source: Servers, target: Servers, tmp_path: Path
) -> None:
    await stack.index("The garage opens at six.")
    file = tmp_path / "backup"
    await backed_up(source, file)
    data = file.read_bytes()
    for damaged in (data[: len(data) // 2], data[:5000] + bytes([data[5000] ^ 1]) + data[5001:], b"x" * 2000):
        file.write_bytes(damaged)
        with pytest.raises(ArchiveError):
            await restored(file, target)
    objects = ObjectStore(target.s3)
    await objects.ensure_bucket()
    assert await objects.keys("") == []
    await objects.close()


async def test_targets_that_are_not_empty_are_refused(stack: Stack, source: Servers, tmp_path: Path) -> None:
    file = tmp_path / "backup"
    await backed_up(source, file)
    with pytest.raises(RestoreError, match="database in ECHOMIND_POSTGRES__URL is not empty"):
        await restored(file, source)


async def _contents(servers: Servers, collection: str) -> dict[str, Any]:
    """Returns what servers hold: sums of all tables, files, and vectors."""
    connection = await asyncpg.connect(servers.postgres_url)
    tables = "SELECT format('%I', table_name) FROM information_schema.tables WHERE table_schema = 'public'"
    found: dict[str, Any] = {
        name: await connection.fetchval(f"SELECT md5(string_agg(row::text, '' ORDER BY row::text)) FROM {name} AS row")
        for (name,) in await connection.fetch(tables)
    }
    await connection.close()
    objects = ObjectStore(servers.s3)
    found |= {key: await objects.get(key) for key in await objects.keys("documents/")}
    await objects.close()
    return found | await points(servers, collection)


@pytest.mark.timeout(180)
async def test_a_move_to_embedded_servers_and_back_changes_nothing(
    stack: Stack, source: Servers, target: Servers, tmp_path: Path
) -> None:
    for text in ("The garage opens at six.", "The archive's door is painted green."):
        await stack.index(text, f"{len(text)}.txt")
    there, back = tmp_path / "there", tmp_path / "back"
    await backed_up(source, there)

    environment = {name: value for name, value in os.environ.items() if not name.startswith("ECHOMIND_")}
    for words in (("restore", str(there)), ("backup", str(back))):
        command = [ECHOMIND, *words, "--data-dir", str(tmp_path / "data")]
        process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=PIPE, stderr=PIPE)
        _, report = await process.communicate()
        assert process.returncode == 0, report.decode()
    await restored(back, target)
    before, after = await _contents(source, stack.collection), await _contents(target, stack.collection)
    assert before.keys() == after.keys()
    assert {name for name in before if before[name] != after[name]} <= PREPARED


async def test_a_server_that_does_not_have_a_file_is_reported(stack: Stack, source: Servers) -> None:
    document_id = await stack.index("The garage opens at six.")
    (key,) = [key for key in await stack.objects.keys(f"documents/{document_id}/") if key.endswith("original")]
    await stack.objects.delete(key)
    summary = await write_backup(source, io.BytesIO(), report=lambda _: None)
    assert summary.missing == [key]


async def test_a_wrong_database_is_named(source: Servers) -> None:
    wrong = replace(source, postgres_url=source.postgres_url.rpartition("/")[0] + "/nowhere")
    with pytest.raises(ConnectionError, match="nowhere"):
        await write_backup(wrong, io.BytesIO(), report=lambda _: None)
