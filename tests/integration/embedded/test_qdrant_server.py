"""The Qdrant-compatible server through the official client, held against that client's own in-memory Qdrant."""

import random
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import grpc
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from qdrant_client import AsyncQdrantClient, models
from qdrant_client import grpc as pb
from qdrant_client.grpc import collections_service_pb2, points_service_pb2, qdrant_pb2

from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.qdrant_rpcs import SERVED

COLLECTION = "chunks_1"
DIMENSIONS = 8
POINTS = 300

Pair = tuple[AsyncQdrantClient, AsyncQdrantClient]
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


async def create(client: AsyncQdrantClient) -> None:
    """The collection, as a service creates one."""
    await client.create_collection(
        COLLECTION,
        vectors_config={"dense": models.VectorParams(size=DIMENSIONS, distance=models.Distance.COSINE)},
        sparse_vectors_config={"bm25": models.SparseVectorParams(modifier=models.Modifier.IDF)},
    )


@pytest_asyncio.fixture(loop_scope="session")
async def pair(qdrant_client: AsyncQdrantClient) -> AsyncIterator[Pair]:
    """The same points in the embedded server and in memory."""
    memory = AsyncQdrantClient(":memory:")
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


SCOPE = field("scope", match=models.MatchAny(any=["org", "user_1"]))

FILTERS = {
    "all": models.Filter(),
    "keyword": models.Filter(must=[field("scope", match=models.MatchValue(value="org"))]),
    "integer": models.Filter(must=[field("document_id", match=models.MatchValue(value=3))]),
    "bool": models.Filter(must=[field("fresh", match=models.MatchValue(value=True))]),
    "any of keywords": models.Filter(must=[SCOPE]),
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
                range=models.DatetimeRange(gt=datetime(2026, 1, 5, tzinfo=UTC), lte=datetime(2026, 1, 9, tzinfo=UTC)),
            )
        ]
    ),
    "count of values": models.Filter(must=[field("heading", values_count=models.ValuesCount(gte=2))]),
    "should": models.Filter(should=[field("fresh", match=models.MatchValue(value=True)), SCOPE]),
    "must not": models.Filter(must_not=[SCOPE]),
    "min should": models.Filter(
        min_should=models.MinShould(
            conditions=[
                SCOPE,
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
        must=[SCOPE, models.Filter(should=[field("document_id", match=models.MatchAny(any=[1, 2, 3]))])],
        must_not=[field("fresh", match=models.MatchValue(value=True))],
    ),
}


async def test_filters(pair: Pair) -> None:
    for name, filter_ in FILTERS.items():
        ours, theirs = [
            {record.id for record in (await client.scroll(COLLECTION, filter_, limit=POINTS))[0]} for client in pair
        ]
        assert ours == theirs, name
        assert name == "any of nothing" or ours, f"{name} finds nothing here, so it tests nothing"
        assert (await pair[0].count(COLLECTION, filter_)).count == len(ours), name


CONDITIONS = [condition for each in FILTERS.values() for condition in (each.must or []) + (each.should or [])]  # type: ignore[operator]


def filters(conditions: st.SearchStrategy[Any]) -> st.SearchStrategy[models.Filter]:
    some = st.none() | st.lists(conditions, min_size=1, max_size=3)
    return st.builds(models.Filter, must=some, should=some, must_not=some)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(filter_=filters(st.recursive(st.sampled_from(CONDITIONS), filters, max_leaves=8)))
async def test_combined_filters(pair: Pair, filter_: models.Filter) -> None:
    counts = [(await client.count(COLLECTION, filter_)).count for client in pair]
    assert counts[0] == counts[1]


DENSE = models.Prefetch(query=[0.3, -0.1, 0.5, 0.2, 0.9, -0.4, 0.1, 0.7], using="dense", limit=40)
SPARSE = models.Prefetch(
    query=models.SparseVector(indices=[3, 7, 20, 33], values=[1.0, 2.0, 1.0, 0.5]), using="bm25", limit=40
)

QUERIES: dict[str, dict[str, Any]] = {
    "dense": {"query": DENSE.query, "using": "dense"},
    "dense, filtered": {"query": DENSE.query, "using": "dense", "query_filter": models.Filter(must=[SCOPE])},
    "dense, threshold": {"query": DENSE.query, "using": "dense", "score_threshold": 0.5, "limit": 100},
    "dense, second page": {"query": DENSE.query, "using": "dense", "offset": 10},
    "sparse": {"query": SPARSE.query, "using": "bm25"},
    "sparse, filtered": {"query": SPARSE.query, "using": "bm25", "query_filter": models.Filter(must=[SCOPE])},
    "fused": {"query": models.RrfQuery(rrf=models.Rrf(k=60)), "prefetch": [DENSE, SPARSE]},
    "fused, Qdrant's k": {"query": models.FusionQuery(fusion=models.Fusion.RRF), "prefetch": [DENSE, SPARSE]},
    "fused by score": {"query": models.FusionQuery(fusion=models.Fusion.DBSF), "prefetch": [DENSE, SPARSE]},
    "in two stages": {"query": DENSE.query, "using": "dense", "prefetch": [SPARSE]},
    "by id": {"query": None},
}


async def test_queries(pair: Pair) -> None:
    for name, query in QUERIES.items():
        request = {"limit": 10, "with_payload": True} | query
        ours, theirs = [(await client.query_points(COLLECTION, **request)).points for client in pair]
        assert len(ours) == len(theirs) > 0, name
        assert [point.score for point in ours] == pytest.approx([point.score for point in theirs], rel=1e-4), name
        scores = [round(point.score, 4) for point in theirs]
        for mine, other, score in zip(ours, theirs, scores, strict=True):
            # Equal scores have no order; the last ones may be cut off among equals.
            if scores.count(score) == 1:
                assert (mine.id, mine.payload) == (other.id, other.payload), name


async def test_idf_of_a_corpus(qdrant_client: AsyncQdrantClient) -> None:
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
    requests = [
        models.QueryRequest(query=DENSE.query, using="dense", limit=3),
        models.QueryRequest(query=SPARSE.query, using="bm25", limit=5, filter=models.Filter(must=[SCOPE])),
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


async def test_scrolling_gives_every_point_once(pair: Pair) -> None:
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


async def test_delete(pair: Pair) -> None:
    ours, _ = pair
    await ours.delete(COLLECTION, [point_id(1), point_id(2)])
    assert (await ours.count(COLLECTION)).count == POINTS - 2
    doomed = models.Filter(must=[field("document_id", match=models.MatchValue(value=5))])
    await ours.delete(COLLECTION, models.FilterSelector(filter=doomed))
    assert (await ours.count(COLLECTION)).count == POINTS - 12
    assert (await ours.count(COLLECTION, doomed)).count == 0


async def test_upsert_replaces_and_can_be_conditional(pair: Pair) -> None:
    ours, _ = pair
    point = points()[3].model_copy(update={"payload": {"scope": "new"}})
    await ours.upsert(COLLECTION, [point])
    assert (await ours.retrieve(COLLECTION, [point.id]))[0].payload == {"scope": "new"}
    other = point.model_copy(update={"payload": {"scope": "newer"}})
    only_org = models.Filter(must=[field("scope", match=models.MatchValue(value="org"))])
    await ours.upsert(COLLECTION, [other], update_filter=only_org)
    await ours.upsert(COLLECTION, [other], update_mode=models.UpdateMode.INSERT_ONLY)
    assert (await ours.retrieve(COLLECTION, [point.id]))[0].payload == {"scope": "new"}


async def test_payload_of_stored_points(pair: Pair) -> None:
    ours, _ = pair
    one = point_id(11)
    await ours.set_payload(COLLECTION, {"scope": "moved"}, points=[one])
    (record,) = await ours.retrieve(COLLECTION, [one])
    assert record.payload == (points()[11].payload or {}) | {"scope": "moved"}
    await ours.delete_payload(COLLECTION, ["text", "parts"], points=[one])
    assert ((await ours.retrieve(COLLECTION, [one]))[0].payload or {}).keys().isdisjoint({"text", "parts"})
    await ours.overwrite_payload(COLLECTION, {"a": [1, None, {"b": 2.5}]}, points=[one])
    assert (await ours.retrieve(COLLECTION, [one]))[0].payload == {"a": [1, None, {"b": 2.5}]}
    await ours.set_payload(COLLECTION, {"seen": True}, points=models.Filter(must=[SCOPE]))
    assert (
        await ours.count(COLLECTION, models.Filter(must=[field("seen", match=models.MatchValue(value=True))]))
    ).count


async def test_collections(qdrant_client: AsyncQdrantClient) -> None:
    name = "../odd näme"
    assert not await qdrant_client.collection_exists(name)
    await qdrant_client.create_collection(
        name, vectors_config=models.VectorParams(size=2, distance=models.Distance.DOT), metadata={"model": 3}
    )
    assert await qdrant_client.collection_exists(name)
    assert [each.name for each in (await qdrant_client.get_collections()).collections] == [name]
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await qdrant_client.create_collection(name, vectors_config={})
    assert refused.value.code() == grpc.StatusCode.ALREADY_EXISTS
    await qdrant_client.upsert(name, [models.PointStruct(id=1, vector=[1.0, 2.0])])
    assert (await qdrant_client.query_points(name, query=[2.0, 2.0], with_vectors=True)).points[0].vector == [1.0, 2.0]
    await qdrant_client.create_payload_index(name, "scope", models.PayloadSchemaType.KEYWORD)
    await qdrant_client.create_payload_index(name, "page", models.PayloadSchemaType.INTEGER)
    await qdrant_client.delete_payload_index(name, "page")
    info = await qdrant_client.get_collection(name)
    assert info.points_count == 1
    assert info.config.params.vectors == models.VectorParams(size=2, distance=models.Distance.DOT)
    assert info.config.metadata == {"model": 3}
    assert {key: schema.data_type for key, schema in info.payload_schema.items()} == {
        "scope": models.PayloadSchemaType.KEYWORD
    }
    assert await qdrant_client.delete_collection(name)
    assert not await qdrant_client.delete_collection(name)
    with pytest.raises(grpc.aio.AioRpcError) as missing:
        await qdrant_client.count(name)
    assert missing.value.code() == grpc.StatusCode.NOT_FOUND
    assert name in str(missing.value.details())


def vector(**vectors: Any) -> list[models.PointStruct]:
    return [models.PointStruct(id=1, vector=vectors)]


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (vector(dense=[1.0] * (DIMENSIONS - 1)), "expected dim: 8, got 7"),
        (vector(other=[1.0] * DIMENSIONS), "no dense vector `other`"),
        (vector(dense=models.SparseVector(indices=[1], values=[1.0])), "no sparse vector `dense`"),
        (vector(bm25=models.SparseVector(indices=[1, 1], values=[1.0, 2.0])), "must be unique"),
        ([models.PointStruct(id="not a uuid", vector={"dense": [1.0] * DIMENSIONS})], "UUID"),
    ],
)
async def test_a_bad_point_is_refused_with_its_whole_batch(
    qdrant_client: AsyncQdrantClient, bad: list[models.PointStruct], says: str
) -> None:
    await create(qdrant_client)
    good = [models.PointStruct(id=number + 100, vector={"dense": [1.0] * DIMENSIONS}) for number in range(200)]
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await qdrant_client.upsert(COLLECTION, good + bad)
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert says in str(refused.value.details())
    assert (await qdrant_client.count(COLLECTION)).count == 0


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ({"query": [1.0, 2.0], "using": "dense"}, "expected dim: 8, got 2"),
        ({"query": [1.0] * DIMENSIONS, "using": "nope"}, "nope"),
        ({"query": models.RrfQuery(rrf=models.Rrf(k=60))}, "prefetch"),
        ({"query_filter": models.Filter(must=[field("a[", match=models.MatchValue(value=1))])}, "a["),
    ],
)
async def test_a_bad_query_is_refused(pair: Pair, request_: dict[str, Any], says: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError, match=re.escape(says)) as refused:
        await pair[0].query_points(COLLECTION, **request_)
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT


async def test_what_is_not_served_says_so(pair: Pair) -> None:
    ours, _ = pair
    calls = {
        "/qdrant.Points/Facet": ours.facet(COLLECTION, "scope"),
        "/qdrant.Collections/UpdateAliases": ours.update_collection_aliases([]),
        "recommend": ours.query_points(
            COLLECTION, query=models.RecommendQuery(recommend=models.RecommendInput(positive=[1]))
        ),
        "changes of a collection's hnsw_config": ours.update_collection(
            COLLECTION, hnsw_config=models.HnswConfigDiff(m=8)
        ),
        "quantization of kind scalar": ours.update_collection(
            COLLECTION,
            quantization_config=models.ScalarQuantization(
                scalar=models.ScalarQuantizationConfig(type=models.ScalarType.INT8)
            ),
        ),
        "queries by id": ours.query_points(COLLECTION, query=1, using="dense"),
    }
    for name, call in calls.items():
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await call
        assert refused.value.code() == grpc.StatusCode.UNIMPLEMENTED
        assert name in str(refused.value.details())


async def test_the_key_is_asked_for(qdrant_server: QdrantServer) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{qdrant_server.port}") as channel:
        collections = pb.CollectionsStub(channel)  # type: ignore[no-untyped-call]
        for metadata in ((), (("api-key", "wrong"),)):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await collections.List(pb.ListCollectionsRequest(), metadata=metadata)
            assert refused.value.code() == grpc.StatusCode.UNAUTHENTICATED
        health = await pb.QdrantStub(channel).HealthCheck(pb.HealthCheckRequest())  # type: ignore[no-untyped-call]
        assert "Qdrant-compatible" in health.title


def test_served_calls_exist_in_qdrants_api() -> None:
    services = [points_service_pb2, collections_service_pb2, qdrant_pb2]
    known = {
        f"/{service.full_name}/{method.name}": method.input_type.full_name
        for module in services
        for service in module.DESCRIPTOR.services_by_name.values()
        for method in service.methods
    }
    for method, rpc in SERVED.items():
        assert known[method] == rpc.request.DESCRIPTOR.full_name
