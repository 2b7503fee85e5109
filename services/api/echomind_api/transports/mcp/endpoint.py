"""The route `/mcp`: a request's credential, limits and end; the protocol's package answers it."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, MutableMapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from importlib import import_module
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from echomind_api.calls.handwritten import run_call
from echomind_api.transports.http.cross_origin import origins_of
from echomind_api.transports.http.guard import is_same_origin
from echomind_api.transports.http.hosts import KnownHosts
from echomind_api.transports.mcp.authorization import RESOURCE, ResourceMetadata
from echomind_api.transports.mcp.cancellations import CancellationListener
from echomind_lib.config import ApiSettings
from echomind_lib.contract import CallContext
from echomind_lib.contract.call import Middleware
from echomind_lib.errors import EchoMindError, PermissionDeniedError, to_error
from echomind_lib.errors.http import to_response

UNAUTHENTICATED: Final = 401
METHOD: Final = "McpService/Serve"
"""The method of its calls in metrics and the audit log."""
CURRENT: ContextVar[CallContext] = ContextVar("mcp_call")
"""The call that a handler of the protocol works for."""
Cancel = Callable[[CallContext, str], Awaitable[None]]


class McpEndpoint:
    """An ASGI application. `run` must run concurrently: it imports and runs the protocol's server."""

    def __init__(self, server: Callable[[], Any], cancel: Cancel, api: ApiSettings, metadata: ResourceMetadata) -> None:
        """Stores its dependencies.

        Args:
            server: Makes the server; see `later`.
            cancel: Cancels the run of an earlier request, by that request's number.
            api: Settings, for the public address and the origins of other sites that may use it.
            metadata: Names the providers whose bearer tokens are accepted.
        """
        self._server, self._cancel, self._hosts, self.metadata = server, cancel, KnownHosts(api.public_url), metadata
        self._origins = origins_of(api.cors_origins)
        self._middlewares: Sequence[Middleware] = ()
        self._requested, self._ready = asyncio.Event(), asyncio.Event()
        self._manager: Any = None

    def routes(self, middlewares: Sequence[Middleware]) -> list[Route]:
        """Returns the routes; calls pass these middlewares, the first outermost."""
        self._middlewares = middlewares
        return [Route(RESOURCE, self, methods=["GET", "POST", "DELETE"]), *self.metadata.routes()]

    async def run(self) -> None:
        """Runs the server from its first request on, until it is cancelled."""
        await self._requested.wait()
        server = await asyncio.to_thread(self._server)
        self._manager = server.session_manager
        async with self._manager.run():
            self._ready.set()
            await asyncio.Event().wait()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        has_begun = False

        async def sent(message: MutableMapping[str, Any]) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        async def action(call: CallContext) -> None:
            _require_known_origin(Headers(scope=scope), self._hosts, self._origins)
            self._requested.set()
            await self._ready.wait()
            CURRENT.set(call)
            listener = CancellationListener(receive, partial(self._cancel, call))
            await self._manager.handle_request(_trimmed(scope), listener.receive, sent)

        try:
            await run_call(HTTPConnection(scope), METHOD, self._middlewares, action)
        except Exception as error:  # noqa: BLE001 - whatever a call raises is reported
            await self._end(to_error(error), scope, receive, send, has_begun=has_begun)

    async def _end(self, error: EchoMindError, scope: Scope, receive: Receive, send: Send, *, has_begun: bool) -> None:
        if not has_begun:
            response = to_response(error)
            if response.status_code == UNAUTHENTICATED:
                response.headers["WWW-Authenticate"] = await self.metadata.challenge(HTTPConnection(scope))
            await response(scope, receive, send)
            return
        with suppress(RuntimeError):  # the response may be complete
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def later(module: str, *arguments: Any) -> Callable[[], Any]:
    """Returns a function that imports a module and calls its `build` with these arguments."""
    return lambda: import_module(module).build(*arguments)


def _trimmed(scope: Scope) -> Scope:
    """Returns a request whose headers' values have no blanks around them, which belong to no value (RFC 9110, 5.5)."""
    return {**scope, "headers": [(name, value.strip(b" \t")) for name, value in scope["headers"]]}


def _require_known_origin(headers: Headers, hosts: KnownHosts, permitted: Collection[str]) -> None:
    """Refuses pages of other sites, also of those that have given their own name this server's address."""
    origin = headers.get("origin")
    if not origin or origin in permitted:
        return
    if not (is_same_origin(headers) and hosts.know(headers.get("host", ""))):
        raise PermissionDeniedError("Pages of other sites may not use this server.")
