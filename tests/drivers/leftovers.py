"""Where a text is left: in which tables, files, indexes and queues."""

from uuid import uuid4

import asyncpg
import nats.js.errors
import numpy as np

from echomind_api.dependencies import Dependencies
from echomind_lib.messaging import Bus
from echomind_lib.objects import ObjectStore, original_key, text_key
from echomind_lib.vectors import Point, SparseVector, VectorIndex

COLLECTION = "chunks_1"
STREAMS = ("INGEST", "DLQ")


def marker() -> str:
    """Returns a text that is found nowhere else."""
    return f"marker{uuid4().hex}"


async def tables_with(pool: asyncpg.Pool, text: str) -> set[str]:
    """Returns every table that has a row in which a text stands, in whichever column."""
    names = [
        row["tablename"] for row in await pool.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    ]
    return {
        name
        for name in names
        if await pool.fetchval(f'SELECT EXISTS (SELECT FROM "{name}" AS row WHERE strpos(row::text, $1) > 0)', text)
    }


async def files_with(objects: ObjectStore, text: str) -> set[str]:
    """Returns the keys of the stored files in which a text stands."""
    return {key for key in await objects.keys("") if text in key or text.encode() in await objects.get(key)}


async def streams_with(bus: Bus, text: str) -> set[str]:
    """Returns the streams that keep a message with a text."""
    found = set()
    for name in STREAMS:
        state = (await bus.jetstream.stream_info(name)).state
        for number in range(max(1, state.first_seq), state.last_seq + 1):
            try:
                message = await bus.jetstream.get_msg(name, number)
            except nats.js.errors.NotFoundError:
                continue
            if text.encode() in (message.data or b"") or text in str(message.headers):
                found.add(name)
    return found


async def points_with(vectors: VectorIndex, text: str) -> set[str]:
    """Returns the collections that keep a point in whose payload a text stands."""
    return {
        name for name in await vectors.collections() async for point in vectors.scroll(name, {}) if text in str(point)
    }


async def store_document(parts: Dependencies, connector_id: int, text: str) -> int:
    """Returns a document with a text in its row, its passages and its files; its id."""
    (row,) = await parts.database.pool.fetch(
        "INSERT INTO documents (connector_id, source_id, title, signature, chunking_session, status, chunk_count)"
        " VALUES ($1, $2::text, $2::text, $2::text, uuidv7(), 'completed', 1) RETURNING id, chunking_session",
        connector_id,
        text,
    )
    payload = {
        "scope": "org",
        "connector_id": connector_id,
        "document_id": row["id"],
        "chunking_session": str(row["chunking_session"]),
        "position": 0,
        "text": text,
        "heading": [],
        "page": None,
        "start": 0,
        "end": len(text),
    }
    words = SparseVector(np.array([7], np.uint32), np.array([1], np.float32))
    await parts.vectors.upsert(COLLECTION, [Point(str(uuid4()), np.ones(384, np.float32), words, payload)])
    await parts.objects.put(original_key(row["id"], text), text.encode())
    await parts.objects.put(text_key(row["id"], row["chunking_session"]), text.encode())
    await parts.objects.put(original_key(row["id"], "of-an-earlier-version"), text.encode())
    found: int = row["id"]
    return found
