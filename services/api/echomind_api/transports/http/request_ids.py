"""The id of a request: in its answer, and in all that the log says of it."""

import os
from typing import Final

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_HEADER: Final = b"x-request-id"
_FILES: Final = "/assets/"
"""Path of the web UI's files, which pages load by the dozen and whose requests nobody looks for."""


class RequestIds:
    """ASGI middleware that gives each request an id: 32 hexadecimal digits, which are the trace id of its call."""

    def __init__(self, app: ASGIApp) -> None:
        """Stores the application."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        if scope["type"] not in {"http", "websocket"} or _FILES in scope["path"]:
            await self._app(scope, receive, send)
            return
        request_id = os.urandom(16).hex()
        structlog.contextvars.bind_contextvars(trace_id=request_id)

        async def send_with_id(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                message["headers"] = [*message.get("headers", ()), (_HEADER, request_id.encode())]
            await send(message)

        await self._app(scope, receive, send_with_id)
