"""One service object answers alike over gRPC and over HTTP."""

import math
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from fastapi import FastAPI
from google.protobuf import struct_pb2

from echomind_lib.contract import CallContext, Proceed, ProtoModel
from echomind_lib.contract.grpc import _reader
from echomind_lib.contract.rest import add_services
from echomind_lib.contract.templates import Routes, variables
from echomind_lib.errors import EchoMindError, UnauthenticatedError, ValidationFailedError
from echomind_lib.errors.body import from_body
from echomind_lib.errors.grpc import from_rpc_error
from echomind_lib.models.public import Connector, ConnectorType, CreateConnectorRequest
from tests.drivers.sample_service import grpc_channel, http_client, make_service, stream, unary
from tests.drivers.tables import for_each

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
THING = {
    "id": "7",
    "name": "thing",
    "colour": "COLOUR_UNSPECIFIED",
    "labels": {},
    "origin": {"name": "here", "kind": "KIND_UNSPECIFIED"},
}


async def test_the_same_over_both(sample: SimpleNamespace) -> None:
    service = make_service(sample)
    request = sample.models.GetThingRequest(id=7, colours=["COLOUR_RED"], page={"size": 5})
    async with grpc_channel(service) as channel, http_client(service) as client:
        message = await unary(channel, service, "GetThing")(request.to_pb())
        response = await client.get("/v1/things/7?colours=COLOUR_RED&page.size=5")
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert sample.models.Thing.from_pb(message) == sample.models.Thing.model_validate_json(response.content)
    assert [call[0] for call in service.calls] == [request, request]


@for_each(
    ("url", "expected"),
    [
        ("/v1/things/7", {"id": 7}),
        ("/v1/things/-7?", {"id": -7}),
        ("/v1/shelves/a%20b/things/7", {"id": 7, "shelf_name": "a b"}),
        ("/v1/things/7?shelfName=%C3%A4", {"id": 7, "shelf_name": "ä"}),
        ("/v1/things/7?shelf_name=", {"id": 7}),
        ("/v1/things/7?page.size=5&page.token=t", {"id": 7, "page": {"size": 5, "token": "t"}}),
        ("/v1/things/7?colours=COLOUR_RED&colours=COLOUR_3D", {"id": 7, "colours": [1, 7]}),
        ("/v1/things/7?createdAfter=2026-01-02T03:04:05Z", {"id": 7, "created_after": MOMENT}),
        ("/v1/things/7?created_after=2026-01-02T04:04:05%2B01:00", {"id": 7, "created_after": MOMENT}),
    ],
)  # fmt: skip
async def test_path_and_query(sample: SimpleNamespace, url: str, expected: dict[str, Any]) -> None:
    service = make_service(sample)
    async with http_client(service) as client:
        assert (await client.get(url)).status_code == 200
    assert service.calls[0][0] == sample.models.GetThingRequest(**expected)


@for_each(
    ("method", "url", "body", "field"),
    [
        ("GET", "/v1/things/x", None, "id"),
        ("GET", "/v1/things/9223372036854775808", None, "id"),
        ("GET", "/v1/things/7?page.size=101", None, "page.size"),
        ("GET", "/v1/things/7?size=1", None, "size"),
        ("GET", "/v1/things/7?id=8", None, "id"),
        ("GET", "/v1/things/7?page=1", None, "page"),
        ("GET", "/v1/things/7?shelfName=a&shelfName=b", None, "shelfName"),
        ("GET", "/v1/things/7?shelfName=%ff", None, "query"),
        ("GET", "/v1/things/7?shelfName=%00", None, "shelf_name"),
        ("GET", "/v1/things/7?colours=red", None, "colours[0]"),
        ("POST", "/v1/things", b"{", "body"),
        ("POST", "/v1/things", b'{"name": "\\ud800"}', "body"),
        ("POST", "/v1/things", b'{"name": NaN}', "body"),
        ("POST", "/v1/things", b"[" * 10_000, "body"),
        ("POST", "/v1/things", b"5", "thing"),
        ("POST", "/v1/things", b'{"origin": {}}', "thing.name"),
        ("POST", "/v1/things", b'{"name": "n"}', "thing.origin"),
        ("POST", "/v1/things", b'{"name": "n", "origin": {"nmae": 1}}', "thing.origin.nmae"),
        ("POST", "/v1/things", b'{"name": "a\\u0000", "origin": {}}', "thing.name"),
        ("POST", "/v1/things/7:paint", b'{"colour": "COLOUR_RED", "id": 8}', "id"),
        ("POST", "/v1/things/7:paint", b"[]", "body"),
        ("POST", "/v1/things/7:paint?colour=1", b"{}", "colour"),
        ("POST", "/v1/things/7:paint", b"", "colour"),
        ("PATCH", "/v1/things/7", b"{}", "updateMask"),
        ("PATCH", "/v1/things/7", b'{"name": null}', "thing.name"),
        ("PATCH", "/v1/things/7", b'{"origin": null}', "thing.origin"),
        ("PATCH", "/v1/things/7", b'{"colour": 1, "bogus": 1}', "thing.bogus"),
        ("PATCH", "/v1/things/7?updateMask=name", b'{"colour": 1}', "updateMask"),
    ],
)  # fmt: skip
async def test_a_wrong_request_is_refused_with_its_place(
    sample: SimpleNamespace, method: str, url: str, body: bytes | None, field: str
) -> None:
    service = make_service(sample)
    async with http_client(service) as client:
        response = await client.request(method, url, content=body)
    error = response.json()["error"]
    assert response.status_code == 400, response.text
    assert (error["code"], error["reason"]) == ("INVALID_ARGUMENT", "VALIDATION_FAILED")
    assert field in error["metadata"]
    assert field in error["message"]
    assert service.calls == []


async def test_bodies(sample: SimpleNamespace) -> None:
    service = make_service(sample)
    async with http_client(service, max_body_bytes=1000) as client:
        made = await client.post(
            "/v1/things?dryRun=true", json={"name": "n", "origin": {"name": "o"}, "labels": {"a_b": "c"}}
        )
        assert made.json()["labels"] == {"a_b": "c"}
        assert service.calls[-1][0].dry_run is True
        painted = await client.post("/v1/things/7:paint", json={"colour": "COLOUR_RED"})
        assert painted.json() == THING | {"colour": "COLOUR_RED"}
        assert (await client.delete("/v1/things/7")).json() == {}
        for content, headers in ((b"{}" + b" " * 1000, {}), (b"{}", {"content-type": "text/plain"})):
            refused = await client.post("/v1/things", content=content, headers=headers)
            assert refused.status_code == 400
            assert "body" in refused.json()["error"]["metadata"]

        async def parts() -> Any:
            for _ in range(100):
                yield b" " * 100

        assert (await client.post("/v1/things", content=parts())).status_code == 400


async def test_a_patch_takes_its_mask_from_the_body(sample: SimpleNamespace) -> None:
    service = make_service(sample)
    async with http_client(service) as client:
        changed = await client.patch(
            "/v1/things/7", json={"colour": "COLOUR_RED", "description": None, "labels": {"a": "b"}}
        )
    request = service.calls[0][0]
    assert (request.id, request.update_mask) == (7, ["colour", "description", "labels"])
    assert changed.json() == THING | {"colour": "COLOUR_RED", "labels": {"a": "b"}}


async def test_grpc_wants_the_mask(sample: SimpleNamespace) -> None:
    service, pb = make_service(sample), sample.pb
    async with grpc_channel(service) as channel:
        update = unary(channel, service, "UpdateThing")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await update(pb.UpdateThingRequest(id=1, thing=pb.Thing(name="n")))
        error = from_rpc_error(caught.value)
        assert error is not None
        assert error.metadata == {"updateMask": "is missing"}
        changed = await update(pb.UpdateThingRequest(id=1, thing=pb.Thing(name="new"), update_mask={"paths": ["name"]}))
        assert changed.name == "new"


async def test_routes_that_are_not_there(sample: SimpleNamespace) -> None:
    async with http_client(make_service(sample)) as client:
        missing = await client.get("/v1/thing/7")
        assert (missing.status_code, missing.json()["error"]["reason"]) == (404, "NOT_FOUND")
        wrong = await client.put("/v1/things/7")
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "UNIMPLEMENTED")
        assert wrong.headers["allow"] == "DELETE, GET, PATCH"
        assert (await client.post("/sample.v1.ThingService/CountThings")).status_code == 404


async def test_a_method_without_route_is_there_by_grpc(sample: SimpleNamespace) -> None:
    service = make_service(sample)
    async with grpc_channel(service) as channel:
        assert (await unary(channel, service, "CountThings")(b"")).size == 3


@pytest.mark.parametrize(
    ("identifier", "status", "code", "reason", "metadata"),
    [
        (404, 404, "NOT_FOUND", "NOT_FOUND", {"resource": "thing", "id": "404"}),
        (429, 429, "RESOURCE_EXHAUSTED", "OVERLOADED", {"retry_after_seconds": "7"}),
    ],
)
async def test_errors_have_one_shape(
    sample: SimpleNamespace, identifier: int, status: int, code: str, reason: str, metadata: dict[str, str]
) -> None:
    service = make_service(sample)
    async with grpc_channel(service) as channel, http_client(service) as client:
        response = await client.get(f"/v1/things/{identifier}")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await unary(channel, service, "GetThing")(sample.pb.GetThingRequest(id=identifier))
    error = response.json()["error"]
    assert response.status_code == status
    assert response.headers.get("retry-after") == metadata.get("retry_after_seconds")
    assert {**error, "message": ""} == {"code": code, "reason": reason, "message": "", "metadata": metadata}
    assert caught.value.code() is getattr(grpc.StatusCode, code)
    assert caught.value.details() == error["message"]
    for read in (from_body(response.json()), from_rpc_error(caught.value)):
        assert read is not None
        assert (read.reason, read.message, read.metadata) == (reason, error["message"], metadata)


@pytest.mark.parametrize("identifier", [500, 501])
async def test_an_internal_error_reveals_no_details(
    sample: SimpleNamespace, identifier: int, capsys: pytest.CaptureFixture[str]
) -> None:
    service = make_service(sample)
    async with grpc_channel(service) as channel, http_client(service) as client:
        response = await client.get(f"/v1/things/{identifier}")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await unary(channel, service, "GetThing")(sample.pb.GetThingRequest(id=identifier))
    assert (response.status_code, response.json()["error"]["reason"]) == (500, "INTERNAL")
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    for said in (response.text, str(caught.value.details()), str(caught.value.trailing_metadata())):
        assert "secret" not in said
        assert "too long" not in said
    assert response.json()["error"]["metadata"]["trace_id"] in capsys.readouterr().out


async def test_a_message_that_is_none(sample: SimpleNamespace) -> None:
    service = make_service(sample)
    async with grpc_channel(service) as channel:
        for name, call in (("GetThing", unary), ("WatchThing", stream)):
            method = call(channel, service, name)
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await (method(b"\xff\xff") if call is unary else method(b"\xff\xff").read())
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert service.calls == []


@pytest.mark.parametrize("seconds", [2**62, -(2**62), 253402300800, -62135596801])
async def test_a_moment_out_of_range(sample: SimpleNamespace, seconds: int) -> None:
    service = make_service(sample)
    request = sample.pb.GetThingRequest()
    request.created_after.seconds = seconds
    async with grpc_channel(service) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await unary(channel, service, "GetThing")(request)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert service.calls == []


def struct_of(value: float) -> struct_pb2.Struct:
    """Returns a JSON object that JSON cannot write."""
    return struct_pb2.Struct(fields={"a": struct_pb2.Value(number_value=value)})


async def messages(*data: bytes) -> AsyncIterator[bytes]:
    """What a client sends."""
    for each in data:
        yield each


@pytest.mark.parametrize("value", [math.nan, math.inf])
async def test_free_json_that_json_cannot_write(value: float) -> None:
    data = CreateConnectorRequest.__proto__(connector=Connector(name="n", type=ConnectorType.WEB).to_pb())
    data.connector.config.CopyFrom(struct_of(value))
    with pytest.raises(ValidationFailedError, match="out of range"):
        await _reader(CreateConnectorRequest, messages(data.SerializeToString()))()


async def test_a_method_that_returns_something_else(sample: SimpleNamespace) -> None:
    service = make_service(sample)

    async def wrong(request: Any, call: CallContext) -> Any:
        return {"request": request, "call": call}

    service.get_thing = wrong
    async with grpc_channel(service) as channel, http_client(service) as client:
        assert (await client.get("/v1/things/1")).status_code == 500
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await unary(channel, service, "GetThing")(sample.pb.GetThingRequest(id=1))
        assert caught.value.code() is grpc.StatusCode.INTERNAL


class Recorder:
    """A middleware that notes when it is there."""

    def __init__(self, name: str, notes: list[str]) -> None:
        self.name = name
        self.notes = notes

    async def __call__(self, call: CallContext, proceed: Proceed) -> ProtoModel | None:
        self.notes.append(f"{self.name} in {call.method.rpartition('/')[2]} {type(call.request).__name__}")
        try:
            result = await proceed()
        except EchoMindError as error:
            self.notes.append(f"{self.name} {error.reason}")
            raise
        self.notes.append(f"{self.name} out {type(call.request).__name__} {type(result).__name__}")
        return result


async def test_middlewares_go_around_calls_and_streams(sample: SimpleNamespace) -> None:
    service, notes = make_service(sample), list[str]()
    middlewares = [Recorder("a", notes), Recorder("b", notes)]

    def of(method: str, request: str, result: str) -> list[str]:
        inner = [f"b in {method} NoneType", f"b out {request} {result}"]
        return [f"a in {method} NoneType", *inner, f"a out {request} {result}"]

    async with grpc_channel(service, *middlewares) as channel, http_client(service, *middlewares) as client:
        expected = of("GetThing", "GetThingRequest", "Thing")
        await client.get("/v1/things/1")
        assert notes == expected
        await unary(channel, service, "GetThing")(sample.pb.GetThingRequest(id=1))
        assert notes == expected * 2
        notes.clear()
        expected = of("WatchThing", "WatchThingRequest", "NoneType")
        await client.get("/v1/things/1:watch?script=a")
        assert notes == expected
        assert [
            e.text async for e in stream(channel, service, "WatchThing")(sample.pb.WatchThingRequest(script="a"))
        ] == ["a"]
        assert notes == expected * 2
        notes.clear()
        await client.get("/v1/things/404")
        await client.get("/v1/things/x")
        outcome = ["a in GetThing NoneType", "b in GetThing NoneType"]
        assert notes == [*outcome, "b NOT_FOUND", "a NOT_FOUND", *outcome, "b VALIDATION_FAILED", "a VALIDATION_FAILED"]


async def test_sign_in_comes_before_the_request_is_read(sample: SimpleNamespace) -> None:
    async def sign_in(call: CallContext, proceed: Proceed) -> ProtoModel | None:
        if "authorization" not in call.metadata:
            raise UnauthenticatedError("sign in")
        call.principal = call.metadata["authorization"]
        return await proceed()

    service = make_service(sample)
    async with grpc_channel(service, sign_in) as channel, http_client(service, sign_in) as client:
        for url in ("/v1/things/x", "/v1/things/1:watch"):
            refused = await client.get(url)
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        assert (await client.post("/v1/things", content=b"{")).status_code == 401
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await unary(channel, service, "GetThing")(b"\xff")
        assert caught.value.code() is grpc.StatusCode.UNAUTHENTICATED
        await client.get("/v1/things/1", headers={"Authorization": "Bearer a", "X-A": "1"})
        await unary(channel, service, "GetThing")(b"", metadata=(("authorization", "Bearer b"),))
    (_, http), (_, rpc) = service.calls
    assert (http.principal, http.metadata["x-a"], http.transport, http.peer) == (
        "Bearer a",
        "1",
        "http",
        "192.0.2.7:123",
    )
    assert (rpc.principal, rpc.transport, rpc.method) == ("Bearer b", "grpc", "sample.v1.ThingService/GetThing")
    assert rpc.peer.startswith("ipv4:127.0.0.1:")


def test_two_routes_at_one_place_are_refused(sample: SimpleNamespace) -> None:
    service = make_service(sample)
    with pytest.raises(ValueError, match="two methods are bound to GET"):
        add_services(FastAPI(), [service, service])


def test_the_search_for_a_route() -> None:
    routes: Routes[str] = Routes()
    templates = ["/a", "/a/{id}", "/a/me", "/a/{id}:go", "/a/me:go", "/{x}/{y}/c", "/a/{id}/b/{other.id}", "/a:go"]
    for template in templates:
        routes.add("GET", template, template)
    found = {
        "/a": ("/a", []),
        "/a/1": ("/a/{id}", ["1"]),
        "/a/me": ("/a/me", []),
        "/a/1:go": ("/a/{id}:go", ["1"]),
        "/a/me:go": ("/a/me:go", []),
        "/a/x:y": ("/a/{id}", ["x:y"]),
        "/a/x:y:go": ("/a/{id}:go", ["x:y"]),
        "/a/me/c": ("/{x}/{y}/c", ["a", "me"]),
        "/a/1/b/2": ("/a/{id}/b/{other.id}", ["1", "2"]),
        "/a:go": ("/a:go", []),
    }
    for path, (template, values) in found.items():
        assert routes.find(path) == ({"GET": template}, values)
    for path in ("", "/", "/b", "/a/", "/a//b/2", "/a/1/", "/a:stop", "//", "/a/1/b"):
        assert routes.find(path)[0] == {}, path
    for template in ("a", "/a/", "/{a=*}", "/{A}", "/a/**", "/a b", "/a:b:c", ""):
        with pytest.raises(ValueError, match="cannot read"):
            variables(template)
