"""Limits of HTTP connections: their number, the time in which a request must arrive, and the size of its head.

uvicorn has no timeout for incomplete requests and no limit for the size of a head.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from echomind_api.auth.addresses import Proxies, network_of
from echomind_lib.errors import EchoMindError, OverloadedError, ValidationFailedError
from echomind_lib.errors.body import STATUS, to_body

HEAD_SECONDS: Final = 10.0
"""Timeout of the request line and headers, from the start of the connection or the request's first byte."""
HEAD_BYTES: Final = 64 * 1024
"""Maximum size of request line and headers; data that arrives together with their end may exceed it."""
BODY_PIECE_SECONDS: Final = 30.0
"""Timeout of the next piece of a body."""
BODY_BYTES_PER_SECOND: Final = 1024
"""Minimum average rate of a body, after the timeout of one piece."""
LINGER_SECONDS: Final = 1.0
"""Time for which the rest of a refused request is read and discarded.

A connection that is closed with unread input is reset, and the client may lose the answer (RFC 9112, section 9.6).
"""

_REQUEST_TIMEOUT: Final = 408
_HEAD_TOO_LONG: Final = 431


class ConnectionLimits:
    """Counts open connections, in all and of each address. Named proxies bring many people's, so only the sum counts.

    An IPv6 network of 64 bits is one address.
    """

    def __init__(self, proxies: Proxies, limit: int, limit_per_address: int) -> None:
        """Starts without connections.

        Args:
            proxies: The proxies that are named in the settings.
            limit: Connections at the same time.
            limit_per_address: Connections of one address at the same time.
        """
        self._proxies = proxies
        self._limit = limit
        self._limit_per_address = limit_per_address
        self._all = 0
        self._of: Counter[str] = Counter()

    def take(self, address: str) -> None:
        """Counts a connection.

        Raises:
            OverloadedError: There are too many connections.
        """
        key = network_of(address)
        if self._all >= self._limit:
            raise OverloadedError("The server has too many connections: try again.", retry_after_seconds=5)
        if self._of[key] >= self._limit_per_address and not self._proxies.has(address):
            raise OverloadedError(
                f"{address} has {self._of[key]} connections open, which is the limit: close some, or use them again.",
                retry_after_seconds=5,
            )
        self._all += 1
        self._of[key] += 1

    def release(self, address: str) -> None:
        """Counts a connection no longer."""
        key = network_of(address)
        self._all -= 1
        self._of[key] -= 1
        if not self._of[key]:
            del self._of[key]


class HttpConnection(HttpToolsProtocol):
    """A connection that is counted, and closed when the head of a request is too slow or too long."""

    def __init__(self, *args: Any, limits: ConnectionLimits, **named: Any) -> None:
        super().__init__(*args, **named)
        self._limits = limits
        self._counted = ""
        self._timer: asyncio.TimerHandle | None = None
        self._part = ""
        """The part of a request that is awaited: `head`, `body`, or nothing."""
        self._head_bytes = 0
        self._is_refused = False

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        try:
            self._limits.take(address := self.client[0] if self.client else "")
        except OverloadedError as error:
            self._refuse(error)
            return
        self._counted = address
        self._close_after(HEAD_SECONDS)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._keep_open()
        self._uncount()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing() or self._is_refused:
            return
        if self._part != "body":
            self._head_bytes += len(data)
        super().data_received(data)
        # While a request is being handled, the application reads the rest of its body, with its own timeouts.
        if self.transport.get_protocol() is not self or not self._is_idle or self.transport.is_closing():
            return
        if self._part != "body" and self._head_bytes > HEAD_BYTES:
            rule = f"must have at most {HEAD_BYTES} bytes"
            error = ValidationFailedError(f"The request line and headers {rule}.", headers=rule)
            self._refuse(error, _HEAD_TOO_LONG)
        elif self._timer is None:
            # Waiting for the rest of an unread body, or for the next request.
            seconds = {"head": HEAD_SECONDS, "body": BODY_PIECE_SECONDS}
            self._close_after(seconds.get(self._part, self.timeout_keep_alive))

    @override
    def on_message_begin(self) -> None:
        self._part = "head"
        self._keep_open()
        super().on_message_begin()

    @override
    def on_headers_complete(self) -> None:
        self._part, self._head_bytes = "body", 0
        self._keep_open()
        super().on_headers_complete()

    @override
    def on_message_complete(self) -> None:
        self._part = ""
        self._keep_open()
        super().on_message_complete()

    @override
    def handle_websocket_upgrade(self) -> None:
        self._uncount()  # the WebSocket protocol counts the connection itself
        super().handle_websocket_upgrade()

    @property
    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _uncount(self) -> None:
        if self._counted:
            self._limits.release(self._counted)
            self._counted = ""

    def _close_after(self, seconds: float) -> None:
        self._timer = self.loop.call_later(seconds, self._on_timer)

    def _keep_open(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        self._timer = None
        if self._part == "head" and self._is_idle:
            rule = f"must arrive within {HEAD_SECONDS:g} seconds"
            error = ValidationFailedError(f"The request line and headers {rule}.", headers=rule)
            self._refuse(error, _REQUEST_TIMEOUT)
        else:  # a browser may have opened the connection in advance, and must not read an error as its next response
            self.transport.close()

    def _refuse(self, error: EchoMindError, status: int | None = None) -> None:
        """Answers an incomplete request, and closes the connection once the client has had time to read the answer."""
        body = to_body(error)
        headers = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"}
        if (delay := error.metadata.get("retry_after_seconds")) is not None:
            headers["retry-after"] = delay
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.transport.write(STATUS_LINE[status or STATUS[error.code]] + lines.encode() + b"\r\n" + body)
        self._is_refused = True
        if not self.transport.can_write_eof():
            self.transport.close()
            return
        self.transport.write_eof()
        self._keep_open()
        self._timer = self.loop.call_later(LINGER_SECONDS, self.transport.close)


class WebSocketConnection(WebSocketsSansIOProtocol):
    """A connection that has become a WebSocket, and is counted on."""

    def __init__(self, *args: Any, limits: ConnectionLimits, **named: Any) -> None:
        super().__init__(*args, **named)
        self._limits = limits

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._limits.take(self._address)

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._limits.release(self._address)

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""


def protocols(limits: ConnectionLimits) -> tuple[Callable[..., HttpConnection], Callable[..., WebSocketConnection]]:
    """Returns the protocol factories with these limits, for uvicorn's `http` and `ws`."""
    return partial(HttpConnection, limits=limits), partial(WebSocketConnection, limits=limits)


class BodyTimeouts:
    """ASGI middleware that rejects a body whose pieces arrive too slowly, when it is read.

    Only the time that the application waits for pieces counts, so a large file that arrives steadily may take long.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a request whose body is monitored."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(receive)

        async def close_after_refusal(message: Message) -> None:
            if not body.is_slow:
                await send(message)
            elif message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Connection"] = "close"
                await send(message)
            else:
                # The server closes the connection with the last piece.
                await send({**message, "more_body": True})
                if not message.get("more_body", False):
                    await body.discard(LINGER_SECONDS)
                    await send({"type": "http.response.body"})

        await self._app(scope, body.receive, close_after_refusal)


class _Body:
    """The body of one request, and how long it was waited for."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self.is_slow = False
        """Whether it was refused for that."""
        self._more = True
        self._bytes = 0
        self._seconds = 0.0

    async def receive(self) -> Message:
        """Returns the next piece, or after the last one the client's disconnect.

        Raises:
            ValidationFailedError: The body arrives too slowly.
        """
        if not self._more:
            return await self._receive()
        loop = asyncio.get_running_loop()
        begun = loop.time()
        try:
            async with asyncio.timeout(BODY_PIECE_SECONDS):
                message = await self._receive()
        except TimeoutError:
            raise self._slow(f"must continue within {BODY_PIECE_SECONDS:g} seconds") from None
        self._seconds += loop.time() - begun
        self._bytes += len(message.get("body", b""))
        self._more = message["type"] == "http.request" and message.get("more_body", False)
        if self._more and self._seconds > max(BODY_PIECE_SECONDS, self._bytes / BODY_BYTES_PER_SECOND):
            raise self._slow(f"must have at least {BODY_BYTES_PER_SECOND} bytes a second")
        return message

    async def discard(self, seconds: float) -> None:
        """Reads the rest, until it ends, the client leaves, or so much time is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._more:
                    self._more = (await self._receive()).get("more_body", False)

    def _slow(self, rule: str) -> ValidationFailedError:
        self.is_slow = True
        return ValidationFailedError(
            f"body: {rule}; {self._bytes} bytes came in {self._seconds:.0f} seconds", body=rule
        )
