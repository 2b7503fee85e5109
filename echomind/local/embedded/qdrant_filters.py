"""Filters of Qdrant's gRPC API as the engine's."""

from collections.abc import Callable, Iterable
from typing import Any

import qdrant_edge as edge

from echomind.local.embedded.qdrant_protocol import InvalidRequestError, UnsupportedError, pb


def filter_of(message: Any) -> edge.Filter | None:
    """Returns the filter of a request; None if it has none, or an empty one, which would cost a look at each point."""
    return filter_(message.filter) if message.filter.ListFields() else None


def filter_(message: pb.Filter) -> edge.Filter:
    """Returns a filter; an empty one matches every point."""
    min_should = message.min_should
    return edge.Filter(
        must=_conditions(message.must),
        should=_conditions(message.should),
        must_not=_conditions(message.must_not),
        min_should=edge.MinShould(_conditions(min_should.conditions) or [], min_should.min_count)
        if message.HasField("min_should")
        else None,
    )


def _conditions(messages: Iterable[pb.Condition]) -> list[Any] | None:
    return [_condition(message) for message in messages] or None


def _condition(message: pb.Condition) -> Any:
    match message.WhichOneof("condition_one_of"):
        case "field":
            return _field_condition(message.field)
        case "is_empty":
            return edge.IsEmptyCondition(message.is_empty.key)
        case "is_null":
            return edge.IsNullCondition(message.is_null.key)
        case "has_id":
            return edge.HasIdCondition({point_id(each) for each in message.has_id.has_id})
        case "has_vector":
            return edge.HasVectorCondition(message.has_vector.has_vector)
        case "nested":
            return edge.NestedCondition(message.nested.key, filter_(message.nested.filter))
        case "filter":
            return filter_(message.filter)
        case None:
            raise InvalidRequestError("a condition of a filter is empty")
        case other:
            raise UnsupportedError(f"filter conditions of kind {other}")


def _field_condition(message: pb.FieldCondition) -> edge.FieldCondition:
    for geo in ("geo_bounding_box", "geo_radius", "geo_polygon"):
        if message.HasField(geo):
            raise UnsupportedError(f"filter conditions of kind {geo}")
    condition: dict[str, Any] = given(message, "is_empty", "is_null")
    if message.HasField("match"):
        condition["match"] = _match(message.match)
    if message.HasField("range"):
        condition["range"] = edge.RangeFloat(**given(message.range, "gt", "gte", "lt", "lte"))
    elif message.HasField("datetime_range"):
        bounds = given(message.datetime_range, "gt", "gte", "lt", "lte")
        condition["range"] = edge.RangeDateTime(**{name: time.ToJsonString() for name, time in bounds.items()})
    if message.HasField("values_count"):
        condition["values_count"] = edge.ValuesCount(**given(message.values_count, "gt", "gte", "lt", "lte"))
    if not condition:
        raise InvalidRequestError(f"the condition on `{message.key}` says nothing about it")
    return edge.FieldCondition(message.key, **condition)


def _match_bool(value: bool) -> edge.MatchValue:
    import numpy as np

    # The engine's binding converts a Python bool to an integer, of which bool is a subclass; numpy's bool is not.
    return edge.MatchValue(np.bool_(value))  # type: ignore[arg-type]


MATCHES: dict[str, Callable[[Any], Any]] = {
    "keyword": edge.MatchValue,
    "integer": edge.MatchValue,
    "boolean": _match_bool,
    "text": edge.MatchText,
    "text_any": edge.MatchTextAny,
    "phrase": edge.MatchPhrase,
    "prefix": edge.MatchPrefix,
    "substring": edge.MatchSubstring,
    "keywords": lambda values: edge.MatchAny(list(values.strings)),
    "integers": lambda values: edge.MatchAny(list(values.integers)),
    "except_keywords": lambda values: edge.MatchExcept(list(values.strings)),
    "except_integers": lambda values: edge.MatchExcept(list(values.integers)),
}


def _match(message: pb.Match) -> Any:
    kind = message.WhichOneof("match_value")
    if kind is None:
        raise InvalidRequestError("a match condition has no value")
    return MATCHES[kind](getattr(message, kind))


def point_id(message: pb.PointId) -> int | str:
    """Number or UUID of a point."""
    match message.WhichOneof("point_id_options"):
        case "num":
            return message.num
        case "uuid":
            return message.uuid
    raise InvalidRequestError("a point id is empty")


def given(message: Any, *fields: str) -> dict[str, Any]:
    """Returns the optional fields of a message that are set."""
    return {field: getattr(message, field) for field in fields if message.HasField(field)}
