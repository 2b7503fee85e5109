"""Documents that are removed, moved or cleared up while they are processed."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from echomind_ingestor.pipeline.leftovers import clear_older_files, clear_older_passages
from echomind_lib.errors import DependencyUnavailableError, EchoMindError
from echomind_lib.objects import Stored, original_key, text_key
from echomind_lib.retrieval import encode_document
from echomind_lib.vectors import Point
from tests.drivers.stack import Stack
from tests.factories.files import HANDBOOK


@pytest.mark.parametrize("part", ["extractor.extract", "embeddings.embed_passages"])
@pytest.mark.parametrize("table", ["documents", "connectors"])
async def test_removal_stops_the_processing_wherever_it_is(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, part: str, table: str
) -> None:
    connector = await stack.rows.connector("org")
    document_id = await stack.add(HANDBOOK, "handbook.md", connector_id=connector)
    reached, stopped = asyncio.Event(), asyncio.Event()

    async def work(*_: object, **__: object) -> None:
        reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    owner, method = part.split(".")
    monkeypatch.setattr(getattr(stack, owner), method, work)
    watching = asyncio.ensure_future(stack.processor.watch())
    processing = asyncio.ensure_future(stack.process(document_id))
    await reached.wait()
    removed = document_id if table == "documents" else connector
    await stack.pool.execute(f"UPDATE {table} SET deleted_date = now() WHERE id = $1", removed)
    async with asyncio.timeout(30):
        await processing
    watching.cancel()
    assert stopped.is_set()
    assert await stack.left_over(document_id) == ({}, [])


async def test_removal_between_two_batches_stops_the_processing_there(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = await stack.add("\n\n".join(f"Section {n}. " + "It is so. " * 150 for n in range(150)), "long.txt")
    embed, batches = stack.embeddings.embed_passages, 0

    async def remove_then_embed(texts: list[str], model_id: str) -> Any:
        nonlocal batches
        batches += 1
        await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", document_id)
        return await embed(texts, model_id)

    monkeypatch.setattr(stack.embeddings, "embed_passages", remove_then_embed)
    await stack.process(document_id)
    assert batches == 1
    assert await stack.left_over(document_id) == ({}, [])


async def test_scope_that_changes_meanwhile_holds(stack: Stack) -> None:
    connector = await stack.rows.connector("org")
    document_id = await stack.add(HANDBOOK, "handbook.md", connector_id=connector)
    processing = asyncio.ensure_future(stack.process(document_id))
    await stack.claimed(document_id)
    await stack.pool.execute("UPDATE connectors SET scope = 'user' WHERE id = $1", connector)
    await processing
    async for point in stack.vectors.scroll(stack.collection, {"document_id": document_id}):
        assert point.payload["scope"] == f"user_{stack.rows.user_id}"


async def test_clearing_up_leaves_newer_work_alone(stack: Stack) -> None:
    connector = await stack.rows.connector("org")
    document_id = await stack.index(HANDBOOK, "handbook.md", connector_id=connector)
    session = await stack.assert_complete(document_id)
    row = await stack.document(document_id)
    newer = await stack.pool.fetchval("SELECT uuidv7()")
    vector = await stack.embeddings.embed_query("x")
    payload = {"scope": "org", "document_id": document_id, "chunking_session": str(newer), "position": 0, "text": "x"}
    await stack.vectors.upsert(stack.collection, [Point(str(newer), vector, encode_document("x", "en"), payload)])
    await stack.objects.put(text_key(document_id, newer), b"x")
    await stack.objects.put(original_key(document_id, "f" * 64), b"newer bytes")
    await clear_older_passages(stack.pool, stack.vectors, stack.collection, document_id, session, row["chunk_count"])
    await clear_older_files(stack.pool, stack.objects, document_id, session, row["signature"])
    assert set(await stack.sessions(document_id)) == {str(session), str(newer)}
    assert len(await stack.objects.keys(f"documents/{document_id}/")) == 4


async def test_the_bytes_of_the_newest_upload_are_kept_though_they_were_stored_first(
    stack: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of an upload of several files, whose rows are written when all bytes are stored."""
    document_id = await stack.add("Two.", "a.txt")
    await stack.process(document_id)
    row = await stack.document(document_id)
    published, named, never_named = (
        original_key(document_id, signature) for signature in (row["signature"], "a" * 64, "b" * 64)
    )
    for key in (named, never_named):
        await stack.objects.put(key, b"Stored before the published version.")
    list_stored = stack.objects.stored

    async def stored(prefix: str) -> list[Stored]:
        """The times of the server have no fractions of a second."""
        return [
            replace(each, modified=each.modified - timedelta(minutes=each.key != published))
            for each in await list_stored(prefix)
        ]

    monkeypatch.setattr(stack.objects, "stored", stored)
    await stack.pool.execute("UPDATE documents SET signature = $2 WHERE id = $1", document_id, "a" * 64)
    await clear_older_files(stack.pool, stack.objects, document_id, row["chunking_session"], row["signature"])
    originals = {each.key for each in await list_stored(f"documents/{document_id}/") if each.key.endswith("original")}
    assert originals == {published, named}


@pytest.mark.parametrize("part", ["vectors.count", "objects.stored"])
async def test_failure_while_clearing_up_loses_nothing(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    connector = await stack.rows.connector("org")
    document_id = await stack.index("The garage opens at six.", "garage.txt", connector_id=connector)
    await stack.add("The garage opens at seven.", "garage.txt", connector_id=connector)

    async def away(*_: object) -> None:
        raise DependencyUnavailableError("Gone.", dependency="qdrant")

    with monkeypatch.context() as patch:
        owner, method = part.split(".")
        patch.setattr(getattr(stack, owner), method, away)
        with pytest.raises(EchoMindError):
            await stack.process(document_id)
    assert (await stack.document(document_id))["status"] == "pending"
    (hit,) = await stack.retriever.search(stack.reader(), "When does the garage open?")
    assert "seven" in hit.text
    await stack.process(document_id)
    await stack.assert_complete(document_id)
