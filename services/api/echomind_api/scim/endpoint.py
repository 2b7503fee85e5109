"""The route `/scim`: a request's token, size and end. It imports the protocol's package after the first valid token."""

import asyncio
import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl

import structlog
from prometheus_client import Counter, Histogram
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from echomind_api.auth.addresses import Proxies, own_address
from echomind_api.calls.current import current_call
from echomind_api.calls.denials import Denials
from echomind_api.calls.handwritten import call_of
from echomind_api.calls.middlewares import storage_error
from echomind_api.scim.clients import ScimClients
from echomind_lib.config import ApiSettings
from echomind_lib.contract import CallContext
from echomind_lib.errors import EchoMindError, UnauthenticatedError, to_error
from echomind_lib.errors.body import STATUS
from echomind_lib.process.disk import DiskSpace

if TYPE_CHECKING:
    from echomind_api.scim.application import Application

PREFIX: Final = "/scim"
METHOD: Final = "Scim/Serve"
"""The method of its calls in metrics and the audit log."""
MAX_BYTES: Final = 4 * 2**20
"""Longest body: a group with some ten thousand members."""
_MAX_WAITING: Final = 100
"""Requests that wait for a thread at the same time."""
_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
_requests = Counter(
    "echomind_api_scim_requests_total", "Requests of SCIM clients that have ended.", ["method", "status"]
)
_seconds = Histogram(
    "echomind_api_scim_request_seconds",
    "Length of requests of SCIM clients.",
    ["method"],
    buckets=(0.01, 0.05, 0.2, 1, 5, 20),
)

log = structlog.get_logger(__name__)


class ScimEndpoint:
    """An ASGI application. Its answers, errors too, have the form of RFC 7644."""

    def __init__(
        self,
        server: "Callable[[], Application]",
        clients: ScimClients,
        denials: Denials,
        api: ApiSettings,
        proxies: Proxies,
        disk: DiskSpace,
    ) -> None:
        """Stores how the service is made, which happens at the first request with a valid token."""
        self._build = server
        self._application: Application | None = None
        self._building = asyncio.Lock()
        self._waiting = 0
        self._clients = clients
        self._denials = denials
        self._api = api
        self._proxies = proxies
        self._disk = disk

    def routes(self) -> list[Route]:
        """Returns the routes."""
        return [Route(path, self, methods=_METHODS) for path in (PREFIX, f"{PREFIX}/{{path:path}}")]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request."""
        started = time.perf_counter()
        call = call_of(HTTPConnection(scope), f"echomind.public.v1.{METHOD}")
        call.address = self._proxies.address(call.peer, call.metadata)
        current_call.set(call)
        try:
            response = await self._answer(Request(scope, receive), call)
        except Exception as error:  # noqa: BLE001 - whatever fails is reported in the protocol's form
            known = error if isinstance(error, EchoMindError) else storage_error(error, self._disk) or to_error(error)
            response = _failed(known)
        _requests.labels(scope["method"], response.status_code).inc()
        _seconds.labels(scope["method"]).observe(time.perf_counter() - started)
        await response(scope, receive, send)

    async def _answer(self, request: Request, call: CallContext) -> Response:
        try:
            client = await self._clients.of_token(call.metadata.get("authorization", ""), call.address)
        except UnauthenticatedError as error:
            self._denials.note_unknown(call, error)
            raise
        path = request.url.path[len(PREFIX) :]
        if path != "/v2" and not path.startswith("/v2/"):
            return _error(404, f"There is nothing at {PREFIX}{path[:200]}: addresses begin with {PREFIX}/v2/")
        body = await _read(request)
        if body is None:
            return _error(413, f"The body is longer than {MAX_BYTES} bytes")
        if self._waiting >= _MAX_WAITING:
            return _error(429, "Too many requests at the same time", {"Retry-After": "1"})
        self._waiting += 1
        try:
            application = await self._ready()
            # Imported with the application.
            from echomind_api.scim.application import Asked

            answer = await application.answer(
                Asked(
                    client=client,
                    method=request.method,
                    base_url=f"{own_address(self._api, self._proxies, call.peer, call.metadata)}{PREFIX}/v2",
                    path=path.removeprefix("/v2"),
                    query=dict(parse_qsl(request.url.query, keep_blank_values=True, max_num_fields=50)),
                    headers=call.metadata,
                    body=body,
                )
            )
        finally:
            self._waiting -= 1
        return Response(answer.body, answer.status, answer.headers)

    async def _ready(self) -> "Application":
        if self._application is None:
            async with self._building:
                if self._application is None:
                    self._application = await asyncio.to_thread(self._build)
        return self._application


async def _read(request: Request) -> bytes | None:
    """Returns the body of a request; None if it is too long."""
    declared = Headers(scope=request.scope).get("content-length", "")
    if declared.isdigit() and len(declared) < 20 and int(declared) > MAX_BYTES:
        return None
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MAX_BYTES:
            return None
    return bytes(body)


def _failed(error: EchoMindError) -> Response:
    headers = {}
    if isinstance(error, UnauthenticatedError):
        headers["WWW-Authenticate"] = 'Bearer realm="SCIM"'
    if (delay := error.metadata.get("retry_after_seconds")) is not None:
        headers["Retry-After"] = delay
    trace_id = error.metadata.get("trace_id")
    return _error(STATUS[error.code], f"{error}: {trace_id}" if trace_id else str(error), headers)


def _error(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    body: dict[str, Any] = {
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
        "status": str(status),
        "detail": detail,
    }
    return Response(json.dumps(body), status, headers, "application/scim+json")
