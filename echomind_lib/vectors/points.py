"""Conversion to and from Qdrant's messages: points, filters, payload values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from echomind_lib.vectors.qdrant_messages import pb as qdrant

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DENSE = "dense"
"""Name of the dense vector: cosine distance."""
SPARSE = "bm25"
"""Name of the sparse vector: BM25 term weights, multiplied by the IDF at query time."""

Filter = Mapping[str, int | str | Sequence[int] | Sequence[str]]
"""Every field must have the value, or one of the values."""
_SCALARS: Final = frozenset({"string_value", "integer_value", "double_value", "bool_value"})
"""Kinds of payload values that are Python values as they are."""


class SparseVector(NamedTuple):
    """Term ids and their weights; ids ascend and do not repeat."""

    indices: NDArray[np.uint32]
    """`[terms]`."""
    values: NDArray[np.float32]
    """`[terms]`, above 0."""


@dataclass(frozen=True, slots=True)
class Point:
    """A passage as stored."""

    id: str
    """A UUID."""
    dense: NDArray[np.float32]
    sparse: SparseVector
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Found:
    """A passage as returned by a query."""

    id: str
    score: float
    """The score of one half, or the fused score."""
    payload: dict[str, Any]
    dense: NDArray[np.float32] | None
    terms: frozenset[int]
    """Ids of its terms; empty if not requested."""


def to_filter(
    where: Filter, without: Filter | None = None, within: Mapping[str, Sequence[int]] | None = None
) -> qdrant.Filter:
    """Returns a filter in the form that is fastest for the engine.

    For words that most points have, such as scopes, alternatives (`should`) take a third of the time of a list (`any`);
    for numbers that few points have, a list is looked up in the index.

    Args:
        where: Condition on the points.
        without: Excluded values: a point with one of the values of any of these fields does not match.
        within: Only points with one of the values of any of these fields; None for all.
    """
    condition = qdrant.Filter()
    for key, value in where.items():
        words = [] if isinstance(value, str | int) else [word for word in value if isinstance(word, str)]
        if not words:
            condition.must.add(field=qdrant.FieldCondition(key=key, match=_match(value)))
            continue
        # The first list of alternatives uses the filter's own `should`, which is faster than a nested filter.
        clause = condition.must.add().filter if condition.should else condition
        for word in words:
            clause.should.add(field=qdrant.FieldCondition(key=key, match=qdrant.Match(keyword=word)))
    if within is not None:
        either = condition.must.add().filter
        for key, numbers in within.items():
            either.should.add(field=qdrant.FieldCondition(key=key, match=_match(numbers)))
    for key, value in (without or {}).items():
        condition.must_not.add(field=qdrant.FieldCondition(key=key, match=_match(value)))
    return condition


def _match(value: int | str | Sequence[int] | Sequence[str]) -> qdrant.Match:
    if isinstance(value, int):
        return qdrant.Match(integer=value)
    if isinstance(value, str):
        return qdrant.Match(keyword=value)
    if words := [word for word in value if isinstance(word, str)]:
        return qdrant.Match(keywords=qdrant.RepeatedStrings(strings=words))
    # Integers, or an empty list, which matches nothing.
    return qdrant.Match(integers=qdrant.RepeatedIntegers(integers=[int(item) for item in value]))


def payload_fields(fields: Sequence[str]) -> qdrant.WithPayloadSelector:
    """Returns which payload fields a result has; empty means all."""
    if not fields:
        return qdrant.WithPayloadSelector(enable=True)
    return qdrant.WithPayloadSelector(include=qdrant.PayloadIncludeSelector(fields=fields))


def to_point(point: Point) -> qdrant.PointStruct:
    """Returns a point as a Qdrant message."""
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
        payload={key: to_value(value) for key, value in point.payload.items()},
    )


def to_copy(point: Any) -> qdrant.PointStruct:
    """Returns a retrieved point, which has vectors and payload, as one that can be stored."""
    vectors = {}
    for name, vector in point.vectors.vectors.vectors.items():
        # Servers before 1.17 answer with the deprecated fields.
        if vector.HasField("sparse") or vector.HasField("indices"):
            indices = vector.sparse.indices if vector.HasField("sparse") else vector.indices.data
            values = vector.sparse.values if vector.HasField("sparse") else vector.data
            vectors[name] = qdrant.Vector(sparse=qdrant.SparseVector(indices=indices, values=values))
        else:
            data = vector.dense.data if vector.HasField("dense") else vector.data
            vectors[name] = qdrant.Vector(dense=qdrant.DenseVector(data=data))
    return qdrant.PointStruct(
        id=point.id,
        vectors=qdrant.Vectors(vectors=qdrant.NamedVectors(vectors=vectors)),
        payload=dict(point.payload),
    )


def to_value(value: Any) -> qdrant.Value:
    """Returns a payload value as a Qdrant message.

    Raises:
        TypeError: A payload cannot contain a value of this type.
    """
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
            return qdrant.Value(list_value=qdrant.ListValue(values=[to_value(item) for item in value]))
    raise TypeError(f"a payload cannot hold {type(value).__name__}")


def _plain(value: qdrant.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "list_value":
        values = value.list_value.values
        return [_plain(item) for item in values] if values else []
    return None if kind is None or kind == "null_value" else getattr(value, kind)


def to_found(point: Any, score: float) -> Found:
    """Returns a point from a Qdrant message."""
    dense, terms = None, frozenset[int]()
    vectors = point.vectors.vectors.vectors
    if DENSE in vectors:
        vector = vectors[DENSE]
        dense = _floats(vector.dense if vector.HasField("dense") else qdrant.DenseVector(data=vector.data))
    if SPARSE in vectors:
        vector = vectors[SPARSE]
        terms = frozenset(vector.sparse.indices if vector.HasField("sparse") else vector.indices.data)
    values = point.payload  # whose `items` is written in Python, and slow
    payload: dict[str, Any] = {}
    for key in values:
        value = values[key]
        kind = value.WhichOneof("kind")
        payload[key] = getattr(value, kind) if kind in _SCALARS else _plain(value)
    return Found(point.id.uuid, score, payload, dense, terms)


def _floats(vector: qdrant.DenseVector) -> NDArray[np.float32]:
    """Returns the numbers of a dense vector.

    They stand in its bytes as in an array, after the number of the field and their length in groups of seven bits. Read
    one by one, each is made an object first, which takes five times as long.
    """
    import numpy as np

    count = len(vector.data)
    length_bytes = -(-(4 * count).bit_length() // 7)
    return np.frombuffer(vector.SerializeToString(), "<f4", count, 1 + length_bytes if count else 0)
