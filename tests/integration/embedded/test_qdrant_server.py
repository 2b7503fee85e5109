"""The Qdrant-compatible server through the official client: points, collections, and rejected requests."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from qdrant_client import grpc as pb
from qdrant_client.grpc import collections_service_pb2, points_service_pb2, qdrant_pb2

from echomind.local.embedded.qdrant import QdrantServer
from echomind.local.embedded.qdrant_rpcs import SERVED
from tests.drivers.lazily import Lazily
from tests.drivers.qdrant_pair import COLLECTION, DIMENSIONS, POINTS, Pair, create, field, point_id, points, scope

if TYPE_CHECKING:
    import qdrant_client as qdrant
    from qdrant_client import models
else:
    qdrant, models = Lazily("qdrant_client"), Lazily("qdrant_client.models")


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
    point = point_id(11)
    await ours.set_payload(COLLECTION, {"scope": "moved"}, points=[point])
    (record,) = await ours.retrieve(COLLECTION, [point])
    assert record.payload == (points()[11].payload or {}) | {"scope": "moved"}
    await ours.delete_payload(COLLECTION, ["text", "parts"], points=[point])
    assert ((await ours.retrieve(COLLECTION, [point]))[0].payload or {}).keys().isdisjoint({"text", "parts"})
    await ours.overwrite_payload(COLLECTION, {"a": [1, None, {"b": 2.5}]}, points=[point])
    assert (await ours.retrieve(COLLECTION, [point]))[0].payload == {"a": [1, None, {"b": 2.5}]}
    await ours.set_payload(COLLECTION, {"seen": True}, points=models.Filter(must=[scope()]))
    assert (
        await ours.count(COLLECTION, models.Filter(must=[field("seen", match=models.MatchValue(value=True))]))
    ).count


async def test_collections(qdrant_client: qdrant.AsyncQdrantClient) -> None:
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
        (lambda: vector(dense=[1.0] * (DIMENSIONS - 1)), "expected dim: 8, got 7"),
        (lambda: vector(other=[1.0] * DIMENSIONS), "no dense vector `other`"),
        (lambda: vector(dense=models.SparseVector(indices=[1], values=[1.0])), "no sparse vector `dense`"),
        (lambda: vector(bm25=models.SparseVector(indices=[1, 1], values=[1.0, 2.0])), "must be unique"),
        (lambda: [models.PointStruct(id="not a uuid", vector={"dense": [1.0] * DIMENSIONS})], "UUID"),
    ],
)
async def test_a_bad_point_is_refused_with_its_whole_batch(
    qdrant_client: qdrant.AsyncQdrantClient, bad: Callable[[], list[models.PointStruct]], says: str
) -> None:
    await create(qdrant_client)
    good = [models.PointStruct(id=number + 100, vector={"dense": [1.0] * DIMENSIONS}) for number in range(200)]
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await qdrant_client.upsert(COLLECTION, good + bad())
    assert refused.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    assert says in str(refused.value.details())
    assert (await qdrant_client.count(COLLECTION)).count == 0


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (lambda: {"query": [1.0, 2.0], "using": "dense"}, "expected dim: 8, got 2"),
        (lambda: {"query": [1.0] * DIMENSIONS, "using": "nope"}, "nope"),
        (lambda: {"query": models.RrfQuery(rrf=models.Rrf(k=60))}, "prefetch"),
        (lambda: {"query_filter": models.Filter(must=[field("a[", match=models.MatchValue(value=1))])}, "a["),
    ],
)
async def test_a_bad_query_is_refused(pair: Pair, request_: Callable[[], dict[str, Any]], says: str) -> None:
    with pytest.raises(grpc.aio.AioRpcError, match=re.escape(says)) as refused:
        await pair[0].query_points(COLLECTION, **request_())
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


async def test_the_key_is_required(qdrant_server: QdrantServer) -> None:
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
