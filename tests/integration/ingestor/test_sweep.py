"""Unreferenced data is found and removed; data in use, recent or referenced stays."""

import asyncio
from uuid import UUID

import pytest

from echomind_ingestor.pipeline.sweep import Sweep
from echomind_lib.objects import markdown_key, original_key, text_key
from echomind_lib.retrieval import encode_document
from echomind_lib.vectors import Point
from tests.drivers.stack import Stack

OLD = -60.0
"""A minimum age that everything has reached."""


async def leave(stack: Stack, document_id: int, session: UUID | None = None) -> UUID:
    """Returns what a dead process leaves: two passages and three files that no row names."""
    made: UUID = session or await stack.pool.fetchval("SELECT uuidv7()")
    vector = await stack.embeddings.embed_query("left")
    payload = {"scope": "org", "connector_id": 1, "document_id": document_id, "chunking_session": str(made)}
    await stack.vectors.upsert(
        stack.collection,
        [
            Point(
                str(UUID(int=made.int ^ position)),
                vector,
                encode_document("left", "en"),
                {**payload, "position": position},
            )
            for position in range(2)
        ],
    )
    await stack.objects.put(text_key(document_id, made), b"left")
    await stack.objects.put(markdown_key(document_id, made), b"left")
    await stack.objects.put(original_key(document_id, f"{made.hex}{made.hex}"), b"left")
    return made


async def sweep_all(sweep: Sweep) -> None:
    """Twice around: the first time begins in the middle."""
    for step in (sweep.sweep_files, sweep.sweep_chunks):
        for _ in range(2):
            while not await step():
                pass


async def left(stack: Stack) -> tuple[int, int]:
    """Passages and files altogether."""
    return await stack.vectors.count(stack.collection, {"scope": "org"}), len(await stack.objects.keys("documents/"))


@pytest.mark.parametrize("page", [3, 1000])
async def test_unreferenced_data_is_removed_and_everything_else_stays(stack: Stack, page: int) -> None:
    connector = await stack.rows.connector("org")
    documents = [await stack.index(f"Text {number}.", f"{number}.txt", connector_id=connector) for number in range(6)]
    waiting = await stack.add("Waits.", "waiting.txt", connector_id=connector)
    before = await left(stack)
    for document_id in (*documents[:3], 10**6, 10**12):
        await leave(stack, document_id)
    await stack.objects.put("elsewhere/1/x/text", b"not ours")
    await stack.objects.put("documents/readme", b"not ours")
    assert await left(stack) > before
    await sweep_all(Sweep(stack.pool, stack.objects, stack.indexes, minimum_age=OLD, page=page))
    assert await left(stack) == (before[0], before[1] + 1)
    for document_id in documents:
        await stack.assert_complete(document_id)
    await stack.process(waiting)
    await stack.assert_complete(waiting)


async def test_what_is_young_stays(stack: Stack) -> None:
    await leave(stack, 10**6)
    before = await left(stack)
    await sweep_all(Sweep(stack.pool, stack.objects, stack.indexes))
    assert await left(stack) == before == (2, 3)


async def test_a_continuing_old_processing_keeps_its_stored_data(stack: Stack) -> None:
    document_id = await stack.add("Takes hours.")
    session = UUID("018f0000-0000-7000-8000-000000000000")
    await stack.pool.execute(
        "UPDATE documents SET status = 'processing', processing_session = $2, worker_id = $3 WHERE id = $1",
        document_id,
        session,
        stack.worker_id,
    )
    await leave(stack, document_id, session)
    before = await left(stack)
    sweep = Sweep(stack.pool, stack.objects, stack.indexes, minimum_age=OLD)
    await sweep_all(sweep)
    assert await left(stack) == before
    await stack.pool.execute("DELETE FROM documents WHERE id = $1", document_id)
    await sweep_all(sweep)
    assert await left(stack) == (0, 0)


async def test_constant_sweeping_does_not_affect_documents_being_processed(stack: Stack) -> None:
    connector = await stack.rows.connector("org")
    documents = [
        await stack.add(f"Text {number}. " * 300, f"{number}.txt", connector_id=connector) for number in range(4)
    ]
    sweep = Sweep(stack.pool, stack.objects, stack.indexes, minimum_age=OLD, page=5)
    working = asyncio.gather(*(stack.process(document_id) for document_id in documents))
    while not working.done():
        await sweep_all(sweep)
    await working
    for document_id in documents:
        await stack.assert_complete(document_id)


async def test_files_that_an_interrupted_processing_left_of_a_removed_document_follow_it(stack: Stack) -> None:
    document_id = await stack.index("The garage opens at six.")
    await leave(stack, document_id)
    await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", document_id)
    await stack.removal.run()
    await sweep_all(Sweep(stack.pool, stack.objects, stack.indexes, minimum_age=OLD))
    assert await left(stack) == (0, 0)
