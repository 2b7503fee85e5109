"""One Qdrant server, or cluster: collections of passages with a dense and a sparse vector each.

Administration goes through the official client, queries and writes through the gRPC stubs that come with it: its
Pydantic models cost more than a search.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import grpc
import numpy as np
from numpy.typing import NDArray
from qdrant_client import AsyncQdrantClient, models
from qdrant_client import grpc as qdrant
from qdrant_client.http.exceptions import UnexpectedResponse

from echomind_lib.errors import DependencyUnavailableError

DENSE = "dense"
"""Name of the dense vector: cosine distance."""
SPARSE = "bm25"
"""Name of the sparse vector: BM25 term weights, multiplied by the IDF at query time."""
RRF_K = 60
"""Constant of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009)."""
FUSION_DEPTH = 200
"""Candidates of each half that are fused."""

_WRITE_BATCH = 128
_SCROLL_PAGE = 256
_QUERY_SECONDS = 10
_WRITE_SECONDS = 60
# Payload fields that are filtered by; `scope` keeps the readers apart.
_INDEXES: Mapping[str, models.KeywordIndexParams | models.IntegerIndexParams] = {
    "scope": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    "chunking_session": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
    "connector_id": models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=True, range=False),
    "document_id": models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, lookup=True, range=False),
}

Filter = Mapping[str, int | str | Sequence[int] | Sequence[str]]
"""Every field must have the value, or one of the values."""


class SparseVector(NamedTuple):
    """Term ids and their weights; ids ascend and do not repeat."""

    indices: NDArray[np.uint32]
    """`[terms]`."""
    values: NDArray[np.float32]
    """`[terms]`, above 0."""


@dataclass(frozen=True, slots=True)
class Point:
    """A passage as it is stored."""

    id: str
    """A UUID."""
    dense: NDArray[np.float32]
    sparse: SparseVector
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """A passage as a query gives it."""

    id: str
    score: float
    """Of the query's one half, or the fused one: then a matter of ranks."""
    payload: dict[str, Any]
    dense: NDArray[np.float32] | None


class VectorIndex:
    """A connection to Qdrant. All methods raise `DependencyUnavailableError` when it does not answer."""

    def __init__(self, url: str, api_key: str | None = None) -> None:
        """Connects when it is first needed.

        Args:
            url: Address of the gRPC port; `https` turns TLS on.
            api_key: Sent with every call.
        """
        address = urlsplit(url)
        self._client = AsyncQdrantClient(
            host=address.hostname,
            grpc_port=address.port or 6334,
            https=address.scheme == "https",
            prefer_grpc=True,
            # Not `api_key`: with it the client warns of plain text, which is how one machine, or one cluster, talks.
            headers={"api-key": api_key} if api_key else None,
            check_compatibility=False,
        )

    async def close(self) -> None:
        """Ends the connection."""
        await self._client.close()

    async def check(self) -> None:
        """Returns when the server answers."""
        try:
            await self._client.grpc_collections.List(qdrant.ListCollectionsRequest(), timeout=3)
        except grpc.aio.AioRpcError as error:
            raise _unavailable(error) from error

    async def ensure(self, collection: str, dimension: int) -> None:
        """Makes a collection with its payload indexes, where it is missing."""
        try:
            if not await self._client.collection_exists(collection):
                try:
                    await self._client.create_collection(
                        collection,
                        vectors_config={DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)},
                        sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                        # One graph for each scope rather than one for all: every query is within scopes.
                        hnsw_config=models.HnswConfigDiff(m=0, payload_m=16),
                    )
                except (grpc.aio.AioRpcError, UnexpectedResponse):
                    # Another service may have been quicker.
                    if not await self._client.collection_exists(collection):
                        raise
            known = (await self._client.get_collection(collection)).payload_schema
            for field, schema in _INDEXES.items():
                if field not in known:
                    await self._client.create_payload_index(collection, field, field_schema=schema)
        except grpc.aio.AioRpcError as error:
            raise _unavailable(error) from error

    async def upsert(self, collection: str, points: Sequence[Point]) -> None:
        """Stores points; one with the same id is replaced. Searchable when it returns."""
        for begin in range(0, len(points), _WRITE_BATCH):
            batch = [_point(point) for point in points[begin : begin + _WRITE_BATCH]]
            await self._write("Upsert", qdrant.UpsertPoints(collection_name=collection, wait=True, points=batch))

    async def delete(self, collection: str, where: Filter, *, unless: Filter | None = None) -> None:
        """Removes all points that a filter finds, but those that `unless` finds too; an empty filter is refused."""
        if not where:
            raise ValueError("delete needs a filter")
        condition = _filter(where)
        condition.must_not.extend(_filter(unless or {}).must)
        selector = qdrant.PointsSelector(filter=condition)
        await self._write("Delete", qdrant.DeletePoints(collection_name=collection, wait=True, points=selector))

    async def set_payload(self, collection: str, payload: Mapping[str, Any], where: Filter) -> None:
        """Changes payload fields of all points that a filter finds."""
        request = qdrant.SetPayloadPoints(
            collection_name=collection,
            wait=True,
            payload={key: _value(value) for key, value in payload.items()},
            points_selector=qdrant.PointsSelector(filter=_filter(where)),
        )
        await self._write("SetPayload", request)

    async def query(
        self,
        collection: str,
        where: Filter,
        *,
        dense: NDArray[np.float32] | None = None,
        sparse: SparseVector | None = None,
        limit: int,
        with_dense: bool = False,
    ) -> list[Found]:
        """Finds points, best first: by one vector, or by both, fused by RRF in the engine.

        The IDF is that of the points which the filter finds, so that what a reader may not see neither changes their
        ranking nor shows through it.

        Args:
            collection: Where to look.
            where: What to look among.
            dense: The query's vector.
            sparse: The query's terms.
            limit: How many at most.
            with_dense: Whether to give the points' dense vectors too.
        """
        condition = _filter(where)
        halves = []
        if dense is not None:
            vector = qdrant.VectorInput(dense=qdrant.DenseVector(data=dense.tolist()))
            halves.append((DENSE, vector, qdrant.SearchParams()))
        if sparse is not None and len(sparse.indices):
            vector = qdrant.VectorInput(
                sparse=qdrant.SparseVector(indices=sparse.indices.tolist(), values=sparse.values.tolist())
            )
            halves.append((SPARSE, vector, qdrant.SearchParams(idf=qdrant.IdfParams(corpus=condition))))
        if not halves:
            return []
        request = qdrant.QueryPoints(
            collection_name=collection,
            limit=limit,
            with_payload=qdrant.WithPayloadSelector(enable=True),
            timeout=_QUERY_SECONDS,
        )
        if with_dense:
            request.with_vectors.include.names.append(DENSE)
        if len(halves) == 1:
            name, vector, params = halves[0]
            request.query.nearest.CopyFrom(vector)
            request.using = name
            request.params.CopyFrom(params)
            request.filter.CopyFrom(condition)
        else:
            request.query.rrf.k = RRF_K
            for name, vector, params in halves:
                request.prefetch.add(
                    query=qdrant.Query(nearest=vector),
                    using=name,
                    filter=condition,
                    params=params,
                    limit=max(FUSION_DEPTH, limit),
                )
        try:
            response = await self._client.grpc_points.Query(request, timeout=_QUERY_SECONDS)
        except grpc.aio.AioRpcError as error:
            raise _unavailable(error) from error
        return [_found(point, point.score) for point in response.result]

    async def scroll(self, collection: str, where: Filter) -> AsyncIterator[Found]:
        """All points that a filter finds, in the order of their ids, without vectors."""
        request = qdrant.ScrollPoints(
            collection_name=collection,
            filter=_filter(where),
            limit=_SCROLL_PAGE,
            with_payload=qdrant.WithPayloadSelector(enable=True),
        )
        while True:
            try:
                response = await self._client.grpc_points.Scroll(request, timeout=_QUERY_SECONDS)
            except grpc.aio.AioRpcError as error:
                raise _unavailable(error) from error
            for point in response.result:
                yield _found(point, 0.0)
            if not response.HasField("next_page_offset"):
                return
            request.offset.CopyFrom(response.next_page_offset)

    async def count(self, collection: str, where: Filter) -> int:
        """How many points a filter finds."""
        request = qdrant.CountPoints(collection_name=collection, filter=_filter(where), exact=True)
        try:
            response = await self._client.grpc_points.Count(request, timeout=_QUERY_SECONDS)
        except grpc.aio.AioRpcError as error:
            raise _unavailable(error) from error
        found: int = response.result.count
        return found

    async def _write(self, method: str, request: Any) -> None:
        try:
            await getattr(self._client.grpc_points, method)(request, timeout=_WRITE_SECONDS)
        except grpc.aio.AioRpcError as error:
            raise _unavailable(error) from error


def _filter(where: Filter) -> qdrant.Filter:
    fields = [qdrant.FieldCondition(key=key, match=_match(value)) for key, value in where.items()]
    return qdrant.Filter(must=[qdrant.Condition(field=field) for field in fields])


def _match(value: int | str | Sequence[int] | Sequence[str]) -> qdrant.Match:
    if isinstance(value, int):
        return qdrant.Match(integer=value)
    if isinstance(value, str):
        return qdrant.Match(keyword=value)
    if all(isinstance(item, int) for item in value):
        return qdrant.Match(integers=qdrant.RepeatedIntegers(integers=[int(item) for item in value]))
    return qdrant.Match(keywords=qdrant.RepeatedStrings(strings=[str(item) for item in value]))


def _point(point: Point) -> qdrant.PointStruct:
    sparse = qdrant.SparseVector(indices=point.sparse.indices.tolist(), values=point.sparse.values.tolist())
    return qdrant.PointStruct(
        id=qdrant.PointId(uuid=point.id),
        vectors=qdrant.Vectors(
            vectors=qdrant.NamedVectors(
                vectors={
                    DENSE: qdrant.Vector(dense=qdrant.DenseVector(data=point.dense.tolist())),
                    SPARSE: qdrant.Vector(sparse=sparse),
                }
            )
        ),
        payload={key: _value(value) for key, value in point.payload.items()},
    )


def _value(value: Any) -> qdrant.Value:
    match value:
        case None:
            return qdrant.Value(null_value=qdrant.NullValue.NULL_VALUE)
        case bool():
            return qdrant.Value(bool_value=value)
        case int():
            return qdrant.Value(integer_value=value)
        case float():
            return qdrant.Value(double_value=value)
        case str():
            return qdrant.Value(string_value=value)
        case list() | tuple():
            return qdrant.Value(list_value=qdrant.ListValue(values=[_value(item) for item in value]))
    raise TypeError(f"a payload cannot hold {type(value).__name__}")


def _plain(value: qdrant.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind in (None, "null_value"):
        return None
    if kind == "list_value":
        return [_plain(item) for item in value.list_value.values]
    return getattr(value, kind)


def _found(point: Any, score: float) -> Found:
    dense = None
    if point.HasField("vectors"):
        vector = point.vectors.vectors.vectors[DENSE]
        dense = np.array(vector.dense.data if vector.HasField("dense") else vector.data, np.float32)
    return Found(point.id.uuid, score, {key: _plain(value) for key, value in point.payload.items()}, dense)


def _unavailable(error: grpc.aio.AioRpcError) -> DependencyUnavailableError:
    return DependencyUnavailableError(
        f"Qdrant does not answer as it should ({error.code().name}: {error.details()}). Check ECHOMIND_QDRANT__URL.",
        dependency="qdrant",
    )
