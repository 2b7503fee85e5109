"""HTTP to MCP servers: only to checked addresses, and with responses of limited size."""

import asyncio
import ipaddress
import socket
from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Final

import httpx2
import structlog
from mcp.shared.exceptions import MCPError
from mcp_types import CONNECTION_CLOSED
from typing_extensions import override

from echomind_agent.mcp.program import MESSAGE_BYTES
from echomind_agent.mcp.server import NoTokenError, Server
from echomind_lib.assistants.mcp_servers import refuse_host

if TYPE_CHECKING:
    from echomind_agent.mcp.sign_in import SignIn

log = structlog.get_logger(__name__)

NOT_SENT: Final = "The request was not sent"
NOT_SIGNED_IN: Final = "The request was not signed in"
FAILURES: Final = {
    NOT_SENT: "it cannot be reached",
    NOT_SIGNED_IN: "EchoMind cannot sign in at it: check the issuer, the client id and the client secret",
}
"""Why a server is not available, by the message of a request that it did not get."""
NOT_ANSWERED: Final = "Connection closed"
"""The SDK's message for requests whose connection ends before their response."""
STREAM_BROKEN: Final = "SSE stream "
"""How the SDK's messages for requests begin whose own stream ends before their response."""
_CONNECT_SECONDS = 10.0
_WRITE_SECONDS = 30.0
_IDLE_SECONDS = 2.0
"""How long an unused HTTP connection is kept: less than by usual servers (5 seconds), which may close it just when the
next request is sent."""
_GOODBYE_SECONDS = 5.0
"""Time-out for ending a session, for which closing a connection waits."""


class AnswerTooLargeError(httpx2.StreamError):
    """A response is compressed or too long."""


class CheckedTransport(httpx2.AsyncHTTPTransport):
    """Connects to the address that was checked, even if the name resolves to another one later."""

    def __init__(self, server: Server) -> None:
        self._sign_in = _sign_in(server) if server.oauth else None
        super().__init__(
            trust_env=False,
            limits=httpx2.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=_IDLE_SECONDS),
        )
        self.refused_status = 0
        """The status of the last response that rejected a message; 0 if none did."""
        self.is_shared = False
        """Whether calls use it: the failure of one message is then its own (the SDK would end all calls)."""

    @override
    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Sends a request.

        Raises:
            AddressRefusedError: An address of the host is not allowed for MCP servers.
            MCPError: EchoMind cannot sign in at the server.
            httpx2.TransportError: The server cannot be reached.
        """
        try:
            return await (self._send(request) if self._sign_in is None else self._sign_in.send(request, self._send))
        except NoTokenError as error:
            if not self.is_shared or request.method != "POST":
                raise MCPError(CONNECTION_CLOSED, NOT_SIGNED_IN) from error
            log.warning("no sign-in at an MCP server", error=type(error).__name__)
            return _failed(request, NOT_SIGNED_IN)
        except httpx2.TransportError as error:
            if not self.is_shared or request.method != "POST":
                raise
            log.warning("MCP server did not take or answer a message", error=type(error).__name__)
            was_sent = not isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout)
            return _failed(request, NOT_ANSWERED if was_sent else NOT_SENT)

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        if request.method == "DELETE":
            request.extensions = {**request.extensions, "timeout": httpx2.Timeout(_GOODBYE_SECONDS).as_dict()}
        *others, last = await _addresses(request.url)
        for address in others:
            try:
                return self._bounded(request, await super().handle_async_request(_to(address, request)))
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue  # try the next address of the name
        return self._bounded(request, await super().handle_async_request(_to(last, request)))

    def _bounded(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        # Servers without a notification stream refuse its GET; only a refused POST is an error.
        if response.status_code >= httpx2.codes.BAD_REQUEST and request.method == "POST":
            self.refused_status = response.status_code
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        # In an event stream, the reader limits each event. All other responses are read whole.
        is_stream = (
            response.status_code == httpx2.codes.OK
            and request.method != "DELETE"
            and response.headers.get("content-type", "").lower().startswith("text/event-stream")
        )
        is_plain = response.headers.get("content-encoding", "identity") == "identity"
        if not is_plain:
            response.headers.pop("content-encoding")
        if not is_stream or not is_plain:
            response.stream = _Bounded(response.stream, MESSAGE_BYTES if is_plain else 0)
        return response


def _sign_in(server: Server) -> "SignIn":
    # Here, as most servers need none, and it takes a moment to import.
    from echomind_agent.mcp.sign_in import SignIn

    return SignIn(server)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = self._limit
        async for piece in self._inner:
            left -= len(piece)
            if left < 0:
                raise AnswerTooLargeError("The answer is compressed, which was not asked for, or too large.")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


def _failed(request: httpx2.Request, message: str) -> httpx2.Response:
    """Returns the failure of one message as the server's response, as an exception would end all calls."""
    failure = {"code": CONNECTION_CLOSED, "message": message}
    return httpx2.Response(503, json={"jsonrpc": "2.0", "id": None, "error": failure}, request=request)


def is_lost(error: MCPError) -> bool:
    """Returns whether the connection ended before the response. Servers use the code for errors of their own, too."""
    return error.code == CONNECTION_CLOSED and error.message.startswith((NOT_ANSWERED, STREAM_BROKEN))


def open_http(headers: Mapping[str, str], transport: CheckedTransport) -> httpx2.AsyncClient:
    """Returns a client for one server. Proxies from the environment are not used.

    Callers limit the time of a response.
    """
    return httpx2.AsyncClient(
        headers={**headers, "accept-encoding": "identity"},
        transport=transport,
        trust_env=False,
        timeout=httpx2.Timeout(_CONNECT_SECONDS, read=None, write=_WRITE_SECONDS),
    )


async def _addresses(url: httpx2.URL) -> list[str]:
    host = url.host
    refuse_host(host)
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    else:
        return [host]
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, url.port or 443, type=socket.SOCK_STREAM)
    except OSError as error:
        raise httpx2.ConnectError(f"The name {host} cannot be resolved.") from error
    addresses = list(dict.fromkeys(str(info[4][0]) for info in found))
    for address in addresses:
        refuse_host(address)
    return addresses


def _to(address: str, request: httpx2.Request) -> httpx2.Request:
    """Returns the request to one address of its host; the name stays in the header `Host` and is what TLS checks."""
    if address == request.url.host:
        return request
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "sni_hostname": request.url.host},
    )
