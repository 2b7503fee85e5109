"""Filters and queries of the Qdrant-compatible server, held against the official client's own in-memory Qdrant."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.drivers.lazily import Lazily
from tests.drivers.qdrant_pair import COLLECTION, POINTS, Pair, create, field, point_id, points, scope

if TYPE_CHECKING:
    import qdrant_client as qdrant
    from qdrant_client import models
else:
    qdrant, models = Lazily("qdrant_client"), Lazily("qdrant_client.models")


@cache
def filters_by_name() -> dict[str, models.Filter]:
    return {
        "all": models.Filter(),
        "keyword": models.Filter(must=[field("scope", match=models.MatchValue(value="org"))]),
        "integer": models.Filter(must=[field("document_id", match=models.MatchValue(value=3))]),
        "bool": models.Filter(must=[field("fresh", match=models.MatchValue(value=True))]),
        "any of keywords": models.Filter(must=[scope()]),
        "any of integers": models.Filter(must=[field("document_id", match=models.MatchAny(any=[1, 2, 99]))]),
        "any of nothing": models.Filter(must=[field("scope", match=models.MatchAny(any=[]))]),
        "except keywords": models.Filter(must=[field("scope", match=models.MatchExcept(**{"except": ["org"]}))]),
        "except integers": models.Filter(must=[field("document_id", match=models.MatchExcept(**{"except": [1, 2]}))]),
        "in a list": models.Filter(must=[field("heading", match=models.MatchValue(value="Pears"))]),
        "range": models.Filter(must=[field("weight", range=models.Range(gte=3, lt=20))]),
        "open range": models.Filter(must=[field("weight", range=models.Range(gt=40))]),
        "dates": models.Filter(
            must=[
                field(
                    "when",
                    range=models.DatetimeRange(
                        gt=datetime(2026, 1, 5, tzinfo=UTC), lte=datetime(2026, 1, 9, tzinfo=UTC)
                    ),
                )
            ]
        ),
        "count of values": models.Filter(must=[field("heading", values_count=models.ValuesCount(gte=2))]),
        "should": models.Filter(should=[field("fresh", match=models.MatchValue(value=True)), scope()]),
        "must not": models.Filter(must_not=[scope()]),
        "min should": models.Filter(
            min_should=models.MinShould(
                conditions=[
                    scope(),
                    field("fresh", match=models.MatchValue(value=True)),
                    field("weight", range=models.Range(lt=15)),
                ],
                min_count=2,
            )
        ),
        "empty": models.Filter(must=[models.IsEmptyCondition(is_empty=models.PayloadField(key="language"))]),
        "null": models.Filter(must=[models.IsNullCondition(is_null=models.PayloadField(key="page"))]),
        "ids": models.Filter(must=[models.HasIdCondition(has_id=[point_id(1), point_id(2), point_id(9999)])]),
        "has vector": models.Filter(must=[models.HasVectorCondition(has_vector="bm25")]),
        "nested": models.Filter(
            must=[
                models.NestedCondition(
                    nested=models.Nested(
                        key="parts",
                        filter=models.Filter(
                            must=[
                                field("name", match=models.MatchValue(value="skin")),
                                field("grams", range=models.Range(gt=3)),
                            ]
                        ),
                    )
                )
            ]
        ),
        "filter in a filter": models.Filter(
            must=[scope(), models.Filter(should=[field("document_id", match=models.MatchAny(any=[1, 2, 3]))])],
            must_not=[field("fresh", match=models.MatchValue(value=True))],
        ),
    }


async def test_filters(pair: Pair) -> None:
    for name, filter_ in filters_by_name().items():
        ours, theirs = [
            {record.id for record in (await client.scroll(COLLECTION, filter_, limit=POINTS))[0]} for client in pair
        ]
        assert ours == theirs, name
        assert name == "any of nothing" or ours, f"{name} finds nothing here, so it tests nothing"
        assert (await pair[0].count(COLLECTION, filter_)).count == len(ours), name


def conditions() -> list[Any]:
    return [condition for each in filters_by_name().values() for condition in (each.must or []) + (each.should or [])]  # type: ignore[operator]


def filters(conditions: st.SearchStrategy[Any]) -> st.SearchStrategy[models.Filter]:
    some = st.none() | st.lists(conditions, min_size=1, max_size=3)
    return st.builds(models.Filter, must=some, should=some, must_not=some)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(filter_=st.deferred(lambda: filters(st.recursive(st.sampled_from(conditions()), filters, max_leaves=8))))
async def test_combined_filters(pair: Pair, filter_: models.Filter) -> None:
    counts = [(await client.count(COLLECTION, filter_)).count for client in pair]
    assert counts[0] == counts[1]


@cache
def prefetches() -> tuple[models.Prefetch, models.Prefetch]:
    """Returns a dense and a sparse query."""
    dense = models.Prefetch(query=[0.3, -0.1, 0.5, 0.2, 0.9, -0.4, 0.1, 0.7], using="dense", limit=40)
    words = models.SparseVector(indices=[3, 7, 20, 33], values=[1.0, 2.0, 1.0, 0.5])
    return dense, models.Prefetch(query=words, using="bm25", limit=40)


def queries_by_name() -> dict[str, dict[str, Any]]:
    dense, sparse = prefetches()
    return {
        "dense": {"query": dense.query, "using": "dense"},
        "dense, filtered": {"query": dense.query, "using": "dense", "query_filter": models.Filter(must=[scope()])},
        "dense, threshold": {"query": dense.query, "using": "dense", "score_threshold": 0.5, "limit": 100},
        "dense, second page": {"query": dense.query, "using": "dense", "offset": 10},
        "sparse": {"query": sparse.query, "using": "bm25"},
        "sparse, filtered": {"query": sparse.query, "using": "bm25", "query_filter": models.Filter(must=[scope()])},
        "fused": {"query": models.RrfQuery(rrf=models.Rrf(k=60)), "prefetch": [dense, sparse]},
        "fused, Qdrant's k": {"query": models.FusionQuery(fusion=models.Fusion.RRF), "prefetch": [dense, sparse]},
        "fused by score": {"query": models.FusionQuery(fusion=models.Fusion.DBSF), "prefetch": [dense, sparse]},
        "in two stages": {"query": dense.query, "using": "dense", "prefetch": [sparse]},
        "by id": {"query": None},
    }


async def test_queries(pair: Pair) -> None:
    for name, query in queries_by_name().items():
        request = {"limit": 10, "with_payload": True} | query
        ours, theirs = [(await client.query_points(COLLECTION, **request)).points for client in pair]
        assert len(ours) == len(theirs) > 0, name
        assert [point.score for point in ours] == pytest.approx([point.score for point in theirs], rel=1e-4), name
        scores = [round(point.score, 4) for point in theirs]
        for mine, other, score in zip(ours, theirs, scores, strict=True):
            # Equal scores have no order; the last ones may be cut off among equals.
            if scores.count(score) == 1:
                assert (mine.id, mine.payload) == (other.id, other.payload), name


async def test_idf_of_a_corpus(qdrant_client: qdrant.AsyncQdrantClient) -> None:
    """Documents that a reader may not see change nothing about the ranking of those that they may."""
    await create(qdrant_client)
    corpus = models.Filter(must=[field("scope", match=models.MatchValue(value="mine"))])

    async def ranking() -> list[tuple[Any, float]]:
        found = await qdrant_client.query_points(
            COLLECTION,
            query=models.SparseVector(indices=[1, 2], values=[1.0, 1.0]),
            using="bm25",
            query_filter=corpus,
            search_params=models.SearchParams(idf=models.IdfCorpusParams(corpus=corpus)),
        )
        return [(point.id, point.score) for point in found.points]

    def rows(first: int, scope: str, terms: list[int], count: int) -> list[models.PointStruct]:
        vector: dict[str, Any] = {"bm25": models.SparseVector(indices=terms, values=[1.0] * len(terms))}
        return [models.PointStruct(id=first + each, vector=vector, payload={"scope": scope}) for each in range(count)]

    await qdrant_client.upsert(COLLECTION, rows(0, "mine", [1], 1) + rows(10, "mine", [2], 5))
    before = await ranking()
    await qdrant_client.upsert(COLLECTION, rows(100, "theirs", [1], 400))
    assert await ranking() == before
    assert before[0][0] == 0, "the rarer term counts more"


async def test_batch_of_queries(pair: Pair) -> None:
    ours, _ = pair
    dense, sparse = prefetches()
    requests = [
        models.QueryRequest(query=dense.query, using="dense", limit=3),
        models.QueryRequest(query=sparse.query, using="bm25", limit=5, filter=models.Filter(must=[scope()])),
    ]
    batch = await ours.query_batch_points(COLLECTION, requests)
    for request, answer in zip(requests, batch, strict=True):
        single = await ours.query_points(
            COLLECTION, query=request.query, using=request.using, limit=request.limit or 0, query_filter=request.filter
        )
        assert [point.id for point in answer.points] == [point.id for point in single.points]


async def test_what_comes_back(pair: Pair) -> None:
    ours, _ = pair
    stored = points()[7]
    (whole,) = await ours.retrieve(COLLECTION, [stored.id], with_payload=True, with_vectors=True)
    assert whole.id == stored.id
    assert whole.payload == stored.payload
    assert isinstance(whole.vector, dict)
    assert isinstance(stored.vector, dict)
    sparse, expected = whole.vector["bm25"], stored.vector["bm25"]
    assert isinstance(sparse, models.SparseVector)
    assert isinstance(expected, models.SparseVector)
    assert sparse.indices == expected.indices
    assert sparse.values == pytest.approx(expected.values)
    (bare,) = await ours.retrieve(COLLECTION, [stored.id], with_payload=False)
    assert (bare.payload, bare.vector) == ({}, None)
    (some,) = await ours.retrieve(COLLECTION, [stored.id], with_payload=["scope"], with_vectors=["dense"])
    assert (some.payload or {}).keys() == {"scope"}
    assert isinstance(some.vector, dict)
    assert some.vector.keys() == {"dense"}
    (rest,) = await ours.retrieve(
        COLLECTION, [stored.id], with_payload=models.PayloadSelectorExclude(exclude=["text", "parts"])
    )
    assert (rest.payload or {}).keys() == (stored.payload or {}).keys() - {"text", "parts"}
    assert await ours.retrieve(COLLECTION, [987654]) == []


async def test_scrolling_returns_every_point_once(pair: Pair) -> None:
    ours, _ = pair
    seen: list[Any] = []
    offset: Any = None
    while True:
        records, offset = await ours.scroll(COLLECTION, limit=64, offset=offset)
        seen += [record.id for record in records]
        if offset is None:
            break
    assert len(seen) == POINTS
    assert set(seen) == {point_id(number) for number in range(POINTS)}


async def test_order_by_a_payload_field(pair: Pair) -> None:
    ours, _ = pair
    await ours.create_payload_index(COLLECTION, "weight", models.PayloadSchemaType.FLOAT)
    order = models.OrderBy(key="weight", direction=models.Direction.DESC, start_from=10)
    records, _ = await ours.scroll(COLLECTION, limit=5, order_by=order)
    assert [record.payload["weight"] for record in records if record.payload] == [n / 7 for n in range(70, 65, -1)]
