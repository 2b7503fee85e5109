"""Rules of the contract are checked by the models, in JSON and in protobuf alike, and none is left out in silence."""

import base64
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import descriptor_pb2, json_format
from google.protobuf.compiler import plugin_pb2
from grpc_tools import protoc  # type: ignore[import-untyped]
from pydantic import ValidationError

from tests.drivers.tables import for_each
from tests.paths import ROOT
from tools.pydantic_plugin.__main__ import generate


def moment(**distance: float) -> Callable[[], str]:
    """Returns what gives a moment so far from the time at which it is asked."""
    return lambda: (datetime.now(UTC) + timedelta(**distance)).isoformat().replace("+00:00", "Z")


# Fields of the sample's `Rules`, with valid and invalid values.
RULES: dict[str, tuple[list[Any], list[Any]]] = {
    "length": (["ab", "äöüß"], ["a", "abcde", ""]),
    "exact": (["abc"], ["ab", "abcd", ""]),
    "bytesOfText": (["", "abcd", "äö"], ["abcde", "äöü"]),
    "pattern": (["", "abc"], ["A", "a\n"]),
    "parts": (["amz"], ["az", "bmz", "amy", "axmz"]),
    "constant": (["only"], ["", "other"]),
    "among": (["a", "b"], ["", "c"]),
    "notAmong": (["", "c"], ["a", "b"]),
    "uuid": (["0192d3e4-5f6a-7b8c-9d0e-1f2a3b4c5d6e"], ["", "0192d3e4", "0192d3e45f6a7b8c9d0e1f2a3b4c5d6e"]),
    "email": (["a@example.com", "a.b+c@d"], ["", "a", "a@", "a b@c.d", "@c.d"]),
    "uri": (["https://example.com/a?b=c#d", "mailto:a@b.c"], ["", "example.com", "/a", "https://a b", "http://a/%zz"]),
    "hostname": (["example.com", "localhost", "a-b.c."], ["", "-a.b", "a..b", "a_b", "1.2.3.4", "a" * 64]),
    "ip": (["192.0.2.1", "2001:db8::1"], ["", "192.0.2.256", "example.com"]),
    "ipv4": (["192.0.2.1"], ["2001:db8::1", ""]),
    "ipv6": (["2001:db8::1"], ["192.0.2.1", ""]),
    "maybeUri": (["", "https://example.com"], ["example.com"]),
    "open": ([0, 9], [-1, 10]),
    "closed": ([0, 0.5, 1], [-0.01, 1.01, "NaN", "Infinity"]),
    "finite": ([1e300], ["NaN", "Infinity", "-Infinity"]),
    "numberAmong": (["0", "5"], ["4"]),
    "yes": ([True], [False]),
    "data": ([base64.b64encode(data).decode() for data in (b"\1\2", b"\1\2\3")], ["AQ==", "AgI=", "AQIDBA=="]),
    "setColour": (["COLOUR_RED"], ["COLOUR_UNSPECIFIED"]),
    "colourAmong": (["COLOUR_UNSPECIFIED", "COLOUR_DARK_GREEN"], ["COLOUR_RED"]),
    "items": ([[], ["a"], ["a", "b"]], [["a", "b", "c"], ["a", "a"], [""]]),
    "pairs": ([{}, {"a": 1}], [{"": 1}, {"a": 0}, {"a": 1, "b": 1, "c": 1}]),
    "took": (["0s", "9.999999s"], ["-0.000001s", "10s"]),
    "after": (["1970-01-01T00:16:40.000001Z"], ["1970-01-01T00:16:40Z"]),
    "past": ([moment(hours=-1)], [moment(hours=1)]),
    "soon": ([moment(minutes=30)], [moment(minutes=-1), moment(hours=2)]),
    "paths": (["", "name,inner.name"], ["kind", "names"]),
}


def test_every_rule_is_in_the_table(sample: SimpleNamespace) -> None:
    assert set(RULES) == {field.json_name for field in sample.pb.Rules.DESCRIPTOR.fields}


@for_each("field", RULES)
def test_rule(sample: SimpleNamespace, field: str) -> None:
    good, bad = ([value() if callable(value) else value for value in values] for values in RULES[field])
    base = {"length": "ab"}
    for value in good:
        model = sample.models.Rules.model_validate(base | {field: value})
        assert sample.models.Rules.from_pb(model.to_pb()) == model
    for value in bad:
        with pytest.raises(ValidationError) as caught:
            sample.models.Rules.model_validate(base | {field: value})
        assert {str(error["loc"][0]) for error in caught.value.errors()} == {field}
        message = json_format.ParseDict(base | {field: value}, sample.pb.Rules())
        with pytest.raises(ValidationError):
            sample.models.Rules.from_pb(message)


def test_required_options(sample: SimpleNamespace) -> None:
    with pytest.raises(ValidationError) as caught:
        sample.models.Required.model_validate({})
    missing = {error["loc"][0] for error in caught.value.errors() if error["type"] == "missing"}
    assert missing == {"inner", "text", "number", "colour", "items", "name", "names"}
    given = {
        "inner": {},
        "text": "t",
        "number": 1,
        "colour": "COLOUR_RED",
        "items": ["i"],
        "name": "n",
        "names": ["n"],
    }
    with pytest.raises(ValidationError, match="choice: one of choice_text, choice_number must be set"):
        sample.models.Required.model_validate(given)
    with pytest.raises(ValidationError, match="choice: only one of choice_text, choice_number may be set"):
        sample.models.Required.model_validate(given | {"choiceText": "", "choiceNumber": 0})
    model = sample.models.Required.model_validate(given | {"choiceNumber": 0})
    assert model.to_pb().WhichOneof("choice") == "choice_number"
    for name, zero in {"text": "", "number": 0, "colour": "COLOUR_UNSPECIFIED", "items": [], "names": []}.items():
        with pytest.raises(ValidationError):
            sample.models.Required.model_validate(given | {"choiceNumber": 0, name: zero})
    with pytest.raises(ValidationError) as caught:
        sample.models.Required.from_pb(sample.pb.Required())
    assert len(caught.value.errors()) == 7


def run_plugin(proto: str) -> plugin_pb2.CodeGeneratorResponse:
    """Runs the plugin on a given file."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a").mkdir()
        Path(folder, "a/a.proto").write_text(proto)
        Path(folder, "e.proto").write_text(EXTENSION)
        out = Path(folder, "out")
        wkt = Path(protoc.__file__).with_name("_proto")
        includes = [f"-I{folder}", f"-I{ROOT / 'third_party/proto'}", f"-I{wkt}"]
        options = ["--include_imports", "--include_source_info", f"--descriptor_set_out={out}", "a/a.proto"]
        assert protoc.main(["protoc", *includes, *options]) == 0
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file
    parameter = "root=none,models=sample_models,pb=sample_pb"
    return generate(
        plugin_pb2.CodeGeneratorRequest(proto_file=files, file_to_generate=["a/a.proto"], parameter=parameter)
    )


HEAD = """syntax = "proto3"; package a;
import "buf/validate/validate.proto"; import "google/protobuf/any.proto"; import "google/protobuf/timestamp.proto";
import "google/protobuf/field_mask.proto"; import "e.proto";
"""
# Custom rules can only be written in CEL.
EXTENSION = """syntax = "proto2"; package e;
import "buf/validate/validate.proto";
extend buf.validate.StringRules { optional bool gte = 1000; }
"""


@for_each(
    ("body", "error"),
    [
        (
            'message M { string f = 1 [(buf.validate.field).cel = {id: "i", expression: "true"}]; }',
            "a.M.f: the rule cel",
        ),
        ('message M { string f = 1 [(buf.validate.field).cel_expression = "true"]; }', "the rule cel_expression"),
        ("message M { string f = 1 [(buf.validate.field).ignore = IGNORE_ALWAYS]; }", "a.M.f: the rule ignore"),
        ("message M { string f = 1 [(buf.validate.field).string.tuuid = true]; }", "a.M.f: the rule string.tuuid"),
        ("message M { string f = 1 [(buf.validate.field).string.ip_prefix = true]; }", "the rule string.ip_prefix"),
        ('message M { bytes f = 1 [(buf.validate.field).bytes.pattern = "a"]; }', "the rule bytes.pattern"),
        (r'message M { string f = 1 [(buf.validate.field).string.pattern = "^\\d+$"]; }', "list the characters"),
        ('message M { string f = 1 [(buf.validate.field).string.pattern = "(?=a)"]; }', "a.M.f: the rule"),
        ("message M { string f = 1 [(buf.validate.field).int32.gt = 1]; }", "a.M.f: the rule int32"),
        ("message M { int32 f = 1 [(buf.validate.field).int32 = {gt: 5, lt: 1}]; }", "lower bound is above"),
        (
            "message M { repeated string f = 1 [(buf.validate.field).repeated.items.string.ulid = true]; }",
            "string.ulid",
        ),
        ("message M { map<string, string> f = 1 [(buf.validate.field).map.values.bytes.len = 1]; }", "the rule bytes"),
        (
            'message M { google.protobuf.FieldMask f = 1 [(buf.validate.field).field_mask.not_in = "a"]; }',
            "field_mask.not",
        ),
        ('message M { option (buf.validate.message).oneof = {fields: "f"}; string f = 1; }', "a.M: the rule oneof"),
        ('message M { option (buf.validate.message).cel_expression = "true"; }', "a.M: the rule cel_expression"),
        ("message M { google.protobuf.Any f = 1; }", "a.M.f: google.protobuf.Any has no model"),
        ("message M { google.protobuf.FieldMask update_mask = 1; }", "a.M: update_mask needs"),
        ("message Field { string f = 1; }", "the name Field is taken"),
        ("message M {} service S { rpc R(stream M) returns (M); }", "a.S.R: streaming by the client"),
        ("message M {} service S { rpc R(stream M) returns (stream M); }", "a.S.R: streaming by the client"),
        (
            "message M {} service S { rpc R(M) returns (google.protobuf.Timestamp); }",
            "a.S.R: google.protobuf.Timestamp",
        ),
        ("message M { string f = 1 [(buf.validate.field).string.(e.gte) = true]; }", "a.M.f: the rule string.e.gte"),
    ],
)
def test_what_cannot_be_said_fails_the_build(body: str, error: str) -> None:
    response = run_plugin(HEAD + body)
    assert error in response.error
    assert response.error.startswith("a/a.proto: ")
    assert not response.file


def test_proto2_fails_the_build() -> None:
    assert "only proto3" in run_plugin('syntax = "proto2"; package a; message M { optional string f = 1; }').error


def test_a_file_without_rules_is_generated() -> None:
    response = run_plugin('syntax = "proto3"; package a; message M { string f = 1; M m = 2; }')
    assert not response.error
    assert [file.name for file in response.file] == ["a/a.py", "a/__init__.py", "__init__.py"]
