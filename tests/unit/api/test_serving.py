"""Encodings, base paths and policies of what HTTP serves."""

import asyncio

import pytest
from starlette.types import Message, Receive, Scope, Send

from echomind_api.transports.http.base_path import BasePath, base_path
from echomind_api.transports.http.encodings import preferred
from echomind_api.transports.http.files import page_at
from echomind_api.transports.http.hosts import Hosts
from echomind_api.transports.http.policies import CONTENT_SECURITY_POLICY, headers_for
from echomind_api.transports.http.request_ids import RequestIds
from echomind_api.transports.openai.errors import translated
from echomind_lib.errors import EchoMindError, to_error
from tests.drivers.tables import for_each


@for_each(
    ("accepted", "expected"),
    [
        ("", None),
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0.2, gzip;q=0.8", "gzip"),
        ("br;q=0, gzip;q=0", None),
        ("*", "br"),
        ("*;q=0.5, br;q=0", "gzip"),
        ("identity, gzip;q=0.5", None),
        ("identity;q=0.5, gzip", "gzip"),
        ("BR", "br"),
        ("gzip;q=nonsense", None),
        (" , ;q=1, gzip ; q=1.0", "gzip"),
    ],
)
def test_the_best_encoding_that_a_browser_takes(accepted: str, expected: str | None) -> None:
    assert preferred(accepted, {"br", "gzip"}) == expected


def test_only_stored_encodings_are_sent() -> None:
    assert preferred("br, gzip", {"gzip"}) == "gzip"
    assert preferred("br, gzip", set()) is None


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("", ""),
        ("https://example.org", ""),
        ("https://example.org/", ""),
        ("https://example.org/echomind/", "/echomind"),
        ("https://example.org/tools/ask", "/tools/ask"),
    ],
)
def test_the_base_path_is_that_of_the_public_address(url: str, expected: str) -> None:
    assert base_path(url) == expected


@for_each("path", ["/api", "/v1/x", "/docs", "/assets", "/a b", '/"><script>', "/a//b"])
def test_a_base_path_that_cannot_be_served_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="ECHOMIND_API__PUBLIC_URL"):
        base_path(f"https://example.org{path}")


@for_each("url", ["notaurl", "echomind.example.org", "localhost:8080", "ftp://example.org", "https:///echomind"])
def test_a_public_address_that_nobody_can_open_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"ECHOMIND_API__PUBLIC_URL: .*must be an address"):
        base_path(url)


@for_each(
    ("sent", "seen"),
    [
        ("/tools/ask", "/"),
        ("/tools/ask/", "/"),
        ("/tools/ask/api/v1/users/me", "/api/v1/users/me"),
        ("/api/v1/users/me", "/api/v1/users/me"),
        ("/tools/asking", "/tools/asking"),
        ("/", "/"),
    ],
)
async def test_a_path_is_the_same_with_and_without_the_base(sent: str, seen: str) -> None:
    found: list[tuple[str, bytes]] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        found.append((scope["path"], scope["raw_path"]))

    async def receive() -> Message:
        return {}

    async def send(message: Message) -> None:
        pass

    scope = {"type": "http", "path": sent, "raw_path": sent.encode()}
    await BasePath(app, "/tools/ask")(scope, receive, send)
    assert found == [(seen, seen.encode())]
    assert scope["path"] == sent


@for_each(
    ("host", "headers", "path", "is_answered"),
    [
        ("tools.example.org", {}, "/", True),
        ("TOOLS.example.org.:443", {}, "/", True),
        ("localhost:8080", {}, "/", True),
        ("echomind.localhost", {}, "/", True),
        ("127.0.0.1:8080", {}, "/", True),
        ("[::1]:8080", {}, "/", True),
        ("evil.example", {}, "/", False),
        ("evil.example", {}, "/api/v1/users/me", False),
        ("evil.example", {}, "/healthz", True),
        ("gateway.internal", {"authorization": "Bearer x"}, "/api/v1/users/me", True),
        ("tools.example.org.evil.example", {}, "/", False),
        ("localhost.evil.example", {}, "/", False),
        ("[::1", {}, "/", False),
        ("", {}, "/", False),
    ],
)
@for_each("kind", ["http", "websocket"])
async def test_only_names_of_the_server_are_answered(
    kind: str, host: str, headers: dict[str, str], path: str, is_answered: bool
) -> None:
    passed, sent = [], []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append(scope["path"])

    async def receive() -> Message:
        return {}

    async def send(message: Message) -> None:
        sent.append(message)

    given = [(name.encode(), value.encode()) for name, value in ({"host": host} | headers).items()]
    extensions: dict[str, object] = {"websocket.http.response": {}}
    scope = {"type": kind, "path": path, "method": "GET", "headers": given, "extensions": extensions}
    await Hosts(app, "https://tools.example.org/echomind")(scope, receive, send)
    assert bool(passed) == is_answered
    if not is_answered:
        assert sent[0]["status"] == 421
        assert b"use https://tools.example.org/echomind" in sent[1]["body"]
    await Hosts(app, "")(scope, receive, send)
    assert passed


def test_the_page_has_its_addresses_under_the_base() -> None:
    page = '<meta name="base-path" content="" /><script src="./theme.js"></script>'
    assert page_at(page, "/ask") == '<meta name="base-path" content="/ask" /><script src="/ask/theme.js"></script>'
    assert page_at(page, "") == '<meta name="base-path" content="" /><script src="/theme.js"></script>'


def test_only_what_needs_more_has_another_policy() -> None:
    assert "unsafe" not in CONTENT_SECURITY_POLICY
    for path in ("/", "/chat/1", "/sandbox", "/apiary", "/docs"):
        assert headers_for(path)["Content-Security-Policy"] == CONTENT_SECURITY_POLICY
        assert headers_for(path)["X-Frame-Options"] == "DENY"
    data = headers_for("/api/v1/users/me")
    assert data["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert data["X-Frame-Options"] == "DENY"
    sandbox = headers_for("/sandbox/mermaid.html")
    assert "frame-ancestors 'self'; sandbox allow-scripts" in sandbox["Content-Security-Policy"]
    assert sandbox["X-Frame-Options"] == "SAMEORIGIN"
    assert "'wasm-unsafe-eval'" in headers_for("/assets/pdf.worker-abc.mjs")["Content-Security-Policy"]
    assert "unsafe" not in headers_for("/assets/frame-abc.js")["Content-Security-Policy"]


async def test_the_id_of_an_answer_is_the_trace_id_of_its_error() -> None:
    errors: list[EchoMindError] = []
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        errors.append(to_error(RuntimeError("unforeseen")))
        await send({"type": "http.response.start", "status": 500, "headers": []})

    async def receive() -> Message:
        return {}

    async def send(message: Message) -> None:
        sent.append(message)

    # Each request has a task of its own.
    await asyncio.create_task(RequestIds(app)({"type": "http", "path": "/api/v1/users"}, receive, send))
    (found,) = [value for name, value in sent[0]["headers"] if name == b"x-request-id"]
    trace_id = errors[0].metadata["trace_id"]
    assert found.decode() == trace_id
    assert translated(errors[0]).message.endswith(trace_id)
