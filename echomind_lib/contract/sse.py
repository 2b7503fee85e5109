"""A stream over HTTP: server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.types import Receive, Send

from echomind_lib.errors import EchoMindError, to_error
from echomind_lib.errors.http import to_body, to_response

HEARTBEAT_SECONDS = 15.0
"""A comment goes out after so long without an event, so that nobody on the way takes the connection for dead."""
_BEGIN_SECONDS = 1.0
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would hold events back
]


class EventStream:
    """One stream: begins with its first event, and ends with the last or with one `event: error`."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._events = 0
        self.begun = False

    async def begin(self) -> None:
        """Answers 200, if that has not happened."""
        if not self.begun:
            self.begun = True
            await self._send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            await self._write(b":\n\n")

    async def emit(self, data: bytes, event_id: str | None = None) -> None:
        """Sends an event.

        Args:
            data: JSON on one line.
            event_id: What the client names as `Last-Event-ID` when it comes back.
        """
        self._events += 1
        if not self.begun:
            await self.begin()
        await self._write(b"data: %b\n\n" % data if event_id is None else b"id: %b\ndata: %b\n\n" % (event_id.encode(), data))

    async def run(self, produce: Callable[[], Awaitable[object]], receive: Receive) -> None:
        """Sends what is produced until it ends, or until the client leaves, which ends it.

        Args:
            produce: Calls `emit`; all of it runs in one task.
            receive: Tells that the client leaves.
        """
        work = asyncio.ensure_future(produce())
        leaving = asyncio.ensure_future(_left(receive))
        try:
            while not work.done() and not leaving.done():
                seen = self._events
                wait = HEARTBEAT_SECONDS if self.begun else _BEGIN_SECONDS
                await asyncio.wait({work, leaving}, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
                if seen == self._events and not work.done() and not leaving.done():
                    await (self._write(b":\n\n") if self.begun else self.begin())
            if work.done():
                await self._end(work)
        finally:
            work.cancel()
            leaving.cancel()
            await asyncio.gather(work, leaving, return_exceptions=True)
