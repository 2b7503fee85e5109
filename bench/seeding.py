"""Fills an EchoMind with passages without embedding each: rows and vectors as ingestion would leave them.

The passages are made of real prose: the first half of one paragraph and the second half of another, with the sum of
their vectors. So words are distributed as in text, and as many passages as are wanted differ from each other.
"""

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4, uuid5

import asyncpg
import numpy as np
from numpy.typing import NDArray

from bench.children import run_tool
from bench.product import Product
from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.indexes import active_index
from echomind_lib.objects import ObjectStore, original_key, text_key
from echomind_lib.retrieval import encode_document
from echomind_lib.vectors import Point, VectorIndex

_BASE_PASSAGES = 600
_WORDS = 150
_PASSAGES_A_DOCUMENT = 20
_BATCH_DOCUMENTS = 32
_SEED = 11

_SIGNATURE = "0" * 64
_FILE_BYTES = 2_000
_INSERT = """
INSERT INTO documents (connector_id, source_id, title, content_type, language, signature, chunking_session, status,
    chunk_count)
SELECT $1, 'seeded/' || place, 'Seeded document ' || place, 'text/plain', 'en', $5, session, 'completed', $4
FROM unnest($2::bigint[], $3::uuid[]) AS new (place, session) RETURNING id, chunking_session
"""


def base_passages(work: Path, count: int = _BASE_PASSAGES) -> list[str]:
    """Passages of prose, of about 200 tokens each."""
    folder = work / "prose"
    documents = -(-count * _WORDS // 1500) + 1
    run_tool("corpus.py", "--out", str(folder), "--documents", str(documents), timeout=300)
    words = " ".join(file.read_text(encoding="utf-8") for file in sorted(folder.iterdir())).split()
    return [" ".join(words[start : start + _WORDS]) for start in range(0, count * _WORDS, _WORDS)]


def seed(
    product: Product,
    work: Path,
    passages: int,
    *,
    passages_a_document: int = _PASSAGES_A_DOCUMENT,
    with_files: bool = False,
) -> int:
    """Adds passages to a connector of the owner's.

    Args:
        product: Where to.
        work: Folder for what is made on the way.
        passages: How many, rounded up to whole documents.
        passages_a_document: How many of them a document has.
        with_files: Whether a document has its two files, of 2 kB each.

    Returns:
        The connector.
    """
    connector = product.call(
        "POST",
        "/connectors",
        {"name": f"Benchmark {uuid4().hex[:8]}", "type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_ORG"},
    )
    documents = -(-passages // passages_a_document)
    asyncio.run(_seed(product, base_passages(work), documents, connector["id"], passages_a_document, with_files))
    return int(connector["id"])


async def _seed(
    product: Product, texts: list[str], documents: int, connector_id: int, passages: int, with_files: bool
) -> None:
    settings = product.settings()
    embeddings = EmbeddingClient(settings.embedding.url, settings.embedding.key)
    vectors = VectorIndex(
        settings.qdrant.url, settings.qdrant.api_key.get_secret_value() if settings.qdrant.api_key else None
    )
    objects = ObjectStore(settings.s3)
    database = await asyncpg.connect(settings.postgres.url.get_secret_value())
    try:
        index = await active_index(database)
        if index is None:
            raise RuntimeError("no embedding model is active")
        await vectors.ensure(index.collection, index.dimension)
        maker = _passages(texts, await embeddings.embed_passages(texts))
        for begin in range(0, documents, _BATCH_DOCUMENTS):
            places = list(range(begin, min(documents, begin + _BATCH_DOCUMENTS)))
            signature = _SIGNATURE if with_files else ""
            rows = await database.fetch(_INSERT, connector_id, places, [uuid4() for _ in places], passages, signature)
            if with_files:
                await asyncio.gather(*(_store_files(objects, row) for row in rows))
            points = [_point(row, position, *next(maker), connector_id) for row in rows for position in range(passages)]
            await vectors.upsert(index.collection, points)
    finally:
        await objects.close()
        await database.close()
        await vectors.close()
        await embeddings.close()


async def _store_files(objects: ObjectStore, document: asyncpg.Record) -> None:
    content = b"x" * _FILE_BYTES
    await objects.put(original_key(document["id"], _SIGNATURE), content)
    await objects.put(text_key(document["id"], document["chunking_session"]), content)


def _passages(texts: list[str], vectors: NDArray[np.float32]) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """Texts and their vectors, without end."""
    chance = random.Random(_SEED)
    while True:
        first, second = chance.sample(range(len(texts)), 2)
        middle = len(texts[first]) // 2
        vector = vectors[first] + vectors[second]
        yield f"{texts[first][:middle]} {texts[second][middle:]}", vector / np.linalg.norm(vector)


def _point(document: asyncpg.Record, position: int, text: str, vector: NDArray[np.float32], connector_id: int) -> Point:
    session = document["chunking_session"]
    payload: dict[str, Any] = {
        "scope": "org",
        "connector_id": connector_id,
        "document_id": document["id"],
        "chunking_session": str(session),
        "position": position,
        "text": text,
        "heading": [],
        "page": None,
        "start": position * 1000,
        "end": position * 1000 + len(text),
        "language": "en",
    }
    return Point(str(uuid5(session, str(position))), vector, encode_document(text, "en"), payload)
