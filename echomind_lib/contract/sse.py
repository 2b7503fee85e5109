"""A stream over HTTP: server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import ClassVar

from starlette.types import Scope, Send

from echomind_lib.errors import EchoMindError, outcome
from echomind_lib.errors.body import to_body
from echomind_lib.errors.http import to_response

HEARTBEAT_SECONDS = 15.0
"""A comment is sent after this time without an event, so that proxies do not consider the connection dead."""
_COMMENT = b":\n\n"
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would buffer events
]


class EventStream:
    """One stream: a failure before its first byte is an HTTP status, a later one an `event: error` at its end."""

    begin_seconds: ClassVar[float] = 1.0
    """The status 200 is sent after this time without an event."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope = scope
        self._send = send
        self._begun = False
        self._events = 0

    @property
    def has_begun(self) -> bool:
        """Returns whether the status has been sent."""
        return self._begun

    async def begin(self) -> None:
        """Sends the status 200, unless it has been sent."""
        if not self._begun:
            self._begun = True
            await self._send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            await self._write(_COMMENT)

    async def emit(self, data: bytes, event_id: str | None = None) -> None:
        """Sends an event.

        Args:
            data: JSON on one line.
            event_id: `Last-Event-ID` that the client sends when it reconnects.
        """
        self._events += 1
        body = b"%bdata: %b\n\n" % (b"" if event_id is None else b"id: %b\n" % event_id.encode(), data)
        if not self._begun:
            self._begun = True
            await self._send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            body = _COMMENT + body
        await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def run(self, produce: Callable[[], Awaitable[object]], left: Callable[[], Awaitable[object]]) -> None:
        """Sends the produced events until production ends or the client disconnects.

        Args:
            produce: Calls `emit`. All of it runs in one task.
            left: Returns when the client disconnects.
        """
        work = asyncio.create_task(outcome(produce))
        leaving = asyncio.ensure_future(left())
        try:
            while not work.done() and not leaving.done():
                events = self._events
                wait = HEARTBEAT_SECONDS if self._begun else self.begin_seconds
                done, _ = await asyncio.wait({work, leaving}, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
                if not done and not self._begun:
                    await self.begin()
                elif not done and events == self._events:
                    await self._write(_COMMENT)
            if work.done():
                await self._end(work.result())
        finally:
            work.cancel()
            leaving.cancel()
            await asyncio.gather(work, leaving, return_exceptions=True)

    async def _end(self, error: EchoMindError | None) -> None:
        if error is not None and not self._begun:
            await to_response(error)(self._scope, _no_more, self._send)
            return
        await self.begin()
        if error is not None:
            await self._write(b"event: error\ndata: %b\n\n" % to_body(error))
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _write(self, data: bytes) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": True})


async def _no_more() -> dict[str, str]:
    return {"type": "http.disconnect"}
