"""Every message of the contract means the same in Pydantic, protobuf and JSON; google's own JSON is the judge."""

import math
from types import SimpleNamespace

import pytest
from google.protobuf import json_format
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from echomind_lib.contract import PatchModel, ProtoModel
from echomind_lib.models import internal, public
from tests.drivers.tables import for_each
from tests.factories.models import models

SETTINGS = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
FEW = settings(SETTINGS, max_examples=3)
"""For messages that are put together of kinds of fields which are tried with many values elsewhere."""
MESSAGES = [
    value
    for module in (public, internal)
    for name in module.__all__
    if isinstance(value := getattr(module, name), type)
    and issubclass(value, ProtoModel)
    and not issubclass(value, PatchModel)
]


def check(model: ProtoModel) -> None:
    """Checks every way between the forms of a model."""
    kind = type(model)
    message = model.to_pb()
    assert kind.from_pb(kind.__proto__.FromString(message.SerializeToString())) == model
    text = model.to_json()
    assert kind.model_validate_json(text) == model
    assert json_format.Parse(text, kind.__proto__()) == message
    assert kind.model_validate_json(json_format.MessageToJson(message)) == model
    spelled = json_format.MessageToJson(message, preserving_proto_field_name=True)
    assert kind.model_validate_json(spelled) == model


@for_each("file", sorted({kind.__proto__.DESCRIPTOR.file.name for kind in MESSAGES}))
def test_messages(file: str) -> None:
    for kind in MESSAGES:
        if kind.__proto__.DESCRIPTOR.file.name != file:
            continue

        @FEW
        @given(models(kind, depth=2))  # deeper messages are tested separately
        def holds(model: ProtoModel) -> None:
            check(model)

        holds()


def test_every_kind_of_field(sample: SimpleNamespace) -> None:
    for name in ("Everything", "Required", "Thing", "UpdateThingRequest", "Page"):

        @SETTINGS
        @given(models(getattr(sample.models, name)))
        def holds(model: ProtoModel) -> None:
            check(model)

        holds()


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_numbers_that_json_lacks(sample: SimpleNamespace, value: float) -> None:
    model = sample.models.Everything(double=value, float=value)
    assert (
        json_format.Parse(model.to_json(), sample.pb.Everything()).SerializeToString()
        == model.to_pb().SerializeToString()
    )
    for back in (
        sample.models.Everything.model_validate_json(json_format.MessageToJson(model.to_pb())),
        sample.models.Everything.from_pb(model.to_pb()),
    ):
        assert repr(back.double) == repr(back.float_) == repr(value)


@SETTINGS
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_32_bit_float_is_rounded_or_refused(sample: SimpleNamespace, value: float) -> None:
    if abs(value) > 3.4028235677973366e38:
        with pytest.raises(ValueError, match="32-bit"):
            sample.models.Everything(float=value)
    else:
        model = sample.models.Everything(float=value)
        assert model.float_ == model.to_pb().float
