"""Stale points do not displace valid ones, regardless of their number."""

import itertools
import random
from collections import defaultdict
from collections.abc import Sequence
from uuid import UUID, uuid4

import asyncpg
import numpy as np
import pytest

from echomind_lib.retrieval import Mode, encode_document
from echomind_lib.vectors import Point, SparseVector
from tests.drivers.stack import Stack

DIMENSION = 384
POINTS = 700
QUESTION = "When does the garage open?"
TEXT = "The garage opens at six."
SCARCE = SparseVector(np.array([4_000_000_000], np.uint32), np.array([1], np.float32))


class Filler:
    """Fills an index with points around a question, without embedding a text for each."""

    def __init__(self, stack: Stack, seed: int) -> None:
        self.stack = stack
        self.dice = random.Random(seed)
        self.vectors = np.random.default_rng(seed)
        self.points: list[Point] = []
        self.question = np.zeros(DIMENSION, np.float32)
        self._rows: defaultdict[int, list[asyncpg.Record]] = defaultdict(list)
        """Documents of a connector that have no points yet."""

    def add(self, connector_id: int, document_id: int, session: UUID, *, near: bool, count: int = 1) -> None:
        """Points of a document, nearer to the question than all others or anywhere."""
        for position in range(count):
            noise = self.vectors.normal(size=DIMENSION).astype(np.float32)
            vector = self.question * (40 if near else self.dice.uniform(0, 30)) + noise
            payload = {
                "scope": "org",
                "connector_id": connector_id,
                "document_id": document_id,
                "chunking_session": str(session),
                "position": position,
                "text": f"{TEXT} {len(self.points)}",
                "heading": [],
                "page": None,
                "start": 0,
                "end": len(TEXT),
                "language": "en",
            }
            words = encode_document(TEXT, "en") if near or self.dice.random() < 0.7 else SCARCE
            self.points.append(Point(str(uuid4()), vector / np.linalg.norm(vector), words, payload))

    async def document(self, connector_id: int) -> tuple[int, UUID]:
        """Returns a completed document's row."""
        if not self._rows[connector_id]:
            self._rows[connector_id] = await self.stack.pool.fetch(
                "INSERT INTO documents (connector_id, source_id, title, status, chunking_session, chunk_count) "
                "SELECT $1, uuidv7()::text, 'T', 'completed', uuidv7(), 1 FROM generate_series(1, 100) "
                "RETURNING id, chunking_session",
                connector_id,
            )
        row = self._rows[connector_id].pop()
        return row["id"], row["chunking_session"]

    async def stale(self, kind: str, connector_id: int, removed_connector: int) -> None:
        """A point that no longer counts, for one of the reasons that there are, and that fits the question best."""
        match kind:
            case "removed connector":
                document_id, session = await self.document(removed_connector)
                self.add(removed_connector, document_id, session, near=True)
            case "removed document":
                document_id, session = await self.document(connector_id)
                await self.stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", document_id)
                self.add(connector_id, document_id, session, near=True)
            case "replaced version":
                document_id, _ = await self.document(connector_id)
                self.add(connector_id, document_id, uuid4(), near=True)
            case "no row":
                self.add(connector_id, 10**9 + len(self.points), uuid4(), near=True)


KINDS = ("removed connector", "removed document", "replaced version", "no row")


async def fill(stack: Stack, seed: int, share: float, kinds: Sequence[str]) -> Filler:
    """Points of which a share is stale and fits the question best; the others are anywhere."""
    filler = Filler(stack, seed)
    filler.question = await stack.embeddings.embed_query(QUESTION)
    connector, removed = await stack.rows.connector("org"), await stack.rows.connector("org")
    await stack.pool.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", removed)
    stale = round(POINTS * share)
    for _ in range(stale):
        await filler.stale(filler.dice.choice(kinds), connector, removed)
    while len(filler.points) < POINTS:
        document_id, session = await filler.document(connector)
        filler.add(connector, document_id, session, near=False, count=min(5, POINTS - len(filler.points)))
    points = filler.points
    filler.points = points[stale:]
    filler.dice.shuffle(points)
    await stack.vectors.upsert(stack.collection, points)
    return filler


@pytest.mark.parametrize(
    ("share", "kinds"),
    [(0.0, KINDS), *itertools.product([0.3, 0.9, 0.99, 1.0], [KINDS, *((kind,) for kind in KINDS)])],
    ids=str,
)
async def test_a_search_finds_its_limit_behind_any_share_of_stale_points(
    stack: Stack, share: float, kinds: Sequence[str]
) -> None:
    filler = await fill(stack, round(share * 100) + len(kinds), share, kinds)
    living = {point.id: float(point.dense @ filler.question) for point in filler.points}
    worded = {point.id for point in filler.points if point.sparse is not SCARCE}
    modes: dict[Mode, int] = {"dense": len(living), "lexical": len(worded), "hybrid": len(living)}
    for mode, there in modes.items():
        for limit in (1, 10, 50):
            hits = await stack.retriever.search(stack.reader(), QUESTION, limit=limit, mode=mode)
            found = [hit.chunk_id for hit in hits]
            assert len(found) == min(limit, there), (mode, limit)
            assert set(found) <= living.keys()
            if mode == "dense":
                assert found == sorted(living, key=living.__getitem__, reverse=True)[:limit]


async def test_what_was_removed_is_no_candidate_at_once(stack: Stack) -> None:
    """The hits and their order are those of an index in which it has never been."""
    filler = await fill(stack, 1, 0.0, KINDS)
    removed = await stack.rows.connector("org")
    before = await stack.retriever.search(stack.reader(), QUESTION)
    stale = Filler(stack, 2)
    stale.question = filler.question
    for number in range(600):
        document_id, session = await stale.document(removed if number % 2 else filler.points[0].payload["connector_id"])
        stale.add(removed, document_id, session, near=True)
        if number % 2 == 0:
            await stack.pool.execute("UPDATE documents SET deleted_date = now() WHERE id = $1", document_id)
    await stack.vectors.upsert(stack.collection, stale.points)
    await stack.pool.execute("UPDATE connectors SET deleted_date = now() WHERE id = $1", removed)
    await stack.retriever.search(stack.reader(), QUESTION)
    assert await stack.retriever.search(stack.reader(), QUESTION) == before
