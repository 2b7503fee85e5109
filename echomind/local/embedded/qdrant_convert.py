"""Converts Qdrant's gRPC messages to the engine's values and back, without access to collections."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

import qdrant_edge as edge

from echomind.local.embedded.qdrant_filters import filter_, filter_of, given, point_id
from echomind.local.embedded.qdrant_protocol import InvalidRequestError, UnsupportedError, pb

DEFAULT_LIMIT = 10
DEFAULT_RRF_K = 2
"""Qdrant's own defaults."""

# --- Points --------------------------------------------------------------------------------------------------------


def point_id_message(point: int | str | UUID) -> pb.PointId:
    """Returns the other way round."""
    return pb.PointId(num=point) if isinstance(point, int) else pb.PointId(uuid=str(point))


def point(message: pb.PointStruct, sizes: Mapping[str, int], sparse: frozenset[str]) -> edge.Point:
    """Returns a point to store.

    Args:
        message: The point.
        sizes: Dimensions of the collection's dense vectors by name.
        sparse: Names of its sparse vectors.

    Raises:
        InvalidRequestError: A vector does not fit the collection. Found here, before the engine logs any of a batch.
    """
    vectors: dict[str, Any] = {}
    for name, vector in _named_vectors(message.vectors).items():
        match vector.WhichOneof("vector"):
            case "dense":
                size = len(vector.dense.data)
                if name not in sizes:
                    raise InvalidRequestError(f"the collection has no dense vector `{name}`")
                if size != sizes[name]:
                    raise InvalidRequestError(f"vector `{name}`: expected dim: {sizes[name]}, got {size}")
                vectors[name] = vector.dense.data
            case "sparse":
                if name not in sparse:
                    raise InvalidRequestError(f"the collection has no sparse vector `{name}`")
                vectors[name] = sparse_vector(vector.sparse)
            case other:
                raise UnsupportedError(f"vectors of kind {other}")
    return edge.Point(id=point_id(message.id), vector=vectors, payload=payload(message.payload))


def _named_vectors(vectors: pb.Vectors) -> Mapping[str, pb.Vector]:
    match vectors.WhichOneof("vectors_options"):
        case "vector":
            return {"": vectors.vector}
        case "vectors":
            return vectors.vectors.vectors
    return {}


def sparse_vector(message: pb.SparseVector) -> edge.SparseVector:
    """Returns a sparse vector, its indices unique and as many as its values."""
    indices = list(message.indices)
    if len(indices) != len(message.values):
        raise InvalidRequestError("a sparse vector needs as many values as indices")
    if len(set(indices)) != len(indices):
        raise InvalidRequestError("a sparse vector's indices must be unique")
    return edge.SparseVector(indices, list(message.values))


def payload(fields: Mapping[str, pb.Value]) -> dict[str, Any]:
    """Payload as Python values."""
    return {key: _python_value(value) for key, value in fields.items()}


def _python_value(value: pb.Value) -> Any:
    match value.WhichOneof("kind"):
        case "string_value":
            return value.string_value
        case "integer_value":
            return value.integer_value
        case "double_value":
            return value.double_value
        case "bool_value":
            return value.bool_value
        case "list_value":
            return [_python_value(item) for item in value.list_value.values]
        case "struct_value":
            return payload(value.struct_value.fields)
    return None


def _write_value(value: Any, message: pb.Value) -> None:
    match value:
        case str():
            message.string_value = value
        case bool():
            message.bool_value = value
        case int():
            message.integer_value = value
        case float():
            message.double_value = value
        case list():
            message.list_value.SetInParent()
            for item in value:
                _write_value(item, message.list_value.values.add())
        case dict():
            message.struct_value.SetInParent()
            for key, item in value.items():
                _write_value(item, message.struct_value.fields[key])
        case _:
            message.null_value = pb.NullValue.NULL_VALUE


def write_scored(found: Iterable[edge.ScoredPoint], messages: Any) -> None:
    """Adds results of a query to a repeated field, each built in its place: built apart, it would be copied four times.

    Args:
        found: The results.
        messages: The list to append to.
    """
    for each in found:
        message = messages.add()
        message.score = each.score
        message.version = each.version
        _write_result(each, message)


def write_retrieved(found: Iterable[edge.Record], messages: Any) -> None:
    """The same for results of a scroll or of a look-up by id."""
    for each in found:
        _write_result(each, messages.add())


def _write_result(found: edge.ScoredPoint | edge.Record, message: pb.ScoredPoint | pb.RetrievedPoint) -> None:
    point, vector, order = found.id, found.vector, found.order_value  # the engine converts each anew when it is read
    if isinstance(point, int):
        message.id.num = point
    else:
        message.id.uuid = str(point)
    values = message.payload
    for key, value in (found.payload or {}).items():
        _write_value(value, values[key])
    if vector is not None:
        _write_vectors(vector, message.vectors)
    if isinstance(order, int):
        message.order_value.int = order
    elif order is not None:
        message.order_value.float = order


def _write_vectors(vector: Any, message: pb.VectorsOutput) -> None:
    if not isinstance(vector, dict):
        _write_vector(vector, message.vector)
    elif vector.keys() == {""}:
        _write_vector(vector[""], message.vector)
    else:
        message.vectors.SetInParent()
        for name, value in vector.items():
            _write_vector(value, message.vectors.vectors[name])


def _write_vector(vector: Any, message: pb.VectorOutput) -> None:
    if isinstance(vector, edge.SparseVector):
        message.sparse.SetInParent()
        message.sparse.indices.extend(vector.indices)
        message.sparse.values.extend(vector.values)
    else:
        message.dense.data.extend(vector)


def with_payload(selector: pb.WithPayloadSelector) -> Any:
    """Returns which payload fields a result carries; none unless requested."""
    match selector.WhichOneof("selector_options"):
        case "include":
            return edge.PayloadSelector.Include(list(selector.include.fields))
        case "exclude":
            return edge.PayloadSelector.Exclude(list(selector.exclude.fields))
    return selector.enable


def with_vectors(selector: pb.WithVectorsSelector) -> bool | list[str]:
    """Returns which vectors a result carries; none unless requested."""
    if selector.WhichOneof("selector_options") == "include":
        return list(selector.include.names)
    return selector.enable


# --- Queries -------------------------------------------------------------------------------------------------------


def query_request(message: pb.QueryPoints) -> edge.QueryRequest:
    """Returns a query, with its prefetches; results in order of score, best first."""
    return edge.QueryRequest(
        **_query_stage(message),
        offset=message.offset,
        with_payload=with_payload(message.with_payload),
        with_vector=with_vectors(message.with_vectors),
    )


def _query_stage(message: pb.QueryPoints | pb.PrefetchQuery) -> dict[str, Any]:
    if message.HasField("lookup_from"):
        raise UnsupportedError("queries with lookup_from")
    return {
        "limit": message.limit if message.HasField("limit") else DEFAULT_LIMIT,
        "query": _query(message.query, message.using) if message.HasField("query") else None,
        "prefetches": [edge.Prefetch(**_query_stage(prefetch)) for prefetch in message.prefetch] or None,
        "filter": filter_of(message),
        "score_threshold": message.score_threshold if message.HasField("score_threshold") else None,
        "params": _search_params(message.params) if message.HasField("params") else None,
    }


def _query(message: pb.Query, using: str) -> Any:
    match message.WhichOneof("variant"):
        case "nearest":
            return edge.Query.Nearest(_query_vector(message.nearest), using=using)
        case "rrf":
            k = message.rrf.k if message.rrf.HasField("k") else DEFAULT_RRF_K
            return edge.Fusion.Rrf(k, list(message.rrf.weights) or None)
        case "fusion":
            return edge.Fusion.Rrf(DEFAULT_RRF_K) if message.fusion == pb.Fusion.RRF else edge.Fusion.Dbsf()
        case "order_by":
            return order_by(message.order_by)
        case "sample":
            return edge.Sample.Random
        case other:
            raise UnsupportedError(f"queries of kind {other}")


def _query_vector(message: pb.VectorInput) -> Any:
    match message.WhichOneof("variant"):
        case "dense":
            return list(message.dense.data)
        case "sparse":
            return sparse_vector(message.sparse)
        case other:
            raise UnsupportedError(f"queries by {other}")


def _search_params(message: pb.SearchParams) -> edge.SearchParams:
    # Parameters of the HNSW graph are ignored, because there is none.
    params: dict[str, Any] = given(message, "exact")
    if message.HasField("quantization"):
        quantization = given(message.quantization, "ignore", "rescore", "oversampling")
        params["quantization"] = edge.QuantizationSearchParams(**quantization)
    if message.HasField("idf"):
        corpus = filter_(message.idf.corpus) if message.idf.HasField("corpus") else None
        params["idf"] = edge.IdfParams(corpus)
    return edge.SearchParams(**params)


def order_by(message: pb.OrderBy) -> edge.OrderBy:
    """Order by a payload field, which must have a range index."""
    start: Any = None
    kind = message.start_from.WhichOneof("value")
    if kind is not None:
        start = getattr(message.start_from, kind)
        start = start.ToJsonString() if kind == "timestamp" else start
    descending = message.direction == pb.Direction.Desc
    return edge.OrderBy(message.key, edge.Direction.Desc if descending else edge.Direction.Asc, start)


def scroll_request(message: pb.ScrollPoints) -> edge.ScrollRequest:
    """Returns one page of a collection, in order of ids or of a payload field."""
    return edge.ScrollRequest(
        offset=point_id(message.offset) if message.HasField("offset") else None,
        limit=message.limit if message.HasField("limit") else DEFAULT_LIMIT,
        filter=filter_of(message),
        with_payload=with_payload(message.with_payload),
        with_vector=with_vectors(message.with_vectors),
        order_by=order_by(message.order_by) if message.HasField("order_by") else None,
    )
