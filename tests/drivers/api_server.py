"""A small HTTP server in the API's place, which answers the command line by the methods of the contract."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from aiohttp import web

from echomind_lib.contract.http_call import http_rule
from echomind_lib.contract.http_request import RequestShape
from echomind_lib.contract.model import ProtoModel, UpdateModel
from echomind_lib.handwritten_routes import READY as READY_PATH
from echomind_lib.handwritten_routes import UPLOAD as UPLOAD_PATH
from echomind_lib.models import public

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
UPLOAD: Final = "upload"
DOWNLOAD: Final = "download"
EXPORT: Final = "export"
READY: Final = "ready"
"""The calls that are no methods of the contract, of `echomind_lib/handwritten_routes.py`."""


@dataclass(frozen=True)
class Route:
    """How a method of the contract is called over HTTP."""

    verb: str
    path: re.Pattern[str]
    method: str
    request: type[ProtoModel] | None = None
    shape: RequestShape | None = None


@cache
def _routes() -> list[Route]:
    """Returns the first route of each method, those without fields in the path first."""
    found = [
        Route("POST", re.compile(UPLOAD_PATH), UPLOAD),
        Route("GET", re.compile(r"/api/v1/documents/(?P<id>\d+):download"), DOWNLOAD),
        Route("GET", re.compile(r"/api/v1/users/(?P<id>\d+):export"), EXPORT),
        Route("GET", re.compile(READY_PATH), READY),
    ]
    services = [getattr(public, name) for name in public.__all__ if name.endswith("Service")]
    for service in services:
        for method in service.__methods__:
            descriptor = service.__service__.methods_by_name[method.name]
            rule = http_rule(descriptor)
            if rule is None:
                continue
            path = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/:]+)", rule.template))
            shape = RequestShape(
                method.request, list(path.groupindex), rule.body, patch=issubclass(method.request, UpdateModel)
            )
            name = f"{descriptor.containing_service.name}/{descriptor.name}"
            found.append(Route(rule.verb, path, name, method.request, shape))
    return sorted(found, key=lambda route: len(route.path.groupindex))


@dataclass(frozen=True)
class Target:
    """A method whose fields in the path have certain values."""

    method: str
    fields: Mapping[str, str]


def about(method: str, **fields: object) -> Target:
    """Returns a method's calls that are about certain things: `about("RunService/GetRun", id=RUN)`."""
    return Target(method, {name: str(value) for name, value in fields.items()})


@dataclass
class Call:
    """A call as it arrived."""

    method: str
    """As `RunService/GetRun`."""
    fields: dict[str, str]
    """Those in the path."""
    query: dict[str, str]
    """Values of a repeated field are joined by commas."""
    headers: dict[str, str]
    body: Any
    """The JSON; for a multipart upload its fields, files as bytes."""
    changes: bool
    """Whether it does more than to read."""


@dataclass
class ApiServer:
    """Answers by a table of methods (regular expressions over their names), and keeps what arrived.

    A request that the contract does not allow fails the command, as it would at the API.
    """

    url: str = ""
    calls: list[Call] = field(default_factory=list)
    _table: list[tuple[Target, Any]] = field(default_factory=list)

    def on(self, method: str | Target, answer: Any) -> None:
        """Answers a method: JSON as it is, a function of the call, or a coroutine function of aiohttp's request.

        What was given last goes first.
        """
        target = method if isinstance(method, Target) else Target(method, {})
        _check(target.method)
        self._table.insert(0, (target, answer))

    def sent(self, method: str) -> list[Call]:
        """Returns the calls of a method, in order."""
        _check(method)
        return [call for call in self.calls if re.fullmatch(method, call.method)]

    def changes(self) -> list[Call]:
        """Returns the calls that may have changed something, in order."""
        return [call for call in self.calls if call.changes]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answers one request."""
        for route in _routes():
            found = route.path.fullmatch(request.path) if route.verb == request.method else None
            if found is not None:
                return await self._answer(request, route, found.groupdict())
        raise AssertionError(f"{request.method} {request.path} is no route of the contract")

    async def _answer(self, request: web.Request, route: Route, fields: dict[str, str]) -> web.StreamResponse:
        if route.shape is not None and route.request is not None:
            data = route.shape.read(
                [fields[name] for name in route.path.groupindex],
                request.rel_url.raw_query_string.encode(),
                await request.read(),
            )
            route.request.model_validate(data)
        headers, body = dict(request.headers), await _body(request)
        query = {name: ",".join(request.query.getall(name)) for name in request.query}
        call = Call(route.method, fields, query, headers, body, route.verb != "GET")
        self.calls.append(call)
        for target, answer in self._table:
            if not re.fullmatch(target.method, call.method) or not target.fields.items() <= fields.items():
                continue
            if asyncio.iscoroutinefunction(answer):
                response: web.StreamResponse = await answer(request)
                return response
            given = answer(call) if callable(answer) else answer
            return given if isinstance(given, web.StreamResponse) else web.json_response(given)
        return refusal("NOT_FOUND", "There is no such thing.", 404)()


@cache
def _check(method: str) -> None:
    assert any(re.fullmatch(method, route.method) for route in _routes()), f"{method} is no method of the contract"


def refusal(
    reason: str, message: str, status: int, code: str = "", **metadata: str
) -> Callable[..., web.StreamResponse]:
    """Answers with an error in the API's shape, whatever the call."""
    detail = {"code": code or reason, "reason": reason, "message": message, "metadata": metadata}
    return lambda *_: web.json_response({"error": detail}, status=status)


async def _body(request: web.Request) -> Any:
    if request.content_type == "application/json":
        return await request.json()
    if request.content_type == "multipart/form-data":
        form: dict[str, list[Any]] = {}
        for name, part in (await request.post()).items():
            form.setdefault(name, []).append(part.file.read() if isinstance(part, web.FileField) else part)
        return form
    return None


def stream(*events: Mapping[str, Any] | None, then: asyncio.Event | None = None) -> Any:
    """Answers with events; None breaks the connection there."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for item in events:
            if item is None:
                assert request.transport is not None
                request.transport.abort()
                return response
            await response.write(f"id: {item['id']}\ndata: {json.dumps(item)}\n\n".encode())
        if then is not None:
            await then.wait()
        return response

    return answer


def in_turn(*answers: Any) -> Any:
    """Answers the first call with the first answer and so on, then with the last again and again."""
    left = list(answers)

    async def answer(request: web.Request) -> web.StreamResponse:
        chosen = left.pop(0) if len(left) > 1 else left[0]
        response: web.StreamResponse = await chosen(request)
        return response

    return answer
