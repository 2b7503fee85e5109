"""Whose turn it is: fairness between sources, one sync at a time of each, when the next one is due, and statuses."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from echomind_ingestor.sync.outcomes import AFTER_FAILURE, after_failure
from echomind_ingestor.sync.syncs import FIND
from echomind_lib.jobs import SYNC_CONNECTOR, Job, lease
from tests.conformance.engine import Engine
from tests.conformance.memory import MemoryDouble
from tests.factories.rows import new_worker


async def _take(engine: Engine) -> Job | None:
    """Claims whichever slice is due, in the order that ingestors do."""
    return await lease.claim(engine.pool, [SYNC_CONNECTOR], engine.worker_id)


async def _filled(engine: Engine, count: int, **values: Any) -> tuple[int, MemoryDouble]:
    source = await MemoryDouble().__aenter__()
    for number in range(count):
        source.put_now(f"{number}.txt", b"Text.")
    source.page_size(1)
    return await engine.connect(source.setup(), **values), source


async def _make_due(engine: Engine, connectors: Sequence[int]) -> None:
    await engine.pool.execute("UPDATE connectors SET next_sync_at = now() WHERE id = ANY($1)", list(connectors))
    await engine.schedule.run()


async def test_a_huge_source_does_not_starve_small_ones(engine: Engine) -> None:
    engine.limits = replace(engine.limits, seconds=0.0)
    huge, _ = await _filled(engine, 30)
    await _make_due(engine, [huge])
    small = [(await _filled(engine, 1))[0] for _ in range(3)]
    order = []
    while job := await _take(engine):
        order.append(int(job.subject_id))
        await engine.work(job)
        if len(order) == 2:
            await _make_due(engine, small)
    # Each small sync waits for at most one slice of the huge one.
    last = max(order.index(each) for each in small)
    assert order[:2] == [huge, huge]
    assert order[2 : last + 1].count(huge) <= 1
    assert order.count(huge) >= 30
    for connector in (huge, *small):
        assert (await engine.last_sync(connector))["status"] == "completed"


async def test_a_pausing_source_yields_its_slot_to_others(engine: Engine) -> None:
    huge, source = await _filled(engine, 3)
    await engine.sync(huge)
    engine.limits = replace(engine.limits, waiting=2)
    source.put_now("another.txt", b"Text.")  # while three documents wait to be processed
    small, _ = await _filled(engine, 1)
    await _make_due(engine, [huge, small])
    order = []
    while job := await _take(engine):
        order.append((int(job.subject_id), await engine.work(job)))
    assert sorted(order) == [(huge, engine.limits.pause), (small, None)]


async def test_one_sync_of_a_source_at_a_time_however_many_ingestors(engine: Engine) -> None:
    engine.limits = replace(engine.limits, seconds=0.0)
    connector, source = await _filled(engine, 4)
    await _make_due(engine, [connector])
    first = await _take(engine)
    assert first
    others = [await new_worker(engine.pool) for _ in range(3)]
    for _ in range(2):  # nothing starts a second sync
        await engine.request(connector)
        await _make_due(engine, [connector])
    claimed = await asyncio.gather(*(lease.claim(engine.pool, [SYNC_CONNECTOR], each) for each in others))
    assert claimed == [None, None, None]
    assert await engine.work(first) == 0.0
    second = await _take(engine)
    assert second
    # A worker that has lost its lease stores neither a page nor the end of the sync.
    pages = (await engine.last_sync(connector))["pages"]
    assert await engine.work(first) is None
    assert (await engine.last_sync(connector))["pages"] == pages
    assert await engine.pool.fetchval("SELECT count(*) FROM connector_syncs") == 1
    await engine.work(second)
    await engine.run(connector)
    await engine.assert_equal(connector, source)


async def test_the_next_sync_is_due_after_the_frequency_with_a_jitter(engine: Engine, memory: MemoryDouble) -> None:
    connector = await engine.connect(memory.setup(), refresh_freq_minutes=60)
    minutes = []
    for _ in range(6):
        await engine.sync(connector)
        due = (await engine.connector(connector))["next_sync_at"]
        minutes.append((due - datetime.now(UTC)).total_seconds() / 60)
    assert all(59 < each <= 66 for each in minutes)
    assert max(minutes) - min(minutes) > 1, "they differ, so that many do not begin at once"
    await engine.pool.execute("UPDATE connectors SET refresh_freq_minutes = NULL")
    await engine.sync(connector)
    assert (await engine.connector(connector))["next_sync_at"] is None


async def test_failures_are_waited_for_longer_and_longer(engine: Engine, memory: MemoryDouble) -> None:
    connector = await engine.connect(memory.setup(), refresh_freq_minutes=24 * 60)
    memory.tenant.refused = 1_000_000
    memory.tenant.retry_after = 3600.0
    waits = []
    for failures in range(1, 4):
        sync = await engine.sync(connector)
        row = await engine.connector(connector)
        assert (sync["status"], row["status"], row["sync_failures"]) == ("failed", "error", failures)
        waits.append((row["next_sync_at"] - datetime.now(UTC)).total_seconds())
    longest = [AFTER_FAILURE.first * AFTER_FAILURE.factor**number for number in range(3)]
    assert all(wait <= maximum * 1.5 + 1 for wait, maximum in zip(waits, longest, strict=True))
    assert waits[2] > waits[0]


@pytest.mark.parametrize(
    ("kind", "frequency", "failures", "least", "maximum"),
    [
        ("credentials", 60, 0, None, None),
        ("settings", None, 0, None, None),
        ("unavailable", None, 0, 30.0, 180.0),
        ("unavailable", 1, 5, 60.0, 60.0),
        ("unavailable", 24 * 60, 50, 3600.0, 6 * 3600.0),
    ],
)
def test_after_a_failure(
    kind: str, frequency: int | None, failures: int, least: float | None, maximum: float | None
) -> None:
    sync: Any = type("Sync", (), {"refresh_freq_minutes": frequency, "sync_failures": failures})()
    found = after_failure(kind, sync)
    if least is None or maximum is None:
        assert found is None, "nobody but a person begins it again"
    else:
        assert found is not None
        assert least <= found <= maximum


@pytest.mark.parametrize(
    ("kind", "minutes", "seconds"),
    [
        ("unavailable", None, (60, 120)),
        ("internal", None, (60, 120)),
        ("settings", None, None),
        ("items", None, None),
        ("credentials", 60, None),
        ("settings", 60, (60, 120)),
        ("unavailable", 1, (60, 60)),
    ],
)
async def test_when_a_sync_that_failed_is_tried_again(
    engine: Engine, memory: MemoryDouble, kind: str, minutes: int | None, seconds: tuple[float, float] | None
) -> None:
    connector = await engine.connect(memory.setup(), refresh_freq_minutes=minutes)
    await engine.request(connector)
    sync = await FIND.fetch_one(engine.pool, connector_id=connector)
    assert sync
    delay = after_failure(kind, sync)
    assert (delay is None) == (seconds is None)
    assert delay is None or seconds is None or seconds[0] <= delay <= seconds[1]


async def test_statuses_describe_a_connectors_activity(engine: Engine, memory: MemoryDouble) -> None:
    engine.limits = replace(engine.limits, seconds=0.0)
    memory.page_size(1)
    for number in range(2):
        memory.put_now(f"{number}.txt", b"Text.")
    connector = await engine.connect(memory.setup())
    statuses = [(await engine.connector(connector))["status"]]

    async def slices(maximum: int = 10) -> str:
        await _make_due(engine, [connector])
        for _ in range(maximum):
            if (job := await engine.claim()) is None:
                break
            await engine.work(job)
        found: str = (await engine.connector(connector))["status"]
        return found

    statuses += [await slices(1), await slices()]
    memory.tenant.is_revoked = True
    statuses.append(await slices())
    memory.tenant.is_revoked = False
    statuses.append(await slices())
    await engine.pool.execute("UPDATE connectors SET status = 'disabled'")
    statuses.append(await slices())
    assert statuses == ["pending", "syncing", "active", "error", "active", "disabled"]


async def test_a_sync_notes_where_it_began_and_ended(engine: Engine, memory: MemoryDouble) -> None:
    memory.put_now("a.txt", b"Text.")
    connector = await engine.connect(memory.setup())
    first = await engine.sync(connector)
    memory.put_now("b.txt", b"Text.")
    second = await engine.sync(connector)
    state = (await engine.connector(connector))["state"]
    assert first["cursor_before"] is None
    assert first["cursor_after"] == second["cursor_before"] != second["cursor_after"] == state["cursor"]
    assert (second["documents_seen"], second["documents_added"], second["documents_unchanged"]) == (1, 1, 0)
