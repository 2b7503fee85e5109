"""A collection in the embedded Qdrant server and in the in-memory Qdrant of its official client."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

import pytest_asyncio

from tests.drivers.lazily import Lazily

if TYPE_CHECKING:
    import qdrant_client as qdrant
    from qdrant_client import models
else:
    qdrant, models = Lazily("qdrant_client"), Lazily("qdrant_client.models")

COLLECTION = "chunks_1"
DIMENSIONS = 8
POINTS = 300
Pair: TypeAlias = "tuple[qdrant.AsyncQdrantClient, qdrant.AsyncQdrantClient]"
"""The embedded server's client, and the in-memory one."""


def point_id(number: int) -> int | str:
    return number if number % 2 else str(UUID(int=number))


def points() -> list[models.PointStruct]:
    """Points with every kind of payload that chunks have, and more."""
    source = random.Random(7)
    made = []
    for number in range(POINTS):
        payload: dict[str, Any] = {
            "scope": source.choice(["org", "user_1", "user_2", "group_red"]),
            "document_id": number // 10,
            "text": source.choice(["red apples grow", "green pears fall", "red pears ripen"]),
            "heading": ["Fruit", source.choice(["Apples", "Pears"])],
            "weight": number / 7,
            "fresh": number % 3 == 0,
            "page": number if number % 4 else None,
            "when": f"2026-01-{number % 28 + 1:02d}T00:00:00Z",
            "parts": [{"name": "skin", "grams": number % 5}, {"name": "core", "grams": 9}],
        }
        if number % 5 == 0:
            payload["language"] = "de"
        sparse = sorted(source.sample(range(40), 6))
        made.append(
            models.PointStruct(
                id=point_id(number),
                vector={
                    "dense": [source.uniform(-1, 1) for _ in range(DIMENSIONS)],
                    "bm25": models.SparseVector(indices=sparse, values=[source.uniform(0.1, 3) for _ in sparse]),
                },
                payload=payload,
            )
        )
    return made


async def create(client: qdrant.AsyncQdrantClient) -> None:
    """The collection, as a service creates one."""
    await client.create_collection(
        COLLECTION,
        vectors_config={"dense": models.VectorParams(size=DIMENSIONS, distance=models.Distance.COSINE)},
        sparse_vectors_config={"bm25": models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )


@pytest_asyncio.fixture(loop_scope="session")
async def pair(qdrant_client: qdrant.AsyncQdrantClient) -> AsyncIterator[Pair]:
    """The same points in the embedded server and in memory."""
    memory = qdrant.AsyncQdrantClient(":memory:")
    for client in (qdrant_client, memory):
        await create(client)
        await client.upsert(COLLECTION, points())
    await qdrant_client.create_payload_index(
        COLLECTION, "scope", models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)
    )
    yield qdrant_client, memory
    await memory.close()


def field(key: str, **condition: Any) -> models.FieldCondition:
    return models.FieldCondition(key=key, **condition)


def scope() -> models.FieldCondition:
    """What one person may see."""
    return field("scope", match=models.MatchAny(any=["org", "user_1"]))
