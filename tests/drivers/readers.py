"""Readers of a session's events over each of the transports, and what the contract says that a reader keeps."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import aiohttp
import grpc
from google.protobuf import json_format
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosedError

from echomind_lib.errors import EchoMindError
from echomind_lib.errors.body import from_body
from echomind_lib.errors.grpc import from_rpc_error
from echomind_lib.pb.echomind.public.v1 import (
    chat_message_pb2,
    run_service_pb2,
    run_service_pb2_grpc,
    session_event_pb2,
)
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

Transport = Literal["grpc", "sse", "websocket"]
TRANSPORTS: tuple[Transport, ...] = ("grpc", "sse", "websocket")


@dataclass(frozen=True)
class Address:
    """One replica, as one person."""

    http_url: str
    grpc_address: str
    key: str
    certificate: Path | None = None
    """Of a server that uses TLS with one that nobody has signed."""

    @property
    def tls(self) -> ssl.SSLContext | None:
        """What HTTP trusts."""
        return ssl.create_default_context(cafile=self.certificate) if self.certificate else None

    def channel(self) -> grpc.aio.Channel:
        """Opens a channel to gRPC."""
        if not self.certificate:
            return grpc.aio.insecure_channel(self.grpc_address)
        return grpc.aio.secure_channel(self.grpc_address, grpc.ssl_channel_credentials(self.certificate.read_bytes()))

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def path(self, session_id: object, query: str = "") -> str:
        return f"{self.http_url}/api/v1/chat-sessions/{session_id}/events{query}"

    def socket_url(self, session_id: object, query: str = "") -> str:
        return self.path(session_id, f"/ws{query}").replace("http", "ws", 1)


class ClosedError(Exception):
    """A WebSocket was closed: with which code, and after which error if there was one."""

    def __init__(self, code: int, error: EchoMindError | None) -> None:
        super().__init__(code, error)
        self.code, self.error = code, error


Events = AsyncIterator[SessionEvent]


def open_stream(
    transport: Transport, address: Address, session_id: int, after: int = 0, *, abort: bool = False
) -> AbstractAsyncContextManager[Events]:
    """Opens a stream; at the block's end it is left, with `abort` without a word as far as the transport can.

    The events end with the stream's error: an `EchoMindError`, over a WebSocket a `ClosedError`.
    """
    opened = {"grpc": _grpc, "sse": _sse, "websocket": _websocket}[transport]
    return opened(address, session_id, after, abort=abort)


@asynccontextmanager
async def _grpc(address: Address, session_id: int, after: int, *, abort: bool) -> AsyncGenerator[Events]:
    del abort  # leaving the call cancels it in any case
    async with address.channel() as channel:
        stub: Any = run_service_pb2_grpc.RunServiceStub(channel)
        request = run_service_pb2.StreamSessionEventsRequest(chat_session_id=session_id, after=after)
        call = stub.StreamSessionEvents(request, metadata=[("authorization", f"Bearer {address.key}")])

        async def events() -> Events:
            try:
                async for event in call:
                    yield event
            except grpc.aio.AioRpcError as error:
                raise from_rpc_error(error) or error from None

        with suppress(grpc.aio.AioRpcError):  # raised again with the first event
            await call.initial_metadata()
        try:
            yield events()
        finally:
            call.cancel()


@asynccontextmanager
async def _sse(address: Address, session_id: int, after: int, *, abort: bool) -> AsyncGenerator[Events]:
    headers = address.headers | {"Last-Event-ID": str(after)}
    timeout = aiohttp.ClientTimeout(total=None)
    async with (
        aiohttp.ClientSession(timeout=timeout, read_bufsize=2**16) as session,
        session.get(address.path(session_id), headers=headers, ssl=address.tls or True) as response,
    ):
        if response.status != 200:
            raise _error(await response.json())
        connection = response.connection

        async def events() -> Events:
            fields: dict[str, str] = {}
            while line := (await _line(response)).decode():
                name, _, value = line.rstrip("\n").partition(": ")
                fields[name] = value
                if line == "\n" and "data" in fields:
                    if fields.get("event") == "error":
                        raise _error(json.loads(fields["data"]))
                    event = json_format.Parse(fields["data"], SessionEvent())
                    assert fields.get("id", "0") == str(event.id)
                    yield event
                    fields.clear()

        try:
            yield events()
        finally:
            if abort and connection is not None and connection.transport is not None:
                connection.transport.abort()
            response.close()


async def _line(response: aiohttp.ClientResponse) -> bytes:
    """Returns a line of any length."""
    parts = []
    while True:
        try:
            parts.append(await response.content.readuntil(b"\n"))
        except aiohttp.ClientConnectionError:
            return b""
        if not parts[-1] or parts[-1].endswith(b"\n"):
            return b"".join(parts)


@asynccontextmanager
async def _websocket(address: Address, session_id: int, after: int, *, abort: bool) -> AsyncGenerator[Events]:
    url = address.socket_url(session_id, f"?after={after}")
    async with connect(url, additional_headers=address.headers, max_size=None, proxy=None, ssl=address.tls) as socket:

        async def events() -> Events:
            error = None
            with suppress(ConnectionClosedError):
                async for message in socket:
                    assert error is None, "an error is the last message"
                    body = json.loads(message)
                    if "error" in body:
                        error = _error(body)
                    else:
                        yield json_format.ParseDict(body, SessionEvent())
            raise ClosedError(socket.close_code or 0, error)

        try:
            yield events()
        finally:
            if abort:
                socket.transport.abort()


def _error(body: Any) -> EchoMindError:
    error = from_body(body)
    assert error is not None, f"not an error of EchoMind: {body}"
    return error


class Text:
    """What a reader has of a message."""

    def __init__(self, attempt: int = 0, text: str = "") -> None:
        self.attempt = attempt
        self.length = len(text)
        self.deltas = 0
        self._parts = [text]

    def add(self, text: str) -> None:
        """Takes a delta."""
        self._parts.append(text)
        self.length += len(text)
        self.deltas += 1

    def __str__(self) -> str:
        self._parts = ["".join(self._parts)]
        return self._parts[0]


@dataclass
class Reader:
    """A client: keeps what the contract says that a client keeps, and finds out when the protocol is broken."""

    events: list[SessionEvent] = field(default_factory=list)
    """The stored ones."""
    text: Text = field(default_factory=Text)
    """Of the message that is being written, as far as this connection has told."""
    seen: int = 0
    """All events, live ones among them."""
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    _message_id: int = 0
    _over: set[int] = field(default_factory=set)

    @property
    def ids(self) -> list[int]:
        return [event.id for event in self.events]

    @property
    def last_id(self) -> int:
        return self.events[-1].id if self.events else 0

    def finals(self) -> dict[str, session_event_pb2.RunFinished]:
        """Returns how each run has ended."""
        return {event.run_id: event.finished for event in self.events if event.HasField("finished")}

    def connected(self) -> None:
        """Begins with another connection: the server says again what the text so far is."""
        self.text = Text()
        self._message_id = 0

    async def take(self, event: SessionEvent) -> None:
        """Applies one event."""
        match event.WhichOneof("detail"):
            case "delta":
                delta = event.delta
                self._of(delta.message_id)
                if delta.attempt > self.text.attempt:
                    self.text = Text(delta.attempt)
                assert delta.attempt == self.text.attempt
                assert delta.offset == self.text.length
                assert delta.text
                self.text.add(delta.text)
            case "snapshot":
                snapshot = event.snapshot
                self._of(snapshot.message_id)
                assert (snapshot.attempt, len(snapshot.text)) > (self.text.attempt, self.text.length)
                self.text = Text(snapshot.attempt, snapshot.text)
            case "finished":
                message = event.finished.message
                assert message.status != chat_message_pb2.MESSAGE_STATUS_STREAMING
                if message.id == self._message_id:
                    assert message.content.startswith(str(self.text))
                self._over.add(message.id)
        if event.id:
            assert event.id > self.last_id
            self.events.append(event)
        self.seen += 1
        async with self.changed:
            self.changed.notify_all()

    def _of(self, message_id: int) -> None:
        assert message_id not in self._over, "text of a message that is whole already"
        if message_id != self._message_id:
            self._message_id, self.text = message_id, Text()

    async def follow(self, events: Events, drop_after: int | None = None) -> None:
        """Takes events until they end, or so many."""
        self.connected()
        if drop_after == 0:
            return
        async for event in events:
            await self.take(event)
            drop_after = None if drop_after is None else drop_after - 1
            if drop_after == 0:
                return

    async def until(self, condition: Any) -> None:
        """Waits until what was read makes a condition true."""
        async with asyncio.timeout(60), self.changed:
            await self.changed.wait_for(condition)
