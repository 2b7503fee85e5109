"""Services over HTTP: the routes of their `google.api.http` options, in a FastAPI application."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from google.api import annotations_pb2  # type: ignore[import-untyped]
from google.protobuf.message import Message
from pydantic_core import to_json
from starlette.datastructures import Headers
from starlette.middleware import Middleware as AsgiMiddleware
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Receive, Scope, Send

from echomind_lib.contract.binding import Handler, Item, Method, Service, bind, descriptor_of, full_name
from echomind_lib.contract.call import CallContext, Middleware
from echomind_lib.contract.http_request import RequestShape
from echomind_lib.contract.model import ProtoModel
from echomind_lib.contract.openapi import Operation, add_operations
from echomind_lib.contract.page_tokens import PageTokens
from echomind_lib.contract.sse import EventStream
from echomind_lib.contract.templates import Routes, variables
from echomind_lib.errors import UnimplementedError, ValidationFailedError, to_error
from echomind_lib.errors.http import add_error_handlers, to_response

Endpoint = Callable[[Scope, Receive, Send, list[str]], Awaitable[None]]
VERBS = {"get": "GET", "put": "PUT", "post": "POST", "delete": "DELETE", "patch": "PATCH"}


def add_services(
    app: FastAPI,
    services: Sequence[Service],
    middlewares: Sequence[Middleware] = (),
    *,
    public: Collection[str] = (),
    notes: Mapping[str, str] | None = None,
    page_tokens: PageTokens | None = None,
    max_body_bytes: int = 16 * 2**20,
    handwritten: Mapping[str, Endpoint] | None = None,
) -> None:
    """Binds services to HTTP: routes, OpenAPI, and errors in one shape for the whole application.

    Args:
        app: The application to add the routes to.
        services: Objects of generated service interfaces. One may have `sse_id(item) -> str | None`: the `id:` of an
            item of its streams.
        middlewares: Middlewares of every call, the first outermost.
        public: Full names of the methods that need no sign-in, for OpenAPI: the sign-in middleware decides.
        notes: Sentences to add to the descriptions of methods, by full name, for OpenAPI.
        page_tokens: Signs the page tokens of lists.
        max_body_bytes: Maximum size of a request body; longer ones are rejected unread.
        handwritten: What else takes POST and is to be served as cheaply as the services, by path.

    Raises:
        ValueError: A route is not supported, or two are the same.
    """
    routes: Routes[Endpoint] = Routes()
    operations = []
    for service in services:
        for method in service.__methods__:
            for operation in _operations(service, method, public, notes or {}):
                bound = bind(service, method, middlewares, page_tokens)
                routes.add(operation.verb, operation.template, _Endpoint(bound, operation, max_body_bytes))
                operations.append(operation)
    for path, endpoint in (handwritten or {}).items():
        routes.add("POST", path, endpoint)
    # The innermost middleware: inside are wrappers of each response that endpoints do not need.
    app.user_middleware.append(AsgiMiddleware(_CertainRoutes, routes=routes))
    app.router.routes.append(_ServiceRoute(routes))
    add_operations(app, operations)
    add_error_handlers(app)


def _operations(service: Service, method: Method, public: Collection[str], notes: Mapping[str, str]) -> list[Operation]:
    rule = descriptor_of(service, method).GetOptions().Extensions[annotations_pb2.http]
    operations = []
    for number, binding in enumerate([rule, *rule.additional_bindings], 1):
        pattern = binding.WhichOneof("pattern")
        if pattern is None:  # served by gRPC alone
            continue
        if pattern not in VERBS:
            raise ValueError(f"{full_name(service, method)}: {pattern} is not understood")
        template = getattr(binding, pattern)
        operations.append(
            Operation(
                service=service,
                method=method,
                number=number,
                verb=VERBS[pattern],
                template=template,
                shape=RequestShape(method.request, variables(template), binding.body, patch=pattern == "patch"),
                response_body=binding.response_body,
                public=full_name(service, method) in public,
                note=notes.get(full_name(service, method), ""),
            )
        )
    return operations


class _ServiceRoute(BaseRoute):
    """All routes of the services as one, so that routing takes one lookup, however many there are."""

    def __init__(self, routes: Routes[Endpoint]) -> None:
        self._routes = routes

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http":
            return Match.NONE, {}
        endpoints, values = _find(self._routes, scope)
        return (Match.FULL, {"contract": (endpoints, values)}) if endpoints else (Match.NONE, {})

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoints, values = scope["contract"]
        endpoint = endpoints.get(scope["method"])
        if endpoint is None:
            error = UnimplementedError(f"{scope['path']} does not take {scope['method']}")
            response = to_response(error, 405)
            response.headers["Allow"] = ", ".join(sorted(endpoints))
            await response(scope, receive, send)
        else:
            await endpoint(scope, receive, send, values)


class _CertainRoutes:
    """ASGI middleware that serves what no other route may serve.

    Others may serve a method that no service has, and a last segment with a verb, such as `/documents/5:download`,
    which is a value for the services.
    """

    def __init__(self, app: ASGIApp, routes: Routes[Endpoint]) -> None:
        self._app, self._routes = app, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            endpoints, values = _find(self._routes, scope)
            endpoint = endpoints.get(scope["method"])
            if endpoint is not None and not (values and ":" in values[-1]):
                await endpoint(scope, receive, send, values)
                return
        await self._app(scope, receive, send)


def _find(routes: Routes[Endpoint], scope: Scope) -> tuple[dict[str, Endpoint], list[str]]:
    return routes.find(scope["path"].removeprefix(scope.get("root_path", "")))


class _Endpoint:
    """One route of one method."""

    def __init__(self, run: Handler, operation: Operation, max_body_bytes: int) -> None:
        self._run = run
        self._method = operation.method
        self._name = full_name(operation.service, operation.method)
        self._shape = operation.shape
        self._response_body = operation.response_body
        self._max_body_bytes = max_body_bytes
        self._sse_id: Callable[[Item], str | None] = getattr(operation.service, "sse_id", _no_id)

    async def __call__(self, scope: Scope, receive: Receive, send: Send, path: list[str]) -> None:
        body = _Body(receive, Headers(scope=scope), self._max_body_bytes, expected=bool(self._shape.body))
        call = CallContext(self._name, metadata_of(scope), peer_of(scope), transport="http")

        async def read() -> dict[str, Any]:
            return self._shape.read(path, scope["query_string"], await body.read())

        if self._method.streams:
            await self._stream(scope, send, call, body, read)
        else:
            response = await self._unary(call, read)
            await response(scope, receive, send)

    async def _unary(self, call: CallContext, read: Callable[[], Awaitable[dict[str, Any]]]) -> Response:
        try:
            return Response(self._serialize(await self._run(call, read, _no_items)), media_type="application/json")
        except ClientDisconnect:
            return Response(status_code=499)  # the client is disconnected
        except Exception as error:  # noqa: BLE001 - whatever a method raises is reported
            return to_response(to_error(error))

    async def _stream(
        self, scope: Scope, send: Send, call: CallContext, body: "_Body", read: Callable[[], Awaitable[dict[str, Any]]]
    ) -> None:
        stream = EventStream(scope, send)
        call.begin = stream.begin
        model = self._method.response

        async def emit(item: Item) -> None:
            data = (model.from_pb(item) if isinstance(item, Message) else item).to_json()
            await stream.emit(data, self._sse_id(item))

        await stream.run(lambda: self._run(call, read, emit), body.left)

    def _serialize(self, result: ProtoModel | None) -> bytes:
        if not isinstance(result, self._method.response):
            raise TypeError(f"{self._name} has returned {type(result)}")
        if not self._response_body:
            return result.to_json()
        data = result.model_dump(mode="json", include={self._response_body}, exclude_none=True)
        return to_json(next(iter(data.values()), None))


class _Body:
    """The body of a request, which is read on demand, and the client's disconnect after it."""

    def __init__(self, receive: Receive, headers: Headers, limit: int, *, expected: bool) -> None:
        self._receive = receive
        self._headers = headers
        self._limit = limit
        self._expected = expected
        self._read = asyncio.Event()

    async def read(self) -> bytes:
        """Reads the whole body; empty if the route has none.

        Raises:
            ValidationFailedError: It is too long, or not JSON by its header.
            ClientDisconnect: The client has disconnected.
        """
        if not self._expected:
            self._read.set()
            return b""
        if int(self._headers.get("content-length", "0")) > self._limit:
            raise self._too_long()
        parts, length = [], 0
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            parts.append(message.get("body", b""))
            length += len(parts[-1])
            if length > self._limit:
                raise self._too_long()
            if not message.get("more_body", False):
                break
        self._read.set()
        kind = self._headers.get("content-type", "application/json").partition(";")[0].strip().lower()
        if length and kind != "application/json":
            raise ValidationFailedError("the body must be application/json", body="must be application/json")
        return b"".join(parts)

    async def left(self) -> None:
        """Returns when the client disconnects."""
        await self._read.wait()
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def _too_long(self) -> ValidationFailedError:
        rule = f"must have at most {self._limit} bytes"
        return ValidationFailedError(f"the body {rule}", body=rule)


async def _no_items(_: Item) -> None:
    raise AssertionError("only a stream has items")


def _no_id(_: Item) -> str | None:
    return None


def metadata_of(scope: Scope) -> dict[str, str]:
    """Returns the headers of a request by their lower-case names; repeated ones are joined."""
    metadata: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        separator = "; " if name == "cookie" else ", "
        metadata[name] = f"{metadata[name]}{separator}{value}" if name in metadata else value
    return metadata


def peer_of(scope: Scope) -> str:
    """Returns the peer of a request's connection, `host:port`; empty if unknown."""
    client = scope.get("client")
    return f"{client[0]}:{client[1]}" if client else ""
