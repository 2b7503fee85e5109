"""The TypeScript client: a function for each route, with the fields of path, query and body in their places."""

import tempfile
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2
from google.protobuf.compiler import plugin_pb2
from grpc_tools import protoc  # type: ignore[import-untyped]

from tests.paths import ROOT
from tools.typescript_client import generate

_GOOGLE = [f"-I{Path(protoc.__file__).parent / '_proto'}"]
HEAD = """
syntax = "proto3";
package shop.v1;
import "google/api/annotations.proto";
import "google/protobuf/empty.proto";
import "google/protobuf/field_mask.proto";
message Size { int32 height = 1; }
message Thing { string name = 1; repeated Size sizes = 2; }
message FindThing { Size size = 1; }
message GetThing { int32 shelf_id = 1; string id = 2; repeated string tags = 3; }
message ChangeThing { string id = 1; Thing thing = 2; google.protobuf.FieldMask update_mask = 3; }
"""


def client(methods: str) -> plugin_pb2.CodeGeneratorResponse:
    """Returns what the plugin answers for a service with these methods."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder, "shop/v1/thing.proto"), Path(folder, "out.binpb")
        path.parent.mkdir(parents=True)
        path.write_text(f"{HEAD} service Things {{ {methods} }}")
        options = ["--include_imports", "--include_source_info", f"--descriptor_set_out={out}"]
        assert protoc.main(["", f"-I{folder}", f"-I{ROOT / 'third_party/proto'}", *_GOOGLE, *options, str(path)]) == 0
        files = descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file
    return generate(plugin_pb2.CodeGeneratorRequest(proto_file=files, file_to_generate=["shop/v1/thing.proto"]))


def constants(methods: str) -> list[str]:
    """Returns the constants of the client of these methods."""
    response = client(methods)
    assert response.error == ""
    [file] = response.file
    assert file.name == "shop/v1/thing_client.ts"
    return [line for line in file.content.splitlines() if line.startswith("export")]


def test_fields_of_the_path_are_named_as_in_json() -> None:
    methods = 'rpc Get(GetThing) returns (Thing) { option (google.api.http) = {get: "/v1/{shelf_id}/{id}"}; }'
    types = 'GetThingJson, ThingJson, "shelfId" | "id"'
    assert constants(methods) == [f'export const get = /* @__PURE__ */ call<{types}>("GET", "/v1/{{shelfId}}/{{id}}");']


def test_a_message_of_plain_fields_fits_into_a_query() -> None:
    methods = 'rpc Find(FindThing) returns (Thing) { option (google.api.http) = {get: "/v1/things"}; }'
    assert constants(methods) == [
        'export const find = /* @__PURE__ */ call<FindThingJson, ThingJson>("GET", "/v1/things");'
    ]


def test_the_mask_of_a_change_comes_from_its_body() -> None:
    methods = """rpc Change(ChangeThing) returns (Thing) {
      option (google.api.http) = {patch: "/v1/{id}" body: "thing"};
    }"""
    types = 'Omit<ChangeThingJson, "updateMask">, ThingJson, "id"'
    assert constants(methods) == [
        f'export const change = /* @__PURE__ */ call<{types}>("PATCH", "/v1/{{id}}", "thing");'
    ]


def test_streams_and_well_known_types() -> None:
    methods = """
    rpc Watch(GetThing) returns (stream Thing) { option (google.api.http) = {post: "/v1:watch" body: "*"}; }
    rpc Clear(google.protobuf.Empty) returns (google.protobuf.Empty) {
      option (google.api.http) = {delete: "/v1"};
    }"""
    assert constants(methods) == [
        'export const watch = /* @__PURE__ */ stream<GetThingJson, ThingJson>("POST", "/v1:watch", "*");',
        'export const clear = /* @__PURE__ */ call<EmptyJson, EmptyJson>("DELETE", "/v1");',
    ]
    assert 'import type { EmptyJson } from "@bufbuild/protobuf/wkt";' in client(methods).file[0].content


def test_what_has_no_route_is_left_out_and_comments_are_kept() -> None:
    methods = """
    rpc Inside(GetThing) returns (Thing);
    // Reads one.
    rpc Get(GetThing) returns (Thing) { option (google.api.http) = {get: "/v1/{id}"}; }"""
    content = client(methods).file[0].content
    assert "inside" not in content
    assert "/** Reads one. */\nexport const get" in content


@pytest.mark.parametrize(
    ("route", "error"),
    [
        ('{get: "/v1/{thing.name}"}', "thing.name"),
        ('{post: "/v1/{id}"}', "thing cannot be in a query"),
        ('{post: "/v1/{id}" body: "*" response_body: "name"}', "response body"),
    ],
)
def test_what_the_client_cannot_send_fails_the_build(route: str, error: str) -> None:
    response = client(f"rpc Change(ChangeThing) returns (Thing) {{ option (google.api.http) = {route}; }}")
    assert error in response.error
    assert len(response.file) == 0
