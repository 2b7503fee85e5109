"""Edits and faults of a tenant, for each source."""

import asyncio
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from email.utils import format_datetime
from types import ModuleType
from typing import Any

import pytest

from echomind_ingestor.sync.contents import Contents
from echomind_ingestor.sync.handlers import Syncs
from echomind_lib.jobs import SYNC_CONNECTOR, enqueue, lease
from tests.conformance.double import SourceDouble
from tests.conformance.engine import Engine

NAMES = ["100%.txt", "a b.txt ", 'quote".txt', "hash#1.txt", "Ünï — 漢字.txt", "it's.txt", "x" * 200 + ".txt"]


async def _fill(double: SourceDouble, count: int = 12) -> list[str]:
    return [await double.put(f"file {number:03}.txt", f"Text {number}.".encode()) for number in range(count)]


async def test_a_first_sync_stores_all(engine: Engine, double: SourceDouble) -> None:
    await _fill(double)
    connector = await engine.connect(double.setup())
    sync = await engine.sync(connector)
    assert (sync["status"], sync["kind"], sync["error"]) == ("completed", "full", None)
    assert (sync["documents_added"], sync["documents_failed"]) == (12, 0)
    await engine.assert_equal(connector, double)
    row = await engine.connector(connector)
    assert row["status"] == "active"
    assert row["last_sync_at"]
    assert row["next_sync_at"]


@pytest.mark.needs("paging")
async def test_pages_of_one_item_store_the_same(engine: Engine, double: SourceDouble) -> None:
    await _fill(double, 5)
    double.page_size(1)
    connector = await engine.connect(double.setup())
    assert (await engine.sync(connector))["documents_added"] == 5
    await engine.assert_equal(connector, double)


async def test_a_second_sync_without_changes_reads_and_writes_nothing(
    engine: Engine, double: SourceDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    await _fill(double)
    connector = await engine.connect(double.setup())
    await engine.sync(connector)
    versions = "SELECT id, xmin::text FROM documents WHERE connector_id = $1 ORDER BY id"
    before = await engine.pool.fetch(versions, connector)

    async def store(*_: Any, **__: Any) -> None:
        raise AssertionError("a content was read")

    monkeypatch.setattr(Contents, "store", store)
    sync = await engine.sync(connector)
    assert (sync["status"], sync["documents_added"], sync["documents_updated"], sync["documents_removed"]) == (
        "completed",
        0,
        0,
        0,
    )
    assert await engine.pool.fetch(versions, connector) == before


async def test_changes_arrive(engine: Engine, double: SourceDouble) -> None:
    ids = await _fill(double)
    connector = await engine.connect(double.setup())
    await engine.sync(connector)
    await double.put("file 001.txt", b"Another text.")
    await double.put("new.txt", b"New.", old=True)
    await double.delete(ids[2])
    sync = await engine.sync(connector)
    assert (sync["documents_added"], sync["documents_updated"], sync["documents_removed"]) == (1, 1, 1)
    await engine.assert_equal(connector, double)


@pytest.mark.needs("rename")
async def test_a_rename_keeps_the_content(engine: Engine, double: SourceDouble) -> None:
    ids = await _fill(double, 3)
    connector = await engine.connect(double.setup())
    await engine.sync(connector)
    await double.rename(ids[0], "renamed.txt")
    sync = await engine.sync(connector)
    await engine.assert_equal(connector, double)
    if "identity" in double.abilities:
        assert (sync["documents_added"], sync["documents_updated"]) == (0, 1)
        assert (await engine.documents(connector))[ids[0]]["title"] == "renamed.txt"


@pytest.mark.needs("rename")
async def test_a_rename_of_the_case_alone_is_one(engine: Engine, double: SourceDouble) -> None:
    source_id = await double.put("readme.txt", b"Read me.")
    connector = await engine.connect(double.setup())
    await engine.sync(connector)
    renamed = await double.rename(source_id, "README.txt")
    sync = await engine.sync(connector)
    await engine.assert_equal(connector, double)
    assert (renamed == source_id) == ("identity" in double.abilities)
    if renamed == source_id:
        assert (sync["documents_added"], sync["documents_updated"], sync["documents_removed"]) == (0, 1, 0)
    sync = await engine.sync(connector)
    assert (sync["documents_added"], sync["documents_updated"], sync["documents_removed"]) == (0, 0, 0)


async def test_names_that_differ_in_their_case_alone_are_two(engine: Engine, double: SourceDouble) -> None:
    names = ("notes.txt", "Notes.txt", "NOTES.TXT")
    assert len({await double.put(name, name.encode()) for name in names}) == 3
    connector = await engine.connect(double.setup())
    await engine.sync(connector)
    await engine.assert_equal(connector, double)


@pytest.mark.needs("folders", "move", "rename")
async def test_folders_are_followed(engine: Engine, double: SourceDouble) -> None:
    upper = await double.make_folder("Upper")
    lower = await double.make_folder("Lower", parent=upper)
    other = await double.make_folder("Other")
    moved = await double.put("moved.txt", b"Moved.", folder=lower)
    await double.put("stays.txt", b"Stays.", folder=lower)
    connector = await engine.connect(double.setup())
    await engine.sync(connector)
    await engine.assert_equal(connector, double)
    await double.move(moved, other)
    upper = await double.rename(upper, "Renamed")
    await engine.sync(connector)
    await engine.assert_equal(connector, double)
    await double.delete(upper)
    await engine.sync(connector)
    await engine.assert_equal(connector, double)


@pytest.mark.needs("restore")
async def test_what_is_restored_comes_back(engine: Engine, double: SourceDouble) -> None:
    ids = await _fill(double, 3)
    connector = await engine.connect(double.setup())
    await engine.sync(connector)
    await double.delete(ids[0])
    await engine.sync(connector)
    await engine.assert_equal(connector, double)
    await double.restore(ids[0])
    await engine.sync(connector)
    await engine.assert_equal(connector, double)


async def test_odd_names_are_kept(engine: Engine, double: SourceDouble) -> None:
    longest = "n" * (double.longest_name - len(".txt")) + ".txt"
    for name in sorted({*NAMES, longest} - double.unreadable):
        await double.put(name, name.encode())
    connector = await engine.connect(double.setup())
    await engine.sync(connector)
    await engine.assert_equal(connector, double)
    assert (await engine.sync(connector))["documents_updated"] == 0


@pytest.mark.needs("paging")
async def test_a_change_during_the_listing_is_not_lost(engine: Engine, double: SourceDouble) -> None:
    await _fill(double, 6)
    double.page_size(2)
    double.after_page(lambda: double.put_now("during.txt", b"During."))
    connector = await engine.connect(double.setup())
    await engine.sync(connector)
    await engine.sync(connector)
    await engine.assert_equal(connector, double)


@pytest.mark.needs("cursor")
async def test_a_forgotten_cursor_is_one_full_listing(engine: Engine, double: SourceDouble) -> None:
    ids = await _fill(double)
    connector = await engine.connect(double.setup())
    await engine.sync(connector)
    await double.delete(ids[3])
    await double.put("new.txt", b"New.")
    double.expire_cursor()
    sync = await engine.sync(connector)
    assert (sync["status"], sync["kind"]) == ("completed", "full")
    assert (sync["documents_added"], sync["documents_removed"]) == (1, 1)
    await engine.assert_equal(connector, double)


@pytest.mark.needs("rate_limit")
@pytest.mark.parametrize("asked", ["seconds", "date", None])
async def test_a_limited_rate_is_waited_for(engine: Engine, double: SourceDouble, asked: str | None) -> None:
    await _fill(double, 3)
    date = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
    double.limit_rate(1, {"seconds": "1", "date": date, None: None}[asked])
    connector = await engine.connect(double.setup())
    assert (await engine.sync(connector))["status"] == "completed"
    await engine.assert_equal(connector, double)


@pytest.mark.needs("credentials")
async def test_revoked_credentials_stop_it_and_keep_what_is_there(engine: Engine, double: SourceDouble) -> None:
    await _fill(double, 3)
    connector = await engine.connect(double.setup())
    await engine.sync(connector)
    double.revoke()
    sync = await engine.sync(connector)
    assert (sync["status"], sync["error_kind"]) == ("failed", "credentials")
    row = await engine.connector(connector)
    assert (row["status"], row["next_sync_at"]) == ("error", None)
    await engine.assert_equal(connector, double)


@pytest.mark.needs("tokens", "paging")
async def test_tokens_that_expire_on_the_way_are_replaced(engine: Engine, double: SourceDouble) -> None:
    await _fill(double, 5)
    double.page_size(2)
    double.after_page(double.expire_tokens)
    connector = await engine.connect(double.setup())
    assert (await engine.sync(connector))["status"] == "completed"
    await engine.assert_equal(connector, double)


async def test_pausing_ends_a_sync_on_the_way_and_the_next_one_completes_it(
    engine: Engine, double: SourceDouble
) -> None:
    await _fill(double, 4)
    connector = await engine.connect(double.setup())
    await engine.request(connector)
    await enqueue(engine.pool, SYNC_CONNECTOR, connector)
    job = await engine.claim()
    assert job
    reached = asyncio.Event()

    async def hang(*_: Any, **__: Any) -> Any:
        reached.set()
        await asyncio.Event().wait()

    resources = engine.resources
    resources.contents.store = hang  # type: ignore[method-assign]
    work = asyncio.create_task(Syncs(resources).work(job))
    await reached.wait()
    await engine.pool.execute("UPDATE connectors SET paused_at = now() WHERE id = $1", connector)
    async with asyncio.timeout(60):
        assert (await work).again is None
    assert await lease.complete(engine.pool, job)
    assert (await engine.last_sync(connector))["status"] == "cancelled"
    assert (await engine.connector(connector))["status"] == "pending"
    await engine.pool.execute("UPDATE connectors SET paused_at = NULL WHERE id = $1", connector)
    assert (await engine.sync(connector))["status"] == "completed"
    await engine.assert_equal(connector, double)


@pytest.mark.needs("broken_item")
async def test_a_broken_item_holds_up_no_other_and_is_tried_again(engine: Engine, double: SourceDouble) -> None:
    ids = await _fill(double, 5)
    double.break_item(ids[1])
    connector = await engine.connect(double.setup())
    sync = await engine.sync(connector)
    assert (sync["status"], sync["documents_added"], sync["documents_failed"]) == ("completed", 4, 1)
    found = await engine.pool.fetch("SELECT * FROM connector_sync_failures WHERE connector_id = $1", connector)
    assert [row["source_id"] for row in found] == [ids[1]]
    # A crawl only knows that the address exists.
    if (document := (await engine.documents(connector)).get(ids[1])) is not None:
        assert document["status"] == "failed"
    double.break_item(ids[1], broken=False)
    assert (await engine.sync(connector))["documents_failed"] == 0
    await engine.assert_equal(connector, double)
    unresolved = "SELECT count(*) FROM connector_sync_failures WHERE connector_id = $1 AND resolved_at IS NULL"
    assert await engine.pool.fetchval(unresolved, connector) == 0


def _modules() -> Iterator[ModuleType]:
    """Yields the modules of the sources, which know the clock and the zone of this machine alone."""
    for name, module in list(sys.modules.items()):
        if name.startswith("echomind_ingestor.connectors."):
            yield module


def _set_clock(patch: pytest.MonkeyPatch, ahead: timedelta) -> None:
    """Has the clock of the sources go wrong, and no other one."""

    class Shifted(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> "Shifted":
            return cls.fromtimestamp(time.time() + ahead.total_seconds(), tz)

    wrong = ModuleType("time")
    vars(wrong).update(vars(time), time=lambda: time.time() + ahead.total_seconds())
    for module in _modules():
        if getattr(module, "time", None) is time:
            patch.setattr(module, "time", wrong)
        if getattr(module, "datetime", None) is datetime:
            patch.setattr(module, "datetime", Shifted)


@pytest.fixture
def summer_time() -> Iterator[None]:
    """Lets this process be in a zone with summer time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("summer_time")
async def test_a_clock_that_is_wrong_changes_nothing(engine: Engine, double: SourceDouble) -> None:
    await _fill(double, 3)
    connector = await engine.connect(double.setup())
    for minutes in (10, -10):  # first ahead, then behind
        with pytest.MonkeyPatch.context() as patch:
            _set_clock(patch, timedelta(minutes=minutes))
            await double.put("changing.txt", f"Version {minutes}.".encode(), old=minutes < 0)
            assert (await engine.sync(connector))["status"] == "completed"
            await engine.assert_equal(connector, double)
    assert (await engine.sync(connector))["documents_updated"] == 0
