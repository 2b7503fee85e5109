"""Hypothesis strategies for generated models: values that keep all the rules."""

import types
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Annotated, Any, Union, get_args, get_origin

import annotated_types
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from pydantic import AwareDatetime, JsonValue
from pydantic.fields import FieldInfo

from echomind_lib.contract import OneofModel, PatchModel, ProtoEnum, ProtoModel, UpdateModel
from echomind_lib.contract import types as proto_types
from echomind_lib.contract.rules import UNLESS_ZERO, Rule

JSON: SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
MASK_PATH = st.from_regex(r"[a-z]+(_[a-z]+)*", fullmatch=True)
DEPTH = 3
"""How deep messages are filled."""


@cache
def models(kind: type[ProtoModel], depth: int = DEPTH) -> SearchStrategy[Any]:
    """Instances of a model; of a partial update, only what its mask names is set.

    A strategy is made once, as preparing it takes longer than drawing from it.
    """
    fields = {name: _field(info, depth) for name, info in kind.model_fields.items()}
    if issubclass(kind, UpdateModel):
        name, patch = kind.__resource__
        rest = {other: strategy for other, strategy in fields.items() if other not in {name, "update_mask"}}
        paths = st.lists(st.sampled_from(sorted(patch.model_fields)), min_size=1, unique=True)
        return paths.flatmap(
            lambda mask: st.fixed_dictionaries(
                {**rest, "update_mask": st.just(mask), name: _partial(patch, mask, depth - 1)}
            ).map(lambda data: kind(**data))
        )
    if issubclass(kind, OneofModel):
        groups = [_one_of(kind, group, names, fields) for group, names in kind.__oneofs__.items()]
        base = {name: fields[name] for name in fields if not any(name in names for names in kind.__oneofs__.values())}
        return st.tuples(st.fixed_dictionaries(base), *groups).map(lambda parts: kind(**_joined(parts)))
    return st.fixed_dictionaries(fields).map(lambda data: kind(**data))


def _joined(parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {name: value for part in parts for name, value in part.items()}


def _partial(patch: type[PatchModel], mask: Sequence[str], depth: int) -> SearchStrategy[Any]:
    chosen = {name: _field(patch.model_fields[name], depth) for name in mask}
    return st.fixed_dictionaries(chosen).map(lambda data: patch(**data))


def _is_set(value: Any) -> bool:
    return value is not None


def _one_of(
    kind: type[OneofModel], group: str, names: Sequence[str], fields: Mapping[str, SearchStrategy[Any]]
) -> SearchStrategy[dict[str, Any]]:
    given = st.one_of([st.fixed_dictionaries({name: fields[name].filter(_is_set)}) for name in names])
    return given if group in kind.__required_oneofs__ else st.just({}) | given


def _field(info: FieldInfo, depth: int) -> SearchStrategy[Any]:
    return _value(info.annotation, info.metadata, depth)


def _value(kind: Any, metadata: Sequence[Any], depth: int) -> SearchStrategy[Any]:
    origin = get_origin(kind)
    if origin is Annotated:
        inner, *more = get_args(kind)
        return _value(inner, [*_expanded(more), *metadata], depth)
    if origin in {Union, types.UnionType}:
        kinds = [each for each in get_args(kind) if each is not type(None)]
        return st.none() | _value(kinds[0], metadata, depth)
    if UNLESS_ZERO in metadata and kind is str:
        return st.just("") | _value(kind, [each for each in metadata if each is not UNLESS_ZERO], depth)
    strategy = _base(kind, _limits(metadata), metadata, depth)
    for rule in metadata:
        if isinstance(rule, Rule):
            needed = rule.schema.get("pattern") if kind is str else None
            strategy = st.from_regex(needed, fullmatch=True) if needed else strategy.filter(rule.holds)
    return strategy


def _expanded(metadata: Sequence[Any]) -> list[Any]:
    return [part for each in metadata for part in (each.metadata if isinstance(each, FieldInfo) else [each])]


def _limits(metadata: Sequence[Any]) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    for each in metadata:
        match each:
            case annotated_types.Ge(ge):
                limits["low"] = ge if "low" not in limits else max(ge, limits["low"])
            case annotated_types.Gt():
                bound: Any = each.gt
                limits["low"] = bound + 1
            case annotated_types.Le(le):
                limits["high"] = le if "high" not in limits else min(le, limits["high"])
            case annotated_types.Lt():
                bound = each.lt
                limits["high"] = bound - 1 if "high" not in limits else min(bound - 1, limits["high"])
            case annotated_types.MinLen(length):
                limits["min_size"] = length
            case annotated_types.MaxLen(length):
                limits["max_size"] = length
            case _ if getattr(each, "pattern", None):
                limits["pattern"] = each.pattern
    return limits


def _base(kind: Any, limits: dict[str, Any], metadata: Sequence[Any], depth: int) -> SearchStrategy[Any]:
    low, high = limits.get("low"), limits.get("high")
    size = {
        "min_size": limits.get("min_size", 0),
        "max_size": min(limits.get("max_size", 3), limits.get("min_size", 0) + 3),
    }
    if kind is JsonValue:
        return JSON
    if get_origin(kind) is list:
        (item,) = get_args(kind)
        items = MASK_PATH if _is_mask(metadata) else _value(item, [], depth - 1)
        return st.just([]) if items.is_empty else st.lists(items, **size)
    if get_origin(kind) is dict:
        key, value = get_args(kind)
        values = _value(value, [], depth - 1)
        return st.just({}) if values.is_empty else st.dictionaries(_value(key, [], 0), values, **size)
    if issubclass(kind, ProtoEnum):
        return st.sampled_from(list(kind))
    if issubclass(kind, ProtoModel):
        return models(kind, depth - 1) if depth > 0 else st.nothing()
    if kind is str:
        return st.from_regex(limits["pattern"], fullmatch=True) if "pattern" in limits else st.text(**size)
    if kind is bytes:
        return st.binary(**size)
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(low, high)
    if kind is float:
        is_short = any(each in get_args(proto_types.Float32)[1:] for each in metadata)
        return st.floats(low, high, allow_nan=False, width=32 if is_short else 64)
    if kind in {datetime, AwareDatetime}:
        return st.datetimes(timezones=st.just(UTC))
    if kind is timedelta:
        return st.timedeltas(low or timedelta.min, high or timedelta.max)
    raise TypeError(f"no strategy for {kind}")


def _is_mask(metadata: Sequence[Any]) -> bool:
    return any(getattr(each, "func", None) is proto_types.read_mask for each in metadata)
