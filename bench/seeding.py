"""Fills an EchoMind with passages without embedding each: rows and vectors as ingestion would leave them.

The passages are made of real prose: the first half of one paragraph and the second half of another, with the sum of
their vectors. So words are distributed as in text, and as many passages as are wanted differ from each other.
"""

import asyncio
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4, uuid5

import asyncpg
import numpy as np
from numpy.typing import NDArray

from bench.children import run_tool
from bench.product import Product
from echomind_lib.access.documents import principal_scope
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
_OWNERS_KEY = "user:bench:owner"


@dataclass(frozen=True, slots=True)
class SourceReaders:
    """Who may read what is seeded, where the source decides: groups, of some of which the owner is a member.

    Attributes:
        groups: How many there are.
        of_document: How many of them may read a document.
        of_owner: How many of them the owner is in.
    """

    groups: int = 2000
    of_document: int = 50
    of_owner: int = 100


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
    readers: SourceReaders | None = None,
) -> int:
    """Adds passages to a connector of the owner's.

    Args:
        product: Where to.
        work: Folder for what is made on the way.
        passages: How many, rounded up to whole documents.
        passages_a_document: How many of them a document has.
        with_files: Whether a document has its two files, of 2 kB each.
        readers: Who may read them at their source; None where the connector's scope decides.

    Returns:
        The connector.
    """
    connector = product.call(
        "POST",
        "/connectors",
        {"name": f"Benchmark {uuid4().hex[:8]}", "type": "CONNECTOR_TYPE_FILE", "scope": "SCOPE_ORG"},
    )
    documents = -(-passages // passages_a_document)
    texts, connector_id = base_passages(work), int(connector["id"])
    asyncio.run(_seed(product, texts, documents, connector_id, passages_a_document, with_files, readers))
    return connector_id


async def owners_scopes(product: Product) -> list[str]:
    """Returns the scopes of the groups that the owner is in, as chunks carry them."""
    database = await asyncpg.connect(product.settings().postgres.url.get_secret_value())
    try:
        found = await database.fetch(
            "SELECT group_id FROM source_members JOIN source_principals ON id = member_id WHERE key = $1", _OWNERS_KEY
        )
    finally:
        await database.close()
    return [principal_scope(row["group_id"]) for row in found]


async def _begin_source(database: asyncpg.Connection, connector_id: int, readers: SourceReaders) -> list[int]:
    """Lets the source of a connector decide; returns its groups."""
    await database.execute("UPDATE connectors SET permission_mode = 'source' WHERE id = $1", connector_id)
    insert = (
        "INSERT INTO source_principals (connector_id, key, members_read_at) SELECT $1, key, now() "
        "FROM unnest($2::text[]) AS new (key) RETURNING id"
    )
    keys = [f"group:bench:{number}" for number in range(readers.groups)]
    groups = [row["id"] for row in await database.fetch(insert, connector_id, keys)]
    person = await database.fetchval(insert, connector_id, [_OWNERS_KEY])
    await database.execute(
        "INSERT INTO source_aliases (key, user_id) SELECT $1, min(id) FROM users ON CONFLICT DO NOTHING", _OWNERS_KEY
    )
    mine = random.Random(_SEED).sample(groups, readers.of_owner)
    await database.copy_records_to_table("source_members", records=[(group, person) for group in mine])
    return groups


async def _seed(
    product: Product,
    texts: list[str],
    documents: int,
    connector_id: int,
    passages: int,
    with_files: bool,
    readers: SourceReaders | None,
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
        groups = await _begin_source(database, connector_id, readers) if readers else []
        chance = random.Random(_SEED)
        for begin in range(0, documents, _BATCH_DOCUMENTS):
            places = list(range(begin, min(documents, begin + _BATCH_DOCUMENTS)))
            signature = _SIGNATURE if with_files else ""
            rows = await database.fetch(_INSERT, connector_id, places, [uuid4() for _ in places], passages, signature)
            if with_files:
                await asyncio.gather(*(_store_files(objects, row) for row in rows))
            scopes: dict[int, str | list[str]] = dict.fromkeys((row["id"] for row in rows), "org")
            if readers:
                granted = {row["id"]: chance.sample(groups, readers.of_document) for row in rows}
                acl = [(document_id, each) for document_id, names in granted.items() for each in names]
                await database.copy_records_to_table("document_acl", records=acl)
                scopes = {document_id: [*map(principal_scope, names)] for document_id, names in granted.items()}
            points = [
                _point(row, position, *next(maker), connector_id, scopes[row["id"]])
                for row in rows
                for position in range(passages)
            ]
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


def _point(
    document: asyncpg.Record,
    position: int,
    text: str,
    vector: NDArray[np.float32],
    connector_id: int,
    scope: str | Sequence[str],
) -> Point:
    session = document["chunking_session"]
    payload: dict[str, Any] = {
        "scope": scope,
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
