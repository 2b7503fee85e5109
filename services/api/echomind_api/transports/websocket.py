"""A session's events over a WebSocket: the same stream as over gRPC and server-sent events, read-only.

Each message of the server is one `SessionEvent` in ProtoJSON, as a text frame. An error before the first message is the
status of the upgrade, with the JSON of a failed call. A later error is the last message, `{"error": {...}}`, followed
by a close code that tells the client what to do (`close_code`).
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, Final

from fastapi import APIRouter, WebSocket
from google.protobuf.message import Message
from starlette.responses import Response
from starlette.websockets import WebSocketDisconnect

from echomind_api.calls.handwritten import call_of
from echomind_api.calls.limits import StoppingError
from echomind_lib.contract.binding import Item, Service, bind, full_name
from echomind_lib.contract.call import Middleware
from echomind_lib.contract.http_request import RequestShape
from echomind_lib.errors import EchoMindError, UnimplementedError, ValidationFailedError, outcome
from echomind_lib.errors.body import STATUS, to_body
from echomind_lib.errors.http import to_response

STOPPING: Final = 1001
UNSUPPORTED: Final = 1003
FAULT: Final = 1011
TRY_AGAIN: Final = 1013
OWN_CODES: Final = 4000

_BEARER = "bearer"
_HANDSHAKE = {
    "summary": "Stream session events over a WebSocket",
    "parameters": [
        {
            "name": "chat_session_id",
            "in": "path",
            "required": True,
            "schema": {"type": "integer", "format": "int32", "exclusiveMinimum": 0},
            "description": "ID of the session.",
        },
        {
            "name": "after",
            "in": "query",
            "schema": {"type": "string", "format": "int64"},
            "description": "ID of the last event that the caller has; 0 means from the beginning.",
        },
    ],
    "responses": {
        "101": {"description": "The WebSocket is open."},
        "default": {
            "description": "Refused; `error.reason` is the reason.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}},
        },
        "426": {
            "description": "The request is not a WebSocket handshake.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}},
        },
    },
    "security": [{"bearer": []}],
}


def close_code(error: EchoMindError) -> int:
    """Returns the close code of a WebSocket after an error, which tells the client what to do.

    | Code | Meaning |
    |---|---|
    | 1001 | The process is stopping: reconnect immediately, with the last event's id |
    | 1003 | The client has sent a message (`UNSUPPORTED`, not by this function) |
    | 1011 | An internal error; uvicorn also uses this for unanswered pings |
    | 1013 | Reconnect later, with the last event's id: the client was too slow, or a dependency does not respond |
    | 4000 + HTTP status | Do not reconnect: 4401 if the credential was revoked |
    """
    if isinstance(error, StoppingError):
        return STOPPING
    if error.retryable:
        return TRY_AGAIN
    return FAULT if error.code == "INTERNAL" else OWN_CODES + STATUS[error.code]


class _LeftError(asyncio.CancelledError):
    """The connection is closed; ends the producer of events as if its task were cancelled."""


class EventSocket:
    """One WebSocket that only sends."""

    def __init__(self, socket: WebSocket, subprotocol: str | None) -> None:
        self._socket = socket
        self._subprotocol = subprotocol
        self._begun = False

    async def begin(self) -> None:
        """Accepts the upgrade, if that has not happened."""
        if not self._begun:
            self._begun = True
            await self._send({"type": "websocket.accept", "subprotocol": self._subprotocol})

    async def emit(self, data: bytes) -> None:
        """Sends a text frame; waits while the reader has no room for it."""
        await self.begin()
        await self._send({"type": "websocket.send", "text": data.decode()})

    async def run(self, produce: Callable[[], Awaitable[object]]) -> None:
        """Sends events until the producer ends, or the client disconnects or sends something, which ends it.

        Args:
            produce: Calls `emit`. All of it runs in one task.
        """
        work = asyncio.create_task(outcome(produce))
        listening = asyncio.create_task(self._listen())
        try:
            await asyncio.wait({work, listening}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (work, listening):
                task.cancel()
            await asyncio.gather(work, listening, return_exceptions=True)
        with contextlib.suppress(_LeftError):
            if not work.cancelled():
                error = work.result()
                await self._end(error, 1000 if error is None else close_code(error))
            elif not listening.cancelled() and listening.result():
                error = ValidationFailedError("This WebSocket only sends: nothing is expected from you.")
                await self._end(error, UNSUPPORTED)

    async def _listen(self) -> bool:
        """Returns when the client has left, or with True when it has sent something."""
        while True:
            try:
                message = await self._socket.receive()
            except WebSocketDisconnect:
                return False
            if message["type"] != "websocket.connect":
                return bool(message["type"] == "websocket.receive")

    async def _end(self, error: EchoMindError | None, code: int) -> None:
        if error is not None and not self._begun:
            await to_response(error)(self._socket.scope, self._socket.receive, self._send)
            return
        await self.begin()
        if error is not None:
            await self._send({"type": "websocket.send", "text": to_body(error).decode()})
        await self._send({"type": "websocket.close", "code": code, "reason": error.reason if error else ""})

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        try:
            await self._socket.send(message)
        except (WebSocketDisconnect, RuntimeError):  # closed by the client, or after an unanswered ping
            raise _LeftError from None


def event_routes(runs: Service, middlewares: Sequence[Middleware]) -> APIRouter:
    """Returns the routes.

    Args:
        runs: The service `RunService`, whose method `StreamSessionEvents` it is.
        middlewares: Middlewares of the call, the first outermost.
    """
    router = APIRouter(tags=["RunService"])
    path = "/api/v1/chat-sessions/{chat_session_id}/events/ws"
    method = next(method for method in runs.__methods__ if method.name == "StreamSessionEvents")
    handle = bind(runs, method, middlewares)
    shape = RequestShape(method.request, ["chat_session_id"], "", patch=False)

    @router.websocket(path)
    async def stream(socket: WebSocket) -> None:
        call = call_of(socket, full_name(runs, method))
        offered = socket.scope["subprotocols"]
        by_subprotocol = offered[:1] == [_BEARER]
        if by_subprotocol and not call.metadata.get("authorization"):
            # Browsers cannot set headers for WebSockets, so pages of other sites send the key as a subprotocol.
            call.metadata = {**call.metadata, "authorization": f"Bearer {offered[1] if len(offered) > 1 else ''}"}
        events = EventSocket(socket, _BEARER if by_subprotocol else None)
        call.begin = events.begin

        async def read() -> dict[str, object]:
            return shape.read([socket.path_params["chat_session_id"]], socket.scope["query_string"], b"")

        async def emit(item: Item) -> None:
            await events.emit((method.response.from_pb(item) if isinstance(item, Message) else item).to_json())

        await events.run(lambda: handle(call, read, emit))

    @router.get(
        path,
        status_code=426,
        response_class=Response,
        operation_id="RunService_StreamSessionEventsByWebSocket",
        openapi_extra=_HANDSHAKE,
    )
    async def handshake() -> Response:
        """The session's events as at `/api/v1/chat-sessions/{chatSessionId}/events`: one SessionEvent a text frame.

        Send nothing on it. A browser's session cookie is enough; programs send the header `Authorization`, or offer
        the subprotocols `bearer` and the API key. A stream that ends early ends with a frame `{"error": ...}` and a
        close code: 1001 and 1013 mean to connect again with the last event's id as `after`.
        """
        error = UnimplementedError("This is a WebSocket: connect with a WebSocket client.")
        response = to_response(error, 426)
        response.headers["Upgrade"] = "websocket"
        return response

    return router
