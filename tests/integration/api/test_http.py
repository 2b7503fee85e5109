"""HTTP routes outside the contract, and the form of responses."""

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import asyncpg
import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2

from echomind.local.embedded.process import free_port
from echomind_api.main import Gateway
from echomind_api.readiness import readiness
from echomind_lib.contract.http_call import http_rule
from echomind_lib.errors import DependencyUnavailableError
from echomind_lib.telemetry import serve_health
from tests.drivers.client import METHODS, TRANSPORTS, Client, error_of
from tests.drivers.gateway import NewUser, Process
from tests.factories.settings import SCRIPT


async def get(client: Client, path: str, **options: Any) -> aiohttp.ClientResponse:
    response = await client.session.get(client.http_url + path, allow_redirects=False, **options)
    await response.read()
    return response


@pytest.mark.parametrize("path", ["/", "/index.html", "/chats/12", "/settings/models", "/%20"])
async def test_the_web_ui_answers_every_place_within_it(anonymous: Client, path: str) -> None:
    response = await get(anonymous, path)
    assert (response.status, response.content_type) == (200, "text/html")
    assert "The web UI" in await response.text()
    assert response.headers["Cache-Control"] == "no-cache"
    policy = response.headers["Content-Security-Policy"]
    assert "default-src 'none'; script-src 'self'; style-src 'self';" in policy
    assert "unsafe" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "no-referrer"


async def test_built_files_are_kept_forever(anonymous: Client) -> None:
    response = await get(anonymous, "/assets/main-abc123.js")
    assert response.status == 200
    assert "immutable" in response.headers["Cache-Control"]
    again = await get(anonymous, "/assets/main-abc123.js", headers={"If-None-Match": response.headers["ETag"]})
    assert again.status == 304


@pytest.mark.parametrize(
    ("accepted", "sent", "body"),
    [
        ("gzip, br", "br", b"the script in brotli"),
        ("gzip", "gzip", gzip.compress(SCRIPT.encode())),
        ("br;q=0.1, gzip;q=0.9", "gzip", gzip.compress(SCRIPT.encode())),
        ("identity", None, SCRIPT.encode()),
        ("br;q=0, *;q=0", None, SCRIPT.encode()),
    ],
    # The timestamp in the gzip header would give the tests different names in each worker.
    ids=["brotli", "gzip", "preferred", "identity", "none"],
)
async def test_files_come_in_the_best_encoding(anonymous: Client, accepted: str, sent: str | None, body: bytes) -> None:
    url, headers = f"{anonymous.http_url}/assets/main-abc123.js", {"Accept-Encoding": accepted}
    async with aiohttp.ClientSession(auto_decompress=False) as session:
        async with session.get(url, headers=headers) as response:
            read = await response.read()
        async with session.head(url, headers=headers) as head:
            pass
        async with session.get(url, headers=headers | {"If-None-Match": response.headers["ETag"]}) as again:
            pass
    assert read[:4] + read[10:] == body[:4] + body[10:]  # except the timestamp in the gzip header
    assert response.headers.get("Content-Encoding") == sent
    assert response.headers["Content-Type"].startswith("text/javascript")
    assert response.headers["Vary"] == "Accept-Encoding"
    own = {"Date": "", "X-Request-ID": ""}
    assert dict(head.headers) | own == dict(response.headers) | own
    assert (again.status, again.headers["ETag"]) == (304, response.headers["ETag"])


async def test_encodings_have_tags_of_their_own_and_no_address(anonymous: Client) -> None:
    path, tags = "/assets/main-abc123.js", set()
    async with aiohttp.ClientSession(anonymous.http_url, auto_decompress=False) as session:
        for accepted in ("br", "gzip", "identity"):
            async with session.get(path, headers={"Accept-Encoding": accepted}) as response:
                tags.add(response.headers["ETag"])
    assert len(tags) == 3
    part = await get(anonymous, path, headers={"Accept-Encoding": "br", "Range": "bytes=0-5"})
    assert (part.status, await part.text()) == (206, SCRIPT[:6])
    for suffix in (".br", ".gz"):
        assert (await get(anonymous, path + suffix)).status == 404


@pytest.mark.parametrize(
    "path",
    [
        "/assets/missing.js",
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/assets/../../secret.txt",
        "//etc/passwd",
    ],
)
async def test_no_way_leads_out_of_the_folder(anonymous: Client, path: str) -> None:
    reader, writer = await _connect(anonymous)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    assert b"outside of the web UI" not in answer
    assert b"root:" not in answer
    assert answer.split(b" ", 2)[1] in {b"404", b"200"}


async def _connect(client: Client) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    host, _, port = client.http_url.removeprefix("http://").partition(":")
    return await asyncio.open_connection(host, int(port))


@pytest.mark.parametrize(
    "path",
    [
        *("/api", "/api/", "/api:x", "/api/v1/nothing", "/api/v1/users/", "/api/v2/users"),
        *("/auth", "/auth/nothing", "/v1", "/mcp/x"),
        "/docs/x.js",
    ],
)
async def test_unknown_paths_of_the_api_are_errors(anonymous: Client, path: str) -> None:
    response = await get(anonymous, path)
    assert response.status == 404
    error = error_of(await response.json())
    assert error.reason == "NOT_FOUND"
    assert error.metadata["id"] == path


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/auth/nothing"])
async def test_unknown_paths_of_the_api_are_errors_for_every_verb(anonymous: Client, path: str) -> None:
    for verb in ("POST", "PUT", "PATCH", "DELETE"):
        async with anonymous.session.request(verb, anonymous.http_url + path) as response:
            assert response.status == 404
            assert error_of(await response.json()).reason == "NOT_FOUND"


@pytest.mark.parametrize("path", ["/v1/", "/v1/nothing", "/v1/chat/nothing"])
async def test_unknown_paths_for_programs_are_errors_in_their_form(anonymous: Client, path: str) -> None:
    for verb in ("GET", "POST", "PUT", "PATCH", "DELETE"):
        async with anonymous.session.request(verb, anonymous.http_url + path) as response:
            assert (response.status, (await response.json())["error"]["code"]) == (404, "not_found")


async def test_a_wrong_verb_names_the_right_ones(anonymous: Client) -> None:
    async with anonymous.session.delete(f"{anonymous.http_url}/api/v1/users/me") as response:
        assert response.status == 405
        assert error_of(await response.json()).reason == "UNIMPLEMENTED"


def bearer(client: Client) -> dict[str, str]:
    return {"Authorization": f"Bearer {client.key}"}


async def test_health(anonymous: Client, owner: Client, process: Process) -> None:
    assert await (await get(anonymous, "/healthz")).json() == {"status": "ok"}
    ready = await get(anonymous, "/readyz", headers=bearer(owner))
    names = ("postgres", "nats", "qdrant", "s3", "embedding")
    assert await ready.json() == {"ready": True, "dependencies": dict.fromkeys(names, "ok")}
    metrics = await (await get(anonymous, "/metrics", headers=bearer(owner))).text()
    assert "echomind_api_calls_total" in metrics


async def test_internals_are_not_revealed_in_public(anonymous: Client, new_user: NewUser, process: Process) -> None:
    admin, nobody = await new_user("admin"), anonymous.as_("em_no-key")
    for caller in (None, admin, nobody):
        ready = await get(anonymous, "/readyz", headers=bearer(caller) if caller else {})
        assert (ready.status, await ready.json()) == (200, {"ready": True})
    for headers, status in (({}, 401), (bearer(admin), 403), (bearer(nobody), 401)):
        response = await get(anonymous, "/metrics", headers=headers)
        assert response.status == status
        assert "echomind_api" not in await response.text()


async def test_the_health_port_serves_operators_without_authentication(gateway: Gateway, process: Process) -> None:
    port = free_port()
    health = await serve_health("127.0.0.1", port, readiness(gateway.parts.dependencies))
    assert health is not None
    try:
        async with aiohttp.ClientSession(f"http://127.0.0.1:{port}") as session:
            async with session.get("/readyz") as ready:
                assert (await ready.json())["dependencies"]["postgres"] == "ok"
            async with session.get("/metrics") as metrics:
                assert "echomind_api_calls_total" in await metrics.text()
    finally:
        await health.cleanup()


async def test_health_names_components_that_do_not_respond(
    anonymous: Client, owner: Client, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = gateway.parts.dependencies.bus.client
    monkeypatch.setattr(type(client), "is_connected", False)
    public = await get(anonymous, "/readyz")
    assert (public.status, await public.json()) == (503, {"ready": False})
    ready = await get(anonymous, "/readyz", headers=bearer(owner))
    assert ready.status == 503
    body = await ready.json()
    assert body["ready"] is False
    assert body["dependencies"]["nats"] != "ok"
    assert body["dependencies"]["postgres"] == "ok"


async def test_health_and_reflection_over_grpc(anonymous: Client) -> None:
    checker: Any = health_pb2_grpc.HealthStub(anonymous.channel)
    for service in ["", *{method.containing_service.full_name for method in METHODS.values()}]:
        answer = await checker.Check(health_pb2.HealthCheckRequest(service=service))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    ask_all = anonymous.channel.stream_stream(
        f"/{reflection.SERVICE_NAME}/ServerReflectionInfo",
        reflection_pb2.ServerReflectionRequest.SerializeToString,
        reflection_pb2.ServerReflectionResponse.FromString,
    )

    async def ask() -> AsyncIterator[reflection_pb2.ServerReflectionRequest]:
        yield reflection_pb2.ServerReflectionRequest(list_services="")

    answers = [answer async for answer in ask_all(ask())]
    names = {service.name for service in answers[0].list_services_response.service}
    assert {method.containing_service.full_name for method in METHODS.values()} <= names


async def test_the_documentation_loads_nothing_from_elsewhere(anonymous: Client) -> None:
    page = await (await get(anonymous, "/docs")).text()
    links = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert links
    for link in links:
        assert link.startswith("docs/")  # relative, so that it holds under a path
        assert (await get(anonymous, f"/{link}")).status == 200
    assert "<script>" not in page  # blocked by the page's policy


async def openapi(client: Client) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(await (await get(client, "/api/v1/openapi.json")).read())
    return document


async def test_every_route_is_documented(anonymous: Client) -> None:
    document = await openapi(anonymous)
    described = {
        (verb.upper(), re.sub(r"\{\w+", "{", path)) for path, item in document["paths"].items() for verb in item
    }
    for name, method in METHODS.items():
        if rule := http_rule(method):
            assert (rule.verb, re.sub(r"\{\w+", "{", rule.template)) in described, name
    for verb, path in (
        ("POST", "/api/v1/documents:upload"),
        ("GET", "/api/v1/documents/{}:download"),
        ("GET", "/api/v1/users/{}:export"),
        ("GET", "/auth/link"),
        ("POST", "/auth/sign-in"),
        ("POST", "/auth/sign-out"),
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/metrics"),
    ):
        assert (verb, path) in described
    for path, item in document["paths"].items():
        for verb, operation in item.items():
            assert operation["summary"] or operation["description"], (verb, path)
            assert operation["responses"], (verb, path)


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for value in node.values():
            yield from _references(value)
    elif isinstance(node, list):
        for value in node:
            yield from _references(value)


async def test_openapi_holds_together(anonymous: Client) -> None:
    document = await openapi(anonymous)
    assert document["openapi"] == "3.1.0"
    # Generators of clients leave out whatever refers to a schema that contains itself.
    assert list(document["components"]["schemas"]["JsonValue"]) == ["description"]
    for reference in _references(document):
        node: Any = document
        for part in reference.removeprefix("#/").split("/"):
            node = node[part.replace("~1", "/").replace("~0", "~")]
    ids = [operation["operationId"] for item in document["paths"].values() for operation in item.values()]
    assert len(ids) == len(set(ids))
    for path, item in document["paths"].items():
        for operation in item.values():
            places = {parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "path"}
            assert places == set(re.findall(r"\{(\w+)\}", path)), path
    public = [
        path
        for path, item in document["paths"].items()
        for operation in item.values()
        if path.startswith("/api/") and not operation.get("security")
    ]
    assert public == [
        "/api/v1/auth/options",
        "/api/v1/device-sign-ins",
        "/api/v1/device-sign-ins:complete",
        "/api/v1/shared-sessions:read",
    ]


@pytest.mark.parametrize(
    ("verb", "path", "body", "status", "reason"),
    [
        ("GET", "/api/v1/users/me", None, 401, "UNAUTHENTICATED"),
        ("GET", "/api/v1/documents/0", None, 400, "VALIDATION_FAILED"),
        ("GET", "/api/v1/documents/x", None, 400, "VALIDATION_FAILED"),
        ("GET", "/api/v1/documents/99999999999999999999", None, 400, "VALIDATION_FAILED"),
        ("GET", "/api/v1/documents/99999999999999999999:download", None, 400, "VALIDATION_FAILED"),
        ("GET", "/api/v1/documents/9223372036854775807", None, 404, "NOT_FOUND"),
        ("GET", "/api/v1/documents/9223372036854775807:download", None, 404, "NOT_FOUND"),
        ("GET", "/api/v1/users/x:export", None, 400, "VALIDATION_FAILED"),
        ("GET", "/api/v1/users/2147483647:export", None, 404, "NOT_FOUND"),
        ("GET", "/api/v1/documents?pageToken=nonsense", None, 400, "INVALID_PAGE_TOKEN"),
        ("GET", "/api/v1/documents?pageSize=-1", None, 400, "VALIDATION_FAILED"),
        ("GET", "/api/v1/documents?colour=blue", None, 400, "VALIDATION_FAILED"),
        ("POST", "/api/v1/search", b"{", 400, "VALIDATION_FAILED"),
        ("POST", "/api/v1/search", b'{"query": ""}', 400, "VALIDATION_FAILED"),
        ("POST", "/api/v1/search", b'{"query": "x", "colour": 1}', 400, "VALIDATION_FAILED"),
        ("POST", "/api/v1/api-keys", b'{"name": "a\\u0000b"}', 400, "VALIDATION_FAILED"),
        ("PATCH", "/api/v1/users/me", b'{"preferences": {"a": "b"}}', 400, "VALIDATION_FAILED"),
        ("PATCH", "/api/v1/users/me", b"{}", 400, "VALIDATION_FAILED"),
        ("PATCH", "/api/v1/users/me", b"[]", 400, "VALIDATION_FAILED"),
        ("GET", "/api/v1/connectors/2147483647", None, 404, "NOT_FOUND"),
        ("POST", "/api/v1/chat-sessions/9999999999/messages", b'{"content": "x"}', 400, "VALIDATION_FAILED"),
        ("POST", "/api/v1/chat-sessions/9999999999/messages:stream", b'{"content": "x"}', 400, "VALIDATION_FAILED"),
    ],
)
async def test_every_failure_has_one_shape(
    owner: Client, verb: str, path: str, body: bytes | None, status: int, reason: str
) -> None:
    headers = {"Content-Type": "application/json"}
    if reason != "UNAUTHENTICATED":
        headers["Authorization"] = f"Bearer {owner.key}"
    url = owner.http_url + path
    async with owner.session.request(verb, url, data=body, headers=headers) as response:
        assert response.status == status
        assert response.content_type == "application/json"
        error = error_of(await response.json())
        assert error.reason == reason
        assert error.message
        assert "asyncpg" not in error.message
        if status == 401:
            assert response.headers["WWW-Authenticate"] == "Bearer"


async def test_a_large_body_is_refused_before_it_is_read(owner: Client) -> None:
    headers = {
        "Authorization": f"Bearer {owner.key}",
        "Content-Length": str(10**12),
        "Content-Type": "application/json",
    }
    reader, writer = await _connect(owner)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    writer.write(f"POST /api/v1/search HTTP/1.1\r\nHost: x\r\n{lines}\r\n".encode())
    answer = await reader.readuntil(b"}}")
    writer.close()
    await writer.wait_closed()
    assert b" 400 " in answer.split(b"\r\n")[0]


async def test_a_large_message_is_refused_over_grpc(owner: Client) -> None:
    call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]
    call = owner.channel.unary_unary("/echomind.public.v1.SearchService/Search")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(b"x" * (32 * 2**20 + 1), metadata=(("authorization", f"Bearer {owner.key}"),))
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_lost_database_is_named(new_user: NewUser, gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    somebody = await new_user()
    await somebody.call("UserService/GetCurrentUser")

    @asynccontextmanager
    async def refuse(*_: object, **__: object) -> AsyncIterator[object]:
        yield await asyncpg.connect("postgresql://somebody@127.0.0.1:1/none", ssl=False)

    monkeypatch.setattr(type(gateway.parts.dependencies.database), "session", refuse)
    for via in TRANSPORTS:
        with pytest.raises(DependencyUnavailableError, match="database") as caught:
            await somebody.call("LlmService/ListLlms", via=via)
        assert caught.value.metadata == {"dependency": "postgres"}
