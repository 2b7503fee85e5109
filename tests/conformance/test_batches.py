"""Changes of a whole connector that are made in batches: removals at the end of a listing, and waiting for readers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from echomind_ingestor.pipeline.forgotten_readers import forget_readers
from echomind_ingestor.sync import pruning
from echomind_ingestor.sync.transactions import fenced
from echomind_lib.jobs import SYNC_CONNECTOR, enqueue
from tests.conformance.deaths import KilledError
from tests.conformance.engine import Engine
from tests.conformance.memory import MemoryDouble
from tests.factories.rows import new_worker


@pytest.mark.parametrize("removed", [5, 12], ids=["few", "confirmed"])
async def test_a_removal_is_made_in_batches_and_continued_after_a_death(
    engine: Engine, memory: MemoryDouble, monkeypatch: pytest.MonkeyPatch, removed: int
) -> None:
    left: list[int] = []
    dies = True

    @asynccontextmanager
    async def batch(*arguments: Any) -> AsyncIterator[Any]:
        async with fenced(*arguments) as connection:
            yield connection
        left.append(len(await engine.documents(connector)))
        if dies:
            raise KilledError

    for number in range(30):
        memory.put_now(f"{number}.txt", f"Text {number}.".encode())
    connector = await engine.connect(memory.setup())
    await engine.sync(connector)
    for source_id in list(memory.expected())[:removed]:
        await memory.delete(source_id)
    monkeypatch.setattr(pruning, "BATCH", 2)
    monkeypatch.setattr(pruning, "fenced", batch)
    await engine.request(connector, full=True)
    if removed > 10:
        sync = await engine.run(connector)
        assert (sync["status"], sync["to_remove"], left) == ("waiting_for_confirmation", removed, [])
        await engine.pool.execute(
            "UPDATE connector_syncs SET may_remove = true, status = 'pending' WHERE id = $1", sync["id"]
        )
    await enqueue(engine.pool, SYNC_CONNECTOR, connector)
    job = await engine.claim()
    assert job
    with pytest.raises(KilledError):
        await engine.work(job)
    assert left == [28]
    assert (await engine.last_sync(connector))["documents_removed"] == 2
    await engine.pool.execute("DELETE FROM workers WHERE id = $1", engine.worker_id)
    engine.worker_id = await new_worker(engine.pool)
    dies = False
    sync = await engine.run(connector)
    assert (sync["status"], sync["documents_removed"]) == ("completed", removed)
    # Batches of two, what is left over, and the look that finds nothing more.
    assert left == [*range(28, 30 - removed, -2), *([30 - removed] * 2)][: len(left)]
    assert left[-1] == 30 - removed
    await engine.assert_equal(connector, memory)
    assert await engine.pool.fetchval("SELECT count(*) FROM connector_sync_seen") == 0


async def test_a_sync_waits_until_the_readers_of_another_mode_are_forgotten(
    engine: Engine, memory: MemoryDouble
) -> None:
    memory.put_now("0.txt", b"Text.")
    connector = await engine.connect(memory.setup())
    await engine.pool.execute("UPDATE connectors SET permission_mode = 'source' WHERE id = $1", connector)
    await engine.request(connector)
    await enqueue(engine.pool, SYNC_CONNECTOR, connector)
    job = await engine.claim()
    assert job
    assert await engine.work(job) == engine.limits.pause
    assert (await engine.last_sync(connector))["status"] == "pending"
    assert memory.tenant.pages == 0
    waiting = "SELECT status FROM background_jobs WHERE kind = 'connector.scope' AND subject_id = $1"
    assert await engine.pool.fetchval(waiting, str(connector)) == "pending"
    await forget_readers(engine.pool, connector)
    assert (await engine.run(connector))["status"] == "completed"
    assert len(await engine.documents(connector)) == 1
