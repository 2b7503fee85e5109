"""The sync engine, independent of the source: slices, confirmation, pruning, cancelling, schedules."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from echomind_ingestor.connectors.protocol import Page, Readers
from echomind_ingestor.sync import syncs
from echomind_lib.db.statements import Query
from echomind_lib.jobs import SYNC_CONNECTOR, enqueue, lease
from tests.conformance.doubles.files import FileDouble
from tests.conformance.doubles.memory import MemorySource
from tests.conformance.engine import Engine
from tests.conformance.memory import MemoryDouble


async def _synced(engine: Engine, memory: MemoryDouble, count: int, **values: Any) -> int:
    """Returns a connector whose source had so many files at its first sync."""
    for number in range(count):
        memory.put_now(f"{number}.txt", f"Text {number}.".encode())
    connector = await engine.connect(memory.setup(), **values)
    assert (await engine.sync(connector))["status"] == "completed"
    return connector


async def test_a_slice_ends_in_time_and_the_next_continues_at_its_cursor(engine: Engine, memory: MemoryDouble) -> None:
    engine.limits = replace(engine.limits, seconds=0.0)
    for number in range(6):
        memory.put_now(f"{number}.txt", b"Text.")
    memory.page_size(2)
    connector = await engine.connect(memory.setup())
    await engine.request(connector)
    await enqueue(engine.pool, SYNC_CONNECTOR, connector)
    for pages in (1, 2):
        job = await engine.claim()
        assert job
        assert await engine.work(job) == 0.0
        sync = await engine.last_sync(connector)
        assert (sync["status"], sync["pages"]) == ("running", pages)
        assert (await engine.connector(connector))["status"] == "syncing"
    sync = await engine.run(connector)
    assert (sync["status"], sync["pages"], sync["documents_added"]) == ("completed", 3, 6)
    await engine.assert_equal(connector, memory)


async def test_a_sync_waits_while_much_waits_to_be_processed(engine: Engine, memory: MemoryDouble) -> None:
    engine.limits = replace(engine.limits, waiting=3, pause=7.0)
    for number in range(8):
        memory.put_now(f"{number}.txt", b"Text.")
    memory.page_size(4)
    connector = await engine.connect(memory.setup())
    await engine.request(connector)
    await enqueue(engine.pool, SYNC_CONNECTOR, connector)
    for _ in range(2):
        job = await engine.claim()
        assert job
        assert await engine.work(job) == 7.0
        assert len(await engine.documents(connector)) == 4
    await engine.process_all(connector)
    job = await engine.claim()
    assert job
    assert await engine.work(job) == 7.0
    assert len(await engine.documents(connector)) == 8


async def test_large_removals_wait_for_confirmation(engine: Engine, memory: MemoryDouble) -> None:
    connector = await _synced(engine, memory, 30)
    for source_id in list(memory.expected())[:12]:
        await memory.delete(source_id)
    sync = await engine.sync(connector)
    assert (sync["status"], sync["to_remove"], sync["documents_removed"]) == ("waiting_for_confirmation", 12, 0)
    assert len(await engine.documents(connector)) == 30
    assert "12 of 30" in (await engine.connector(connector))["status_message"]
    await engine.schedule.run()
    assert (await engine.run(connector))["status"] == "waiting_for_confirmation", "nothing but a person continues it"
    await engine.pool.execute(
        "UPDATE connector_syncs SET may_remove = true, status = 'pending' WHERE id = $1", sync["id"]
    )
    assert await engine.schedule.run() == 1
    sync = await engine.run(connector)
    assert (sync["status"], sync["documents_removed"]) == ("completed", 12)
    await engine.assert_equal(connector, memory)


async def test_a_listing_that_would_remove_much_waits_for_confirmation(engine: Engine, memory: MemoryDouble) -> None:
    connector = await _synced(engine, memory, 30)
    for source_id in list(memory.expected())[:12]:
        await memory.delete(source_id)
    sync = await engine.sync(connector, full=True)
    assert (sync["status"], sync["to_remove"]) == ("waiting_for_confirmation", 12)
    assert len(await engine.documents(connector)) == 30
    await engine.pool.execute(
        "UPDATE connector_syncs SET may_remove = true, status = 'pending' WHERE id = $1", sync["id"]
    )
    assert (await engine.run(connector))["documents_removed"] == 12
    await engine.assert_equal(connector, memory)
    assert await engine.pool.fetchval("SELECT count(*) FROM connector_sync_seen") == 0


async def test_what_a_confirmed_listing_sees_again_is_counted_once(engine: Engine, tmp_path: Path) -> None:
    async with FileDouble(tmp_path) as double:
        for number in range(30):
            double.put_now(f"{number}.txt", f"Text {number}.".encode())
        connector = await engine.connect(double.setup())
        assert (await engine.sync(connector))["documents_seen"] == 30
        for number in range(12):
            await double.delete(f"{number}.txt")
        sync = await engine.sync(connector, full=True)
        assert (sync["status"], sync["documents_seen"]) == ("waiting_for_confirmation", 18)
        await double.restore("0.txt")  # restored in the meantime: it stays
        await engine.pool.execute(
            "UPDATE connector_syncs SET may_remove = true, status = 'pending' WHERE id = $1", sync["id"]
        )
        sync = await engine.run(connector)
        counts = ("documents_seen", "documents_unchanged", "documents_updated", "documents_removed")
        assert [sync[each] for each in counts] == [19, 19, 0, 11]
        await engine.assert_equal(connector, double)


async def test_a_listing_that_skipped_a_part_removes_nothing(engine: Engine, memory: MemoryDouble) -> None:
    connector = await _synced(engine, memory, 5)
    missing = next(iter(memory.expected()))
    memory.tenant.nodes.pop(missing)
    memory.tenant.skips = True
    sync = await engine.sync(connector, full=True)
    assert (sync["status"], sync["documents_removed"]) == ("completed", 0)
    assert "nothing was removed" in sync["warning"]
    assert missing in await engine.documents(connector)
    memory.tenant.skips = False
    assert (await engine.sync(connector, full=True))["documents_removed"] == 1


async def test_a_source_that_is_empty_all_of_a_sudden_loses_nothing(engine: Engine, memory: MemoryDouble) -> None:
    connector = await _synced(engine, memory, 3)
    memory.tenant.nodes.clear()
    sync = await engine.sync(connector, full=True)
    assert (sync["status"], sync["to_remove"]) == ("waiting_for_confirmation", 3)
    assert len(await engine.documents(connector)) == 3


async def test_an_empty_source_is_flagged(engine: Engine, memory: MemoryDouble) -> None:
    connector = await engine.connect(memory.setup())
    sync = await engine.sync(connector)
    assert sync["status"] == "needs_attention"
    assert "no documents" in sync["warning"]
    row = await engine.connector(connector)
    assert (row["status"], row["status_message"]) == ("needs_attention", sync["warning"])
    assert (await engine.sync(connector))["status"] == "needs_attention", "nothing was read this time either"
    memory.put_now("first.txt", b"Text.")
    sync = await engine.sync(connector)
    assert (sync["status"], sync["kind"], sync["documents_added"]) == ("completed", "full", 1)
    row = await engine.connector(connector)
    assert (row["status"], row["status_message"]) == ("active", None)


async def test_a_listing_of_which_nothing_could_be_read_has_failed(engine: Engine, memory: MemoryDouble) -> None:
    ids = [memory.put_now(f"{number}.txt", b"Text.") for number in range(3)]
    for source_id in ids:
        memory.break_item(source_id)
    connector = await engine.connect(memory.setup())
    for _ in range(2):
        sync = await engine.sync(connector)
        assert (sync["status"], sync["error_kind"], sync["failures"]) == ("failed", "items", 3)
        reason = await engine.pool.fetchval("SELECT message FROM connector_sync_failures ORDER BY id DESC LIMIT 1")
        assert sync["error"] == f"Nothing of the connected system could be read. {reason}"
    row = await engine.connector(connector)
    assert (row["status"], row["status_message"]) == ("error", sync["error"])
    assert len(await engine.documents(connector)) == 3, "what cannot be read still exists"
    memory.put_now("first.txt", b"Text.")
    sync = await engine.sync(connector)
    assert (sync["status"], sync["kind"], sync["warning"]) == ("completed", "full", "3 items could not be read.")


async def test_the_reason_is_not_quoted_where_the_source_decides_who_reads(
    engine: Engine, memory: MemoryDouble
) -> None:
    memory.break_item(memory.put_now("secret.txt", b"Text."))
    connector = await engine.connect(replace(memory.setup(), permission_mode="source"))
    sync = await engine.sync(connector)
    assert (sync["status"], sync["error"]) == ("failed", "Nothing of the connected system could be read.")


async def test_changes_of_which_none_could_be_read_need_attention(engine: Engine, memory: MemoryDouble) -> None:
    connector = await _synced(engine, memory, 3)
    memory.break_item(memory.put_now("new.txt", b"Text."))
    sync = await engine.sync(connector)
    assert (sync["status"], sync["kind"]) == ("needs_attention", "incremental")
    assert sync["warning"] == "1 item could not be read."


async def test_a_sync_fails_when_most_items_cannot_be_read(engine: Engine, memory: MemoryDouble) -> None:
    ids = [memory.put_now(f"{number}.txt", b"Text.") for number in range(30)]
    for source_id in ids[:25]:
        memory.break_item(source_id)
    connector = await engine.connect(memory.setup())
    sync = await engine.sync(connector)
    assert (sync["status"], sync["error_kind"], sync["documents_failed"]) == ("failed", "items", 25)
    row = await engine.connector(connector)
    assert (row["status"], row["sync_failures"]) == ("error", 1)
    assert row["next_sync_at"]


async def test_an_item_that_cannot_be_indexed_is_known_with_the_reason(engine: Engine, memory: MemoryDouble) -> None:
    refused = memory.put_now("secret.txt", b"Text.")
    large = memory.put_now("large.bin", b"x" * 1_000_001)
    empty = memory.put_now("empty.txt", b"")
    memory.tenant.refused_item = refused
    connector = await engine.connect(memory.setup())
    assert (await engine.sync(connector))["documents_failed"] == 3
    found = {key: (row["status"], row["title"]) for key, row in (await engine.documents(connector)).items()}
    assert found == {
        refused: ("failed", "secret.txt"),
        large: ("failed", "large.bin"),
        empty: ("failed", "empty.txt"),
    }
    # They stay failed until the source has another version.
    before = memory.tenant.reads
    await engine.sync(connector, full=True)
    assert memory.tenant.reads == before


@pytest.mark.parametrize("change", ["paused_at = now()", "status = 'disabled'", "deleted_date = now()"])
async def test_paused_disabled_and_removed_connectors_are_not_synced(
    engine: Engine, memory: MemoryDouble, change: str
) -> None:
    connector = await engine.connect(memory.setup())
    await engine.pool.execute(f"UPDATE connectors SET next_sync_at = now(), {change} WHERE id = $1", connector)
    assert await engine.schedule.run() == 0
    await engine.request(connector)
    assert (await engine.run(connector))["status"] == "cancelled"
    assert memory.tenant.pages == 0


async def test_a_failure_of_the_database_cancels_no_sync(
    engine: Engine, memory: MemoryDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Away:
        async def fetch_one(self, *_: Any, **__: Any) -> Any:
            raise ConnectionResetError

    memory.put_now("0.txt", b"Text.")
    connector = await engine.connect(memory.setup())
    await engine.request(connector)
    await enqueue(engine.pool, SYNC_CONNECTOR, connector)
    job = await engine.claim()
    assert job
    with monkeypatch.context() as patch:
        patch.setattr(syncs, "MAY_CONTINUE", Away())
        with pytest.raises(ConnectionResetError):
            await engine.work(job)
    assert (await engine.last_sync(connector))["status"] == "running"
    await lease.release(engine.pool, job)
    assert (await engine.run(connector))["status"] == "completed"
    await engine.assert_equal(connector, memory)


async def test_of_an_item_that_is_named_twice_the_last_one_counts(
    engine: Engine, memory: MemoryDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = MemorySource._page

    def page(source: MemorySource, ids: Sequence[str], *, is_listing: bool) -> Page:
        made = make(source, ids, is_listing=is_listing)
        stale = [replace(item, name="stale.txt", version="stale") for item in made.items]
        return replace(made, items=[*stale, *made.items])

    monkeypatch.setattr(MemorySource, "_page", page)
    connector = await _synced(engine, memory, 3)
    await engine.assert_equal(connector, memory)
    memory.page_size(1)  # also on two pages of one sync
    for text in (b"Second.", b"Third."):
        memory.put_now("0.txt", text)
    sync = await engine.sync(connector)
    assert (sync["pages"], sync["documents_updated"]) == (2, 1)
    await engine.assert_equal(connector, memory)


async def test_due_connectors_begin_once_whoever_looks(engine: Engine, memory: MemoryDouble) -> None:
    connectors = [await engine.connect(memory.setup()) for _ in range(5)]
    await engine.pool.execute("UPDATE connectors SET next_sync_at = now() WHERE id = ANY($1)", connectors[:4])
    begun = await asyncio.gather(*(engine.schedule.run() for _ in range(4)))
    assert sum(begun) == 4
    assert await engine.schedule.run() == 0
    found = await engine.pool.fetch("SELECT connector_id, kind FROM connector_syncs")
    assert sorted((row["connector_id"], row["kind"]) for row in found) == [(each, "full") for each in connectors[:4]]


async def test_a_source_that_never_answers_fails_the_sync_with_back_off(engine: Engine, memory: MemoryDouble) -> None:
    connector = await _synced(engine, memory, 2)
    memory.limit_rate(1000, "3600")
    sync = await engine.sync(connector)
    assert (sync["status"], sync["error_kind"], sync["attempt"]) == ("failed", "unavailable", 7)
    row = await engine.connector(connector)
    assert (row["status"], row["sync_failures"]) == ("error", 1)
    assert row["next_sync_at"]
    memory.limit_rate(0, None)
    assert (await engine.sync(connector))["status"] == "completed"
    row = await engine.connector(connector)
    assert (row["status"], row["sync_failures"], row["status_message"]) == ("active", 0, None)


async def test_a_mistake_in_reading_an_item_is_the_failure_of_that_item(engine: Engine, memory: MemoryDouble) -> None:
    connector = await _synced(engine, memory, 2)
    faulty = memory.put_now("faulty.txt", b"Text.")
    memory.put_now("good.txt", b"Text.")
    memory.tenant.faulty.add(faulty)
    for _ in range(2):  # the second sync looks for it again
        sync = await engine.sync(connector)
        assert (sync["status"], sync["error"]) in {("completed", None), ("needs_attention", None)}
        assert len(await engine.documents(connector)) == 4
        row = (await engine.documents(connector))[faulty]
        assert (row["status"], row["status_message"].partition(";")[0]) == (
            "failed",
            "EchoMind made a mistake in reading it",
        )
    memory.tenant.faulty.clear()
    await engine.sync(connector)
    assert (await engine.documents(connector))[faulty]["status"] == "pending"


async def test_a_mistake_in_reading_a_page_fails_the_sync_with_back_off(engine: Engine, memory: MemoryDouble) -> None:
    connector = await engine.connect(memory.setup())
    memory.put_now("a.txt", b"Text.")
    memory.tenant.faulty.add("")
    sync = await engine.sync(connector)
    assert (sync["status"], sync["error_kind"], sync["attempt"]) == ("failed", "internal", 7)
    assert sync["error"].startswith("EchoMind made a mistake")
    memory.tenant.faulty.clear()
    assert (await engine.sync(connector))["status"] == "completed"


async def test_a_source_that_forgets_every_cursor_ends(engine: Engine, memory: MemoryDouble) -> None:
    connector = await _synced(engine, memory, 4)
    engine.limits = replace(engine.limits, seconds=0.0)
    memory.page_size(1)
    await engine.request(connector)
    await enqueue(engine.pool, SYNC_CONNECTOR, connector)
    slices = 0
    while (job := await engine.claim()) is not None:
        memory.expire_cursor()
        await engine.work(job)
        slices += 1
    assert slices == 3, "the cursor that is forgotten, a page of the listing, and its cursor"
    sync = await engine.last_sync(connector)
    assert (sync["status"], sync["error_kind"]) == ("failed", "unavailable")
    assert len(await engine.documents(connector)) == 4


async def test_readers_are_stored_with_the_documents(engine: Engine, memory: MemoryDouble) -> None:
    setup = memory.setup()
    setup.permission_mode = "source"
    folder = await memory.make_folder("Team")
    source_id = memory.put_now("a.txt", b"Text.", folder=folder)
    memory.tenant.nodes[folder].readers = Readers(principals=frozenset({"group:memory:g"}))
    memory.tenant.nodes[source_id].readers = Readers(inherits=True)
    connector = await engine.connect(setup)
    await engine.sync(connector)
    granted = (
        "SELECT principal.key FROM document_acl JOIN documents ON documents.id = document_id "
        "JOIN source_principals AS principal ON principal.id = principal_id WHERE documents.source_id = $1 ORDER BY 1"
    )
    assert [row["key"] for row in await engine.pool.fetch(granted, source_id)] == ["group:memory:g"]
    reads = memory.tenant.reads
    memory.tenant.nodes[folder].readers = Readers(principals=frozenset({"user:memory:u"}))
    memory.tenant.touch(folder)
    await engine.sync(connector)
    assert [row["key"] for row in await engine.pool.fetch(granted, source_id)] == ["user:memory:u"]
    assert memory.tenant.reads == reads, "no content is read for a change of readers"


async def test_a_page_takes_as_many_statements_however_much_is_on_it(
    engine: Engine, memory: MemoryDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    executed = 0
    bind = Query.bind

    def counted(statement: Query[Any], values: dict[str, Any]) -> list[Any]:
        nonlocal executed
        executed += 1
        return bind(statement, values)

    async def statements(items: int) -> int:
        nonlocal executed
        memory.page_size(items)
        executed = 0
        with monkeypatch.context() as patch:
            patch.setattr(Query.__mro__[1], "bind", counted)
            sync = await engine.sync(connector, full=True)
        assert (sync["documents_unchanged"], sync["documents_updated"]) == (300, 0)
        return executed

    connector = await _synced(engine, memory, 300)
    reads = memory.tenant.reads
    slow, ten = await statements(300), await statements(30)
    assert (ten - slow) / 9 < 10, "statements of a page"
    assert memory.tenant.reads == reads
