"""The vector index: quantized search, filters, and creation of collections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np
import pytest
import pytest_asyncio
from numpy.typing import NDArray

from echomind.local.embedded.process import free_port
from echomind.local.embedded.qdrant import QdrantServer
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.vectors import Filter, Found, Point, SparseVector, VectorIndex
from echomind_lib.vectors.index import FUSION_DEPTH
from tests.drivers.lazily import Lazily
from tests.drivers.servers import running
from tests.drivers.vector_requests import sent_requests

if TYPE_CHECKING:
    import qdrant_client as qdrant
    from qdrant_client import models
else:
    qdrant, models = Lazily("qdrant_client"), Lazily("qdrant_client.models")

COLLECTION = "chunks_7"
DIMENSION = 64
POINTS = 3000
SCOPES = ("org", "user_1", "user_2", "group_red")
MINE = ("user_1", "org")


@dataclass(frozen=True)
class Filled:
    """An index with its points as arrays."""

    index: VectorIndex
    dense: NDArray[np.float32]
    payloads: Sequence[dict[str, str | int]]

    def among(self, **wanted: Sequence[str | int]) -> list[int]:
        """Numbers of the points whose fields have one of these values each."""
        return [
            number
            for number, payload in enumerate(self.payloads)
            if all(payload[field] in values for field, values in wanted.items())
        ]


def unit(count: int, seed: int) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).normal(size=(count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def points(dense: NDArray[np.float32], payloads: Sequence[dict[str, str | int]]) -> list[Point]:
    return [
        Point(
            str(UUID(int=number)),
            vector,
            SparseVector(np.array([number % 40, 100 + number % 7], np.uint32), np.array([1.5, 0.5], np.float32)),
            payload,
        )
        for number, (vector, payload) in enumerate(zip(dense, payloads, strict=True))
    ]


@pytest_asyncio.fixture(loop_scope="session")
async def index(qdrant_url: str, qdrant_api_key: str) -> AsyncIterator[VectorIndex]:
    index = VectorIndex(qdrant_url, qdrant_api_key)
    yield index
    await index.close()


@pytest_asyncio.fixture(loop_scope="session")
async def filled(index: VectorIndex) -> Filled:
    payloads: list[dict[str, str | int]] = [
        {"scope": SCOPES[number % 4], "connector_id": number % 5, "document_id": number // 10}
        for number in range(POINTS)
    ]
    found = Filled(index, unit(POINTS, 1), payloads)
    await index.ensure(COLLECTION, DIMENSION)
    await index.upsert(COLLECTION, points(found.dense, payloads))
    return found


async def test_the_nearest_are_those_of_an_exact_search_in_the_readers_scopes(filled: Filled) -> None:
    mine = filled.among(scope=MINE)
    for question in unit(30, 2):
        cosines = filled.dense[mine] @ question
        nearest = [mine[index] for index in np.argsort(-cosines)[:10]]
        found = await filled.index.query(COLLECTION, {"scope": MINE}, dense=question, limit=10)
        assert [UUID(each.id).int for each in found] == nearest
        assert [each.score for each in found] == pytest.approx(sorted(cosines, reverse=True)[:10], abs=1e-5)


async def test_new_points_are_quantized_at_once(filled: Filled, qdrant_client: qdrant.AsyncQdrantClient) -> None:
    """Otherwise the exact results above would say nothing of the ranking by whole vectors."""
    params = models.SearchParams(quantization=models.QuantizationSearchParams(rescore=False))
    rough = await qdrant_client.query_points(
        COLLECTION, query=filled.dense[5].tolist(), using="dense", limit=1, search_params=params
    )
    assert rough.points[0].score == pytest.approx(1, abs=0.1)
    assert rough.points[0].score != pytest.approx(1, abs=1e-4)


async def test_the_fused_are_those_of_an_exact_search(filled: Filled, qdrant_client: qdrant.AsyncQdrantClient) -> None:
    """Against the same fusion of two exact halves."""
    words = SparseVector(np.array([3, 104], np.uint32), np.array([1, 1], np.float32))
    mine = models.Filter(must=[models.FieldCondition(key="scope", match=models.MatchAny(any=list(MINE)))])
    same = 0
    for question in unit(20, 3):
        found = await filled.index.query(COLLECTION, {"scope": MINE}, dense=question, sparse=words, limit=10)
        halves = [
            models.Prefetch(
                query=question.tolist(),
                using="dense",
                filter=mine,
                limit=FUSION_DEPTH,
                params=models.SearchParams(exact=True),
            ),
            models.Prefetch(
                query=models.SparseVector(indices=words.indices.tolist(), values=words.values.tolist()),
                using="bm25",
                filter=mine,
                limit=FUSION_DEPTH,
                params=models.SearchParams(idf=models.IdfCorpusParams(corpus=mine)),
            ),
        ]
        exact = await qdrant_client.query_points(
            COLLECTION, prefetch=halves, query=models.FusionQuery(fusion=models.Fusion.DBSF), limit=10
        )
        assert {filled.payloads[UUID(each.id).int]["scope"] for each in found} <= set(MINE)
        same += len({each.id for each in found} & {str(each.id) for each in exact.points})
    # Random vectors are the hardest for four bits: of passages, 99.9 % are the same.
    assert same >= 0.93 * 200


async def test_a_filter_narrows_by_every_field(filled: Filled) -> None:
    filters: tuple[Filter, ...] = (
        {"scope": ("org",)},
        {"scope": "user_2"},
        {"scope": MINE, "connector_id": (1, 2)},
        {"scope": MINE, "connector_id": (1,), "document_id": tuple(range(50))},
        {"document_id": 7},
        {"document_id": ()},
        {"scope": ()},
        {"scope": MINE, "connector_id": ()},
        {"scope": ("nobody",)},
    )
    for where in filters:
        wanted = {key: [value] if isinstance(value, str | int) else value for key, value in where.items()}
        expected = {str(UUID(int=number)) for number in filled.among(**wanted)}
        assert await filled.index.count(COLLECTION, where) == len(expected), where
        found = await filled.index.query(COLLECTION, where, dense=filled.dense[0], limit=POINTS)
        assert {each.id for each in found} == expected, where


async def test_two_lists_of_words_narrow_both(index: VectorIndex) -> None:
    await index.ensure(COLLECTION, DIMENSION)
    payloads: list[dict[str, str | int]] = [
        {"scope": scope, "chunking_session": session} for scope in SCOPES for session in ("a", "b", "c")
    ]
    await index.upsert(COLLECTION, points(unit(len(payloads), 4), payloads))
    assert await index.count(COLLECTION, {"scope": MINE, "chunking_session": ("a", "b")}) == 4
    await index.delete(COLLECTION, {"scope": MINE}, unless={"chunking_session": ("a", "b"), "scope": "org"})
    assert await index.count(COLLECTION, {"scope": SCOPES}) == 8
    assert await index.count(COLLECTION, {"scope": "org"}) == 2


async def test_an_older_collection_is_quantized_and_keeps_its_points(
    index: VectorIndex, qdrant_client: qdrant.AsyncQdrantClient
) -> None:
    await qdrant_client.create_collection(
        COLLECTION,
        vectors_config={"dense": models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)},
        sparse_vectors_config={"bm25": models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )
    dense = unit(500, 5)
    await index.upsert(COLLECTION, points(dense[:400], [{"scope": "org"}] * 400))
    for _ in range(2):
        await index.ensure(COLLECTION, DIMENSION)
        described = await qdrant_client.get_collection(COLLECTION)
        assert described.config.quantization_config == models.TurboQuantization(
            turbo=models.TurboQuantQuantizationConfig(bits=models.TurboQuantBitSize.BITS4, always_ram=True)
        )
        assert described.points_count == 400
    await index.upsert(COLLECTION, points(dense, [{"scope": "org"}] * 500))
    for number in (0, 399, 499):
        (found,) = await index.query(COLLECTION, {"scope": ["org"]}, dense=dense[number], limit=1)
        assert found.id == str(UUID(int=number))
        assert found.score == pytest.approx(1, abs=1e-5)


async def test_a_chosen_quantization_is_left_alone(index: VectorIndex, qdrant_client: qdrant.AsyncQdrantClient) -> None:
    chosen = models.TurboQuantization(turbo=models.TurboQuantQuantizationConfig(bits=models.TurboQuantBitSize.BITS8))
    await qdrant_client.create_collection(
        COLLECTION,
        vectors_config={"dense": models.VectorParams(size=DIMENSION, distance=models.Distance.COSINE)},
        sparse_vectors_config={"bm25": models.SparseVectorParams(modifier=models.Modifier.IDF)},
        quantization_config=chosen,
    )
    await index.ensure(COLLECTION, DIMENSION)
    assert (await qdrant_client.get_collection(COLLECTION)).config.quantization_config == chosen


async def test_queries_that_begin_together_are_one_request(filled: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    index, questions = filled.index, unit(3, 9)
    wheres: list[Filter] = [{"scope": MINE}, {"scope": "org"}, {"scope": MINE, "connector_id": [3]}]
    alone = [
        await index.query(COLLECTION, where, dense=question, limit=5)
        for where, question in zip(wheres, questions, strict=True)
    ]
    sent = sent_requests(index, monkeypatch)
    monkeypatch.setattr("echomind_lib.vectors.index._JOINT_QUERIES", 2)
    other = index.query(COLLECTION, {"scope": MINE}, dense=questions[0], limit=300)
    *together, many = await asyncio.gather(
        *(
            index.query(COLLECTION, where, dense=question, limit=5)
            for where, question in zip(wheres, questions, strict=True)
        ),
        other,
    )
    assert [[(each.id, each.score) for each in found] for found in together] == [
        [(each.id, each.score) for each in found] for found in alone
    ]
    assert len(many) == 300
    assert sorted(sent) == ["QueryBatchPoints", "QueryBatchPoints", "QueryPoints"]


async def test_queries_of_several_collections_that_begin_together(filled: Filled, index: VectorIndex) -> None:
    await index.ensure("chunks_8", DIMENSION)
    question = filled.dense[5]
    first, none = await asyncio.gather(
        index.query(COLLECTION, {}, dense=question, limit=1), index.query("chunks_8", {}, dense=question, limit=1)
    )
    assert [UUID(each.id).int for each in first] == [5]
    assert none == []
    await index.drop("chunks_8")


async def test_a_collection_that_is_missing_does_not_fail_queries_of_another(filled: Filled) -> None:
    question = filled.dense[5]
    failed, found = await asyncio.gather(
        filled.index.query("missing", {}, dense=question, limit=1),
        filled.index.query(COLLECTION, {}, dense=question, limit=1),
        return_exceptions=True,
    )
    assert isinstance(failed, DependencyUnavailableError)
    assert not isinstance(found, BaseException)
    assert [UUID(each.id).int for each in found] == [5]


async def test_searches_survive_a_kill_and_restart_of_the_server(tmp_path: Path) -> None:
    server = QdrantServer(tmp_path / "vectors", free_port(), "key")
    index = VectorIndex(server.url, "key")
    dense = unit(200, 6)
    searched: list[list[Found]] = []

    async def search_on(stopped: asyncio.Event) -> None:
        while not stopped.is_set():
            searched.append(await index.query(COLLECTION, {"scope": "org"}, dense=dense[7], limit=3))

    try:
        with running(server, tmp_path) as process:
            await index.ensure(COLLECTION, DIMENSION)
            await index.upsert(COLLECTION, points(dense, [{"scope": "org"}] * 200))
            stopped = asyncio.Event()
            searching = [asyncio.create_task(search_on(stopped)) for _ in range(4)]
            while len(searched) < 20:  # noqa: ASYNC110 - a list tells nobody that it has grown
                await asyncio.sleep(0.01)
            process.kill()
            await asyncio.to_thread(process.wait)
            before = len(searched)
            with ExitStack() as restarted:
                await asyncio.to_thread(restarted.enter_context, running(server, tmp_path))
                while len(searched) < before + 20:  # noqa: ASYNC110 - as above
                    await asyncio.sleep(0.01)
                stopped.set()
                await asyncio.gather(*searching)
    finally:
        await index.close()
    assert all(found == searched[0] for found in searched)
