"""Slow, large and numerous requests are rejected; steady ones are not."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest

from echomind_api.auth.addresses import Proxies
from echomind_api.calls import limits
from echomind_api.main import Gateway
from echomind_api.transports.http import connections
from echomind_lib.errors import OverloadedError
from tests.drivers.client import TRANSPORTS, Client, Transport

ME = "UserService/GetCurrentUser"
SOON = 60.0
"""Seconds in which a test gives up."""

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def connected(gateway: Gateway) -> AsyncIterator[Streams]:
    """A connection that nothing was sent over."""
    address = urlsplit(gateway.http_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        yield reader, writer
    finally:
        writer.close()


async def answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, Any]]:
    """Reads one response; returns its status and error."""
    async with asyncio.timeout(SOON):
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        length = next(line for line in head.splitlines() if line.startswith("content-length:"))
        body = await reader.readexactly(int(length.partition(":")[2]))
    return int(head.split()[1]), json.loads(body)["error"]


async def eventually(holds: Callable[[], bool]) -> None:
    """Returns when something holds."""
    async with asyncio.timeout(SOON):
        while not holds():  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.01)


def head(owner: Client, rest: str, verb: str = "POST /api/v1/search") -> bytes:
    """Returns the head of a request of the owner's."""
    return f"{verb} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {owner.key}\r\n{rest}\r\n\r\n".encode()


def open_connections(gateway: Gateway) -> int:
    """Returns how many the gateway counts."""
    return gateway.parts.connections._all


async def test_a_request_whose_headers_never_end_is_closed(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.3)

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
        while not writer.is_closing():  # further ones must not extend the timeout
            writer.write(b"X-More: 1\r\n")
            await asyncio.sleep(0.05)

    async with connected(gateway) as (reader, writer):
        dripping = asyncio.create_task(drip(writer))
        status, error = await answer(reader)
        dripping.cancel()
    assert (status, error["metadata"]) == (408, {"headers": "must arrive within 0.3 seconds"})


@pytest.mark.parametrize("part", ["head", "body"])
async def test_who_writes_on_reads_the_refusal(
    gateway: Gateway, owner: Client, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)
    monkeypatch.setattr(connections, "BODY_PIECE_SECONDS", 0.1)
    begun = head(owner, "Content-Type: application/json\r\nContent-Length: 10000") + b"{"
    async with connected(gateway) as (reader, writer):
        writer.write(begun if part == "body" else begun[:50])
        await eventually(lambda: bool(reader._buffer))  # type: ignore[attr-defined]
        for _ in range(10):  # a client that is still sending: the first piece meets a closed connection, the next fails
            writer.write(b"x" * 10)
            await asyncio.sleep(0.01)
        status, error = await answer(reader)
    assert (status, error["reason"]) == (408 if part == "head" else 400, "VALIDATION_FAILED")


async def test_a_connection_that_sends_nothing_is_closed(gateway: Gateway, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.1)
    async with connected(gateway) as (reader, _):
        assert await asyncio.wait_for(reader.read(), SOON) == b""
    async with connected(gateway) as (reader, writer):
        writer.write(b"\r\n\r\n")  # which may stand before a request, and is none
        assert await asyncio.wait_for(reader.read(), SOON) == b""


async def test_headers_that_are_too_long_are_refused(gateway: Gateway) -> None:
    async with connected(gateway) as (reader, writer):
        writer.write(b"GET /healthz HTTP/1.1\r\nX-Long: " + b"x" * (connections.HEAD_BYTES + 1))
        status, error = await answer(reader)
    assert (status, error["reason"]) == (431, "VALIDATION_FAILED")


async def test_the_second_request_of_a_connection_has_its_own_time(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 1.0)
    request = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    async with connected(gateway) as (reader, writer):
        for _ in range(3):
            writer.write(request)
            assert b" 200 " in await asyncio.wait_for(reader.readline(), SOON)
            while await asyncio.wait_for(reader.readline(), SOON) != b"\r\n":
                pass
            await asyncio.wait_for(reader.read(1000), SOON)
            await asyncio.sleep(0.35)  # in total longer than the timeout of a head
        writer.write(request[:-2])
        status, _ = await answer(reader)
    assert status == 408


@pytest.mark.parametrize(("pieces", "rule"), [([], "must continue within"), ([b"x"] * 40, "must have at least")])
async def test_a_body_that_comes_too_slowly_is_refused(
    gateway: Gateway, owner: Client, monkeypatch: pytest.MonkeyPatch, pieces: list[bytes], rule: str
) -> None:
    monkeypatch.setattr(connections, "BODY_PIECE_SECONDS", 1.0 if pieces else 0.3)

    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(head(owner, "Content-Type: application/json\r\nContent-Length: 10000") + b"{")
        for piece in pieces:
            await asyncio.sleep(0.05)
            writer.write(piece)

    async with connected(gateway) as (reader, writer):
        dripping = asyncio.create_task(drip(writer))
        status, error = await answer(reader)
        dripping.cancel()
    assert (status, error["reason"]) == (400, "VALIDATION_FAILED")
    assert error["metadata"]["body"].startswith(rule)


@pytest.mark.parametrize("path", ["chat/completions", "responses", "embeddings", "vector_stores"])
async def test_a_slow_body_is_refused_in_the_form_of_the_route(
    gateway: Gateway, owner: Client, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(connections, "BODY_PIECE_SECONDS", 0.3)
    async with connected(gateway) as (reader, writer):
        writer.write(head(owner, "Content-Type: application/json\r\nContent-Length: 10000", f"POST /v1/{path}") + b"{")
        status, error = await answer(reader)
        assert await asyncio.wait_for(reader.read(), SOON) == b""
    assert (status, error["type"], error["param"]) == (400, "invalid_request_error", "body")
    assert "must continue within" in error["message"]


async def test_an_upload_that_is_slow_but_steady_is_taken(
    gateway: Gateway, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BODY_PIECE_SECONDS", 1.0)

    async def pieces() -> AsyncIterator[bytes]:
        yield b'--b\r\nContent-Disposition: form-data; name="file"; filename="steady.txt"\r\n\r\n'
        for number in range(30):  # in total longer than the timeout of a piece
            yield f"Line {number} of a file that arrives slowly.\n".encode() * 10
            await asyncio.sleep(0.05)
        yield b"\r\n--b--\r\n"

    headers = {"Authorization": f"Bearer {owner.key}", "Content-Type": "multipart/form-data; boundary=b"}
    async with owner.session.post(f"{gateway.http_url}/api/v1/documents:upload", data=pieces(), headers=headers) as got:
        assert got.status == 200, await got.text()


async def test_a_stream_of_events_outlives_all_times(
    gateway: Gateway, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HEAD_SECONDS", "BODY_PIECE_SECONDS"):
        monkeypatch.setattr(connections, name, 0.2)
    session = await owner.call("ChatSessionService/CreateChatSession", {"chatSession": {"title": "Quiet"}})
    url = f"{gateway.http_url}/api/v1/chat-sessions/{session['id']}/events"
    headers = {"Authorization": f"Bearer {owner.key}"}
    async with (
        owner.session.get(url, headers=headers) as events,
        owner.session.ws_connect(f"{url}/ws", headers=headers) as socket,
    ):
        await asyncio.sleep(0.6)
        with pytest.raises(TimeoutError):
            await socket.receive(timeout=0.1)
        assert not socket.closed
        assert not events.content.at_eof()


@pytest.mark.parametrize("limit", ["_limit", "_limit_per_address"])
async def test_connections_are_bounded_and_freed(gateway: Gateway, monkeypatch: pytest.MonkeyPatch, limit: str) -> None:
    async with AsyncExitStack() as stack:
        for _ in range(5):
            reader, writer = await stack.enter_async_context(connected(gateway))
            writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")  # and it stays open
            assert b" 200 " in await asyncio.wait_for(reader.readline(), SOON)
        monkeypatch.setattr(gateway.parts.connections, limit, 5)
        async with connected(gateway) as (reader, _):
            status, error = await answer(reader)
        assert (status, error["reason"], error["metadata"]) == (429, "OVERLOADED", {"retry_after_seconds": "5"})
    monkeypatch.setattr(gateway.parts.connections, limit, open_connections(gateway))
    await eventually(lambda: open_connections(gateway) < getattr(gateway.parts.connections, limit))
    async with aiohttp.ClientSession() as session, session.get(f"{gateway.http_url}/healthz") as got:
        assert got.status == 200


async def test_a_web_socket_counts_as_one_connection(gateway: Gateway, owner: Client) -> None:
    session = await owner.call("ChatSessionService/CreateChatSession", {"chatSession": {"title": "Counted"}})
    url = f"{gateway.http_url}/api/v1/chat-sessions/{session['id']}/events/ws"
    before = open_connections(gateway)
    async with (
        aiohttp.ClientSession() as own,
        own.ws_connect(url, headers={"Authorization": f"Bearer {owner.key}"}),
    ):
        assert open_connections(gateway) == before + 1
    await eventually(lambda: open_connections(gateway) == before)


def test_addresses_are_counted_apart_and_proxies_only_in_all() -> None:
    counted = connections.ConnectionLimits(Proxies("10.0.0.1"), 6, 2)
    for address in ("192.0.2.1", "192.0.2.1", "2001:db8::1", "2001:db8::2", "10.0.0.1"):
        counted.take(address)
    for address in ("192.0.2.1", "2001:db8::3"):
        with pytest.raises(OverloadedError, match="connections open"):
            counted.take(address)
    counted.take("10.0.0.1")
    with pytest.raises(OverloadedError, match="too many connections"):
        counted.take("10.0.0.1")
    counted.release("2001:db8::2")
    counted.take("2001:db8::3")


@pytest.mark.parametrize("via", TRANSPORTS)
async def test_calls_of_one_person_at_the_same_time_are_bounded(
    gateway: Gateway, owner: Client, monkeypatch: pytest.MonkeyPatch, via: Transport
) -> None:
    monkeypatch.setattr(limits, "CALLS_AT_ONCE", 2)
    with gateway.parts.limits.call(owner.user_id), gateway.parts.limits.call(owner.user_id):
        with pytest.raises(OverloadedError, match="2 calls at the same time") as refused:
            await owner.call(ME, via=via)
        assert refused.value.metadata == {"retry_after_seconds": "1"}
    assert await owner.call(ME, via=via)
    async with owner.session.get(f"{owner.http_url}/healthz") as got:
        assert got.status == 200
