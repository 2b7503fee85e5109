"""A worker that dies at any point of a sync: the next one ends with exactly what the source has."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echomind_ingestor.sync import pages, slices
from echomind_ingestor.sync.contents import Contents
from echomind_ingestor.sync.transactions import fenced
from echomind_lib.jobs import SYNC_CONNECTOR, enqueue
from tests.conformance.engine import Engine
from tests.conformance.memory import MemoryDouble
from tests.factories.rows import new_worker


class KilledError(BaseException):
    """The process is dead: nothing handles it."""


class Killer:
    """Dies at one of the points where order matters: before and after each commit, and after each stored content."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._left = -1
        store = Contents.store

        @asynccontextmanager
        async def transaction(*arguments: Any) -> AsyncIterator[Any]:
            async with fenced(*arguments) as connection:
                yield connection
                self._step()
            self._step()

        async def stored(*arguments: Any, **named: Any) -> Any:
            found = await store(*arguments, **named)
            self._step()
            return found

        for module in (pages, slices):
            patch.setattr(module, "fenced", transaction)
        patch.setattr(Contents, "store", stored)

    def at(self, point: int) -> None:
        """Dies at the point of that number, from 0."""
        self._left = point

    @property
    def has_struck(self) -> bool:
        return self._left == -1

    def _step(self) -> None:
        if self._left == 0:
            self._left = -1
            raise KilledError
        if self._left > 0:
            self._left -= 1

    def stop(self) -> None:
        self._left = -1


async def _run_with_death(engine: Engine, connector: int) -> Any:
    """Runs a sync whose workers may die: the jobs of dead ones are claimed by the next."""
    await engine.request(connector)
    await enqueue(engine.pool, SYNC_CONNECTOR, connector)
    for _ in range(100):
        job = await engine.claim()
        if job is None:
            return await engine.last_sync(connector)
        try:
            await engine.work(job)
        except KilledError:
            await _bury(engine)
    raise AssertionError("the sync does not end")


async def _bury(engine: Engine) -> None:
    await engine.pool.execute("DELETE FROM workers WHERE id = $1", engine.worker_id)
    engine.worker_id = await new_worker(engine.pool)


async def test_death_at_every_point_loses_and_doubles_nothing(
    engine: Engine, memory: MemoryDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    killer = Killer(monkeypatch)
    memory.page_size(3)
    point = 0
    while True:
        # Each round changes something of every kind, and dies one point later.
        folder = await memory.make_folder(f"Folder {point}")
        for number in range(3):
            memory.put_now(f"{point}-{number}.txt", f"Text {point} {number}.".encode(), folder=folder)
        ids = sorted(memory.expected())
        if point == 0:
            connector = await engine.connect(memory.setup())
        else:
            await memory.rename(ids[0], f"renamed {point}.txt")
            await memory.move(ids[1], folder)
            memory.put_now("changing.txt", f"Version {point}.".encode())
            await memory.delete(ids[2])
        killer.at(point)
        sync = await _run_with_death(engine, connector)
        assert sync["status"] == "completed", sync["error"]
        await engine.assert_equal(connector, memory)
        if not killer.has_struck:
            break
        point += 1
    assert point > 10


_EDITS = st.lists(
    st.tuples(
        st.sampled_from(["put", "change", "rename", "move", "delete", "restore", "folder", "delete folder", "expire"]),
        st.integers(0, 1000),
    ),
    max_size=12,
)


async def _edit(memory: MemoryDouble, kind: str, number: int) -> None:
    """Makes one edit, if there is something to be edited."""
    tenant = memory.tenant
    files = sorted(memory.expected())
    folders = sorted(node.id for node in tenant.nodes.values() if node.content is None)
    trash = sorted(key for key, node in tenant.trash.items() if node.parent in {"", *folders})
    folder = [*folders, ""][number % (len(folders) + 1)]
    if kind == "put":
        memory.put_now(f"file {number}.txt", f"Text {number}.".encode(), folder=folder)
    elif kind == "folder":
        await memory.make_folder(f"Folder {number}", parent=folder)
    elif kind == "expire":
        memory.expire_cursor()
    elif kind == "restore" and trash:
        await memory.restore(trash[number % len(trash)])
    elif kind == "delete folder" and folders:
        await memory.delete(folders[number % len(folders)])
    elif files:
        chosen = files[number % len(files)]
        if kind == "change":
            node = tenant.nodes[chosen]
            node.content, node.version = f"Changed {number}.".encode(), next(tenant.numbers)
            tenant.touch(chosen)
        elif kind == "rename":
            await memory.rename(chosen, f"renamed {number}.txt")
        elif kind == "move":
            await memory.move(chosen, folder)
        elif kind == "delete":
            await memory.delete(chosen)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(history=st.lists(st.tuples(_EDITS, st.integers(-1, 12), st.integers(1, 5)), min_size=1, max_size=4))
async def test_any_history_with_any_deaths_ends_as_the_source_is(
    engine: Engine, history: list[tuple[list[tuple[str, int]], int, int]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        killer = Killer(patch)
        async with MemoryDouble() as memory:
            connector = await engine.connect(memory.setup())
            for edits, point, size in history:
                memory.page_size(size)
                for kind, number in edits:
                    await _edit(memory, kind, number)
                killer.at(point)
                sync = await _run_with_death(engine, connector)
                killer.stop()
                if sync["status"] == "waiting_for_confirmation":
                    await engine.pool.execute(
                        "UPDATE connector_syncs SET may_remove = true, status = 'pending' WHERE id = $1", sync["id"]
                    )
                    sync = await engine.run(connector)
                assert sync["status"] == "completed", sync["error"]
                await engine.assert_equal(connector, memory)
