"""A small HTTP server in the API's place, which answers the command line."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Call:
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    """The JSON; for a multipart upload its fields, files as bytes."""


@dataclass
class ApiServer:
    """Answers by a table of `METHOD path` (a regular expression), and keeps what arrived."""

    url: str = ""
    calls: list[Call] = field(default_factory=list)
    _table: list[tuple[re.Pattern[str], Any]] = field(default_factory=list)

    def on(self, route: str, answer: Any) -> None:
        """Answers a route: JSON as it is, a function of the call, or a coroutine function of aiohttp's request.

        The route that was given last goes first.
        """
        self._table.insert(0, (re.compile(route), answer))

    def sent(self, route: str) -> list[Call]:
        """Returns the calls of a route, in order."""
        return [call for call in self.calls if re.fullmatch(route, f"{call.method} {call.path}")]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answers one request."""
        call = await _read(request)
        self.calls.append(call)
        for pattern, answer in self._table:
            if not pattern.fullmatch(f"{request.method} {request.path}"):
                continue
            if asyncio.iscoroutinefunction(answer):
                response: web.StreamResponse = await answer(request)
                return response
            found = answer(call) if callable(answer) else answer
            return found if isinstance(found, web.StreamResponse) else web.json_response(found)
        return refusal("NOT_FOUND", "There is no such thing.", 404)(call)


def refusal(
    reason: str, message: str, status: int, code: str = "", **metadata: str
) -> Callable[[Call], web.StreamResponse]:
    """Answers with an error in the API's shape."""
    detail = {"code": code or reason, "reason": reason, "message": message, "metadata": metadata}
    return lambda call: web.json_response({"error": detail}, status=status)


async def _read(request: web.Request) -> Call:
    body: Any = None
    if request.content_type == "application/json":
        body = await request.json()
    elif request.content_type == "multipart/form-data":
        form = await request.post()
        body = {name: part.file.read() if isinstance(part, web.FileField) else part for name, part in form.items()}
    return Call(request.method, request.path, dict(request.query), dict(request.headers), body)


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
