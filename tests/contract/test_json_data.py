"""Free JSON in messages: limits for callers, and conversion of stored values that cannot be represented."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from echomind_lib.contract.json_data import FROM_CALLER, MAX_BYTES, MAX_DEPTH, to_representable
from echomind_lib.models.public import Connector, ListConnectorsResponse, ToolCall
from tests.drivers.tables import for_each

NAMES: dict[str, Any] = {"name": "files", "type": "CONNECTOR_TYPE_FILE"}
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.integers(10**300, 10**310) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=8,
)


def nested(depth: int, *, in_lists: bool = False) -> dict[str, Any]:
    """JSON of so many levels; the outermost is an object."""
    value: Any = 1
    for _ in range(depth - 1):
        value = [value] if in_lists else {"a": value}
    return {"a": value}


@for_each("in_lists", [False, True])
@for_each(("depth", "accepted"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False), (150, False), (5_000, False)])
def test_depth_from_a_caller(depth: int, accepted: bool, in_lists: bool) -> None:
    data = NAMES | {"config": nested(depth, in_lists=in_lists)}
    if accepted:
        connector = Connector.model_validate(data, context=FROM_CALLER)
        sent = ListConnectorsResponse(connectors=[connector]).to_pb().SerializeToString()
        read = ListConnectorsResponse.from_pb(ListConnectorsResponse.__proto__.FromString(sent))
        assert read.connectors[0].config == data["config"]
    else:
        with pytest.raises(ValidationError, match="nested at most 32 levels deep"):
            Connector.model_validate(data, context=FROM_CALLER)


@for_each("number", [10**400, -(10**309), math.inf, -math.inf, math.nan, json.loads("1e999")])
def test_numbers_from_a_caller_are_finite(number: float) -> None:
    with pytest.raises(ValidationError, match="finite numbers"):
        Connector.model_validate({"config": {"a": [1, {"b": number}]}}, context=FROM_CALLER)


def test_size_from_a_caller() -> None:
    frame = len('{"a":""}')
    Connector.model_validate(NAMES | {"config": {"a": "x" * (MAX_BYTES - frame)}}, context=FROM_CALLER)
    with pytest.raises(ValidationError, match=f"at most {MAX_BYTES} bytes as JSON, it has {MAX_BYTES + 1}"):
        Connector.model_validate(NAMES | {"config": {"a": "x" * (MAX_BYTES - frame + 1)}}, context=FROM_CALLER)


def test_a_stored_row_beyond_the_limits_does_not_break_its_list() -> None:
    stored: dict[str, Any] = {
        "deep": nested(150),
        "wide": "x" * 2 * MAX_BYTES,
        "numbers": [10**400, math.nan, 0.5],
        "theme": "dark",
    }
    connectors = ListConnectorsResponse(
        connectors=[Connector.model_validate(NAMES | {"config": each}) for each in (stored, {"theme": "light"})]
    )

    message = ListConnectorsResponse.__proto__.FromString(connectors.to_pb().SerializeToString())

    read = ListConnectorsResponse.from_pb(message).connectors
    assert read[0].config is not None
    assert read[0].config["theme"] == "dark"
    assert read[0].config["wide"] == stored["wide"]
    assert read[0].config["numbers"] == [None, None, 0.5]
    assert read[1].config == {"theme": "light"}
    assert ListConnectorsResponse.model_validate_json(connectors.to_json()) == connectors


def as_floats(value: Any) -> Any:
    """JSON with its numbers as protobuf holds them."""
    if isinstance(value, dict):
        return {key: as_floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_floats(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


@given(st.dictionaries(st.text(max_size=3), ANY_JSON, max_size=3))
def test_whatever_is_stored_can_be_sent(data: dict[str, Any]) -> None:
    call = ToolCall(parameters=data)
    read = ToolCall.from_pb(ToolCall.__proto__.FromString(call.to_pb().SerializeToString()))
    assert read.parameters == as_floats(call.parameters)
    assert to_representable(call.parameters) == call.parameters
    json.loads(call.to_json())
