"""The WebSocket itself: its upgrade, its credentials, its ends."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import pytest_asyncio
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError, InvalidStatus

from echomind_api.main import serve
from echomind_lib.errors import EchoMindError
from echomind_lib.errors.body import from_body
from tests.drivers.client import Client
from tests.drivers.installation import Installation, until_readers
from tests.drivers.readers import Address, Reader, open_stream


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def session_id(installation: Installation) -> int:
    """A session of the owner with one question in it."""
    sent = await installation.ask("words=3")
    await installation.ended(sent["run"]["id"])
    return int(sent["run"]["chatSessionId"])


async def refused(url: str, headers: dict[str, str] | None = None, **options: Any) -> tuple[int, EchoMindError]:
    """Returns the status and the error that an upgrade is refused with."""
    with pytest.raises(InvalidStatus) as caught:
        async with connect(url, additional_headers=headers, proxy=None, **options):
            pass
    response = caught.value.response
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert ("WWW-Authenticate" in response.headers) == (response.status_code == 401)
    error = from_body(json.loads(response.body))
    assert error is not None
    return response.status_code, error


@asynccontextmanager
async def connected(address: Address, session_id: int, **options: Any) -> AsyncGenerator[ClientConnection]:
    async with connect(address.socket_url(session_id), proxy=None, **options) as socket:
        yield socket


async def ended(socket: ClientConnection) -> tuple[int, dict[str, Any]]:
    """Returns the code and the last message of a WebSocket."""
    last: dict[str, Any] = {}
    with suppress(ConnectionClosedError):
        async with asyncio.timeout(60):
            async for message in socket:
                last = json.loads(message)
    return socket.close_code or 0, last


@pytest.mark.parametrize(
    ("session", "query", "status", "field"),
    [
        ("x", "", 400, "chatSessionId"),
        ("0", "", 400, "chatSessionId"),
        ("-1", "", 400, "chatSessionId"),
        ("99999999999", "", 400, "chatSessionId"),
        ("1%2F2", "", 404, "id"),
        ("2147483647", "", 404, "id"),
        ("1", "?after=-1", 400, "after"),
        ("1", "?after=x", 400, "after"),
        ("1", "?after=9223372036854775808", 400, "after"),
        ("1", "?after=1&after=2", 400, "after"),
        ("1", "?colour=blue", 400, "colour"),
        ("1", "?after=%FF", 400, "query"),
        ("1", "?after=%00", 400, "query"),
    ],
)
async def test_bad_requests_are_refused_before_the_upgrade(
    installation: Installation, session: str, query: str, status: int, field: str
) -> None:
    address = installation.address()
    got, error = await refused(address.socket_url(session, query), address.headers)
    assert got == status
    assert field in error.metadata
    assert error.reason == ("NOT_FOUND" if status == 404 else "VALIDATION_FAILED")


async def test_who_may_read(installation: Installation, session_id: int) -> None:
    url = installation.address().socket_url(session_id)
    for headers, protocols in (
        ({}, None),
        ({"Authorization": "Bearer em_wrong"}, None),
        ({"Authorization": "Basic abc"}, None),
        ({"Cookie": "echomind_session=wrong", "Origin": installation.owner.http_url}, None),
        ({}, ["bearer"]),
        ({}, ["bearer", "em_wrong"]),
        ({}, ["em_wrong", "bearer"]),
    ):
        status, error = await refused(url, headers, subprotocols=protocols)
        assert (status, error.reason) == (401, "UNAUTHENTICATED")
    somebody = await installation.user()
    status, error = await refused(url, {"Authorization": f"Bearer {somebody.key}"})
    assert (status, error.metadata) == (404, {"resource": "chat session", "id": str(session_id)})
    await installation.replicas[0].parts.denials.flush()
    action = "SELECT count(*) FROM audit_log WHERE actor_id = $1 AND denied AND action = $2"
    assert await installation.pool.fetchval(action, somebody.user_id, "RunService/StreamSessionEvents") == 1


async def test_a_superadmin_reads_others_and_it_is_noted(installation: Installation, session_id: int) -> None:
    auditor = await installation.user(("ROLE_SUPERADMIN",))
    reader = Reader()
    async with open_stream("websocket", installation.address(0, auditor.key), session_id) as events:
        async for event in events:
            await reader.take(event)
            if reader.finals():
                break
    target = f"chat-sessions/{session_id}"
    recorded = "SELECT count(*) FROM audit_log WHERE actor_id = $1 AND NOT denied AND target = $2"
    assert await installation.pool.fetchval(recorded, auditor.user_id, target) == 1


@pytest.mark.parametrize(
    "given",
    [
        {"Origin": "http://elsewhere.example"},
        {"Origin": "http://elsewhere.example", "Authorization": ""},
        {"Origin": "null"},
        {},
    ],
)
async def test_a_cookie_counts_only_for_pages_of_this_server(
    installation: Installation, session_id: int, given: dict[str, str]
) -> None:
    headers = {"Cookie": await installation.cookie(1)} | given
    status, error = await refused(installation.address().socket_url(session_id), headers)
    assert (status, error.reason) == (403, "PERMISSION_DENIED")


async def test_ways_to_sign_in(installation: Installation, session_id: int) -> None:
    address = installation.address()
    for headers, protocols, accepted in (
        ({"Cookie": await installation.cookie(1), "Origin": address.http_url}, None, None),
        (address.headers, None, None),
        (address.headers | {"Cookie": "echomind_session=x", "Origin": "http://elsewhere.example"}, None, None),
        ({"Origin": "http://elsewhere.example"}, ["bearer", address.key], "bearer"),
    ):
        async with connected(address, session_id, additional_headers=headers, subprotocols=protocols) as socket:
            assert json.loads(await socket.recv())["id"]
            assert socket.subprotocol == accepted
            assert address.key not in str(socket.response.headers if socket.response else "")


async def test_what_is_no_web_socket(installation: Installation, session_id: int) -> None:
    owner = installation.owner
    async with owner.session.get(f"{owner.http_url}/api/v1/chat-sessions/{session_id}/events/ws") as response:
        assert response.status == 426
        assert response.headers["Upgrade"] == "websocket"
        error = from_body(await response.json())
        assert error is not None
        assert error.reason == "UNIMPLEMENTED"
    for path in ("/nothing", "/", "/api/v1/chat-sessions/1/events"):
        status, error = await refused(owner.http_url.replace("http", "ws", 1) + path)
        assert (status, error.reason) == (404, "NOT_FOUND")


@pytest.mark.parametrize("message", ["{}", b"\x00", ""])
async def test_it_only_sends(installation: Installation, session_id: int, message: str | bytes) -> None:
    address = installation.address()
    async with connected(address, session_id, additional_headers=address.headers) as socket:
        await socket.ping()  # which is answered
        await socket.send(message)
        code, last = await ended(socket)
    assert (code, last["error"]["reason"]) == (1003, "VALIDATION_FAILED")
    async with connected(address, session_id, additional_headers=address.headers) as socket:
        await socket.send("x" * 5000)
        code, _ = await ended(socket)
    assert code == 1009
    await until_readers(0)


async def test_nothing_is_compressed(installation: Installation, session_id: int) -> None:
    address = installation.address()
    async with connected(address, session_id, additional_headers=address.headers) as socket:
        assert not socket.protocol.extensions


async def test_pings_detect_disconnected_clients(
    installation: Installation, session_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echomind_api.main.PING_SECONDS", 1.0)  # long enough for clients that answer on a busy machine
    async with serve(installation.settings) as gateway:
        address = Address(gateway.http_url, gateway.grpc_address, installation.owner.key)
        silent = await shake_hands(address, session_id)
        async with connected(address, session_id, additional_headers=address.headers, ping_interval=None) as lively:
            await until_readers(2)
            await until_readers(1)  # the client that answers pings stays
            assert json.loads(await lively.recv())["id"]
        silent.close()
        await silent.wait_closed()


async def shake_hands(address: Address, session_id: int) -> asyncio.StreamWriter:
    """Opens a WebSocket as a client that never answers."""
    host, _, port = address.http_url.removeprefix("http://").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = [
        f"GET /api/v1/chat-sessions/{session_id}/events/ws HTTP/1.1",
        f"Host: {host}:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version: 13",
        f"Authorization: Bearer {address.key}",
    ]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    assert b" 101 " in await reader.readline()
    return writer


async def test_openapi_has_the_handshake(installation: Installation) -> None:
    owner: Client = installation.owner
    async with owner.session.get(f"{owner.http_url}/api/v1/openapi.json") as response:
        document = await response.json()
    operation = document["paths"]["/api/v1/chat-sessions/{chat_session_id}/events/ws"]["get"]
    assert operation["responses"].keys() == {"101", "426", "default"}
    assert {parameter["name"] for parameter in operation["parameters"]} == {"chat_session_id", "after"}
