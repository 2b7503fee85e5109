"""Crashes of a worker at any point of a sync or of the pipeline: the next one ends in the source's state.

Documents, readers, chunks, vectors and files agree then, by what `echomind doctor --deep` compares.
"""

from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echomind_api.administration.storage_check import StorageCheck
from echomind_ingestor.connectors.protocol import ANONYMOUS, Readers
from echomind_ingestor.pipeline.scopes import DocumentReaders
from echomind_ingestor.pipeline.sweep import Sweep
from echomind_ingestor.sync.permissions import apply_readers, encode_readers
from echomind_lib.db.database import Database
from echomind_lib.jobs import SYNC_CONNECTOR, Job, enqueue
from tests.conformance.deaths import KilledError, Killer, PipelineKiller
from tests.conformance.double import SourceDouble
from tests.conformance.engine import Engine
from tests.conformance.memory import MemoryDouble
from tests.drivers.stack import Stack
from tests.factories.rows import new_worker


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


async def _findings(stack: Stack, database: Database) -> list[tuple[str, int, str]]:
    """Returns what does not agree, once what dead workers have left was removed."""
    await stack.removal.run()
    sweep = Sweep(stack.pool, stack.objects, stack.indexes, minimum_age=-60.0)
    for step in (sweep.sweep_files, sweep.sweep_chunks):
        for _ in range(2):  # the first one starts in the middle
            while not await step():
                pass
    check, token, findings = StorageCheck(database, stack.objects, stack.vectors), "", []
    while True:
        page = await check.check(token)
        findings += [(found.kind.word, found.document_id, found.detail) for found in page.findings]
        if not (token := page.next_page_token):
            return findings


async def test_death_at_every_point_of_a_sync_loses_and_doubles_nothing(
    engine: Engine, memory: MemoryDouble, stack: Stack, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    killer = Killer(monkeypatch)
    memory.page_size(3)
    ann, bob = memory.add_person("ann"), memory.add_person("bob")
    group = memory.add_group(ann)
    setup = memory.setup()
    setup.permission_mode = "source"
    point = 0
    while True:
        # Each round makes a change of every kind, and the worker dies one point later.
        folder = await memory.make_folder(f"Folder {point}")
        memory.share(folder, group if point % 2 else bob)
        memory.set_group(group, *([ann] if point % 3 else [bob]))
        for number in range(3):
            memory.put_now(f"{point}-{number}.txt", f"Text {point} {number}.".encode(), folder=folder)
        ids = sorted(memory.expected())
        if point == 0:
            connector = await engine.connect(setup, scope="org")
        else:
            memory.share(ids[-1], *([ann] if point % 2 else []))
            await memory.rename(ids[0], f"renamed {point}.txt")
            await memory.move(ids[1], folder)
            memory.put_now("changing.txt", f"Version {point}.".encode())
            await memory.delete(ids[2])
        killer.at(point)
        sync = await _run_with_death(engine, connector)
        assert sync["status"] == "completed", sync["error"]
        await engine.assert_equal(connector, memory)
        assert await _findings(stack, database) == []
        if not killer.has_struck:
            break
        point += 1
    assert point > 10


async def test_each_source_survives_deaths_one_after_the_other(
    engine: Engine, double: SourceDouble, monkeypatch: pytest.MonkeyPatch
) -> None:
    killer = Killer(monkeypatch)
    if "paging" in double.abilities:
        double.page_size(2)
    ids = [await double.put(f"file {number}.txt", f"Text {number}.".encode()) for number in range(5)]
    connector = await engine.connect(double.setup())
    for changes in (False, True):
        if changes:
            await double.put("file 1.txt", b"Another text.")
            await double.put("new.txt", b"New.")
            await double.delete(ids[2])
        await engine.request(connector)
        await enqueue(engine.pool, SYNC_CONNECTOR, connector)
        deaths = 0
        # Each worker gets one point further than the previous one, so that one of them completes.
        while (job := await engine.claim()) is not None:
            killer.at(deaths)
            try:
                await engine.work(job)
            except KilledError:
                await _bury(engine)
                deaths += 1
            killer.stop()
        assert deaths > 2
        sync = await engine.last_sync(connector)
        assert sync["status"] == "completed", sync["error"]
        await engine.assert_equal(connector, double)


_PARAGRAPH = "The garage opens at six in the morning, and a badge is needed.\n\n"


async def test_a_crash_at_any_point_of_the_pipeline_leaves_a_consistent_state(
    stack: Stack, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    connector = await stack.rows.connector("org")
    await stack.pool.execute("UPDATE connectors SET permission_mode = 'source' WHERE id = $1", connector)
    follow = DocumentReaders(stack.pool, stack.indexes)
    point = 0
    while True:
        with pytest.MonkeyPatch.context() as patch:
            # A new version of the first document, another document replaces the second; readers change in between.
            ids = [
                await stack.add(f"# Round {point}\n\n{_PARAGRAPH}", "changed.md", connector_id=connector),
                await stack.add(f"{_PARAGRAPH}{point}", f"{point}.txt", connector_id=connector),
            ]
            await stack.pool.execute(
                "UPDATE documents SET deleted_date = now() WHERE source_id = $1", f"{point - 1}.txt"
            )
            await _share(stack, connector, ids, f"user:t:{point}")
            await stack.process(ids[1])
            killer = PipelineKiller(patch)
            killer.at(point)
            await _process_with_death(stack, ids[0])
            await _share(stack, connector, ids[:1], ANONYMOUS)
            for _ in range(2):
                with suppress(KilledError):
                    await follow.work(cast("Job", SimpleNamespace(subject_id=str(connector))))
            for _ in range(2):
                with suppress(KilledError):
                    await stack.removal.run()
            has_struck = killer.has_struck
        assert await _findings(stack, database) == []
        for document_id in ids:
            await stack.assert_complete(document_id)
        if not has_struck:
            break
        point += 1
    assert point > 20


async def test_a_crash_at_any_point_of_a_first_version_leaves_a_consistent_state(
    stack: Stack, database: Database
) -> None:
    connector = await stack.rows.connector("org")
    point = 0
    while True:
        with pytest.MonkeyPatch.context() as patch:
            document_id = await stack.add(f"# Round {point}\n\n{_PARAGRAPH}", f"{point}.md", connector_id=connector)
            killer = PipelineKiller(patch)
            killer.at(point)
            await _process_with_death(stack, document_id)
            has_struck = killer.has_struck
        assert await _findings(stack, database) == []
        await stack.assert_complete(document_id)
        if not has_struck:
            break
        point += 1
    assert point >= 8


async def _share(stack: Stack, connector: int, ids: list[int], key: str) -> None:
    async with stack.pool.acquire() as connection, connection.transaction():
        await connection.execute(
            "UPDATE documents SET source_readers = $2 WHERE id = ANY($1)",
            ids,
            encode_readers(Readers(principals=frozenset({key}))),
        )
        await apply_readers(connection, connector, folders=[], documents=ids)


async def _process_with_death(stack: Stack, document_id: int) -> None:
    worker = await new_worker(stack.pool)
    try:
        await stack.processor.process(document_id, worker)
    except KilledError:
        await stack.pool.execute("DELETE FROM workers WHERE id = $1", worker)
        await stack.process(document_id)


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
                assert sync["status"] in {"completed", "needs_attention"}, sync["error"]
                await engine.assert_equal(connector, memory)
