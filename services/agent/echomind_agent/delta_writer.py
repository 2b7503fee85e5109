"""Live text of a message: coalesced on its way out, whole on request."""

import asyncio

from echomind_lib.messaging import Bus, deltas_subject
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import SnapshotReply, TextDelta
from echomind_lib.runs.lease import Taken

FLUSH_SECONDS = 0.05
"""The first delta goes at once, then at most one in this time (docs/architecture.md, "Events")."""


class DeltaWriter:
    """The text that one attempt writes. Offsets count code points from the message's beginning.

    A run that writes no message, below another one, keeps its text to itself.
    """

    def __init__(self, bus: Bus, taken: Taken) -> None:
        self._bus = bus
        self._subject = deltas_subject(taken.session_id)
        self._run_id = str(taken.run_id)
        self._message_id: int | None = taken.run["message_id"]
        self._attempt = taken.attempt
        self._parts: list[str] = []
        self._pending: list[str] = []
        self._sent = 0
        self._last_sent = 0.0
        self._timer: asyncio.Task[None] | None = None

    @property
    def text(self) -> str:
        """All text so far."""
        if len(self._parts) > 1:
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    def snapshot(self) -> SnapshotReply:
        """All text so far, as a late subscriber gets it; empty for a run that writes no message."""
        reply = SnapshotReply()
        if self._message_id is None:
            return reply
        reply.snapshot.message_id = self._message_id
        reply.snapshot.attempt = self._attempt
        reply.snapshot.text = self.text
        return reply

    async def write(self, text: str) -> None:
        """Adds text. It is on its way at once, or with what else comes within `FLUSH_SECONDS`."""
        self._parts.append(text)
        if self._message_id is None:
            return
        self._pending.append(text)
        if self._timer is not None:
            return
        loop = asyncio.get_running_loop()
        wait = self._last_sent + FLUSH_SECONDS - loop.time()
        if wait <= 0:
            await self.flush()
        else:
            self._timer = asyncio.create_task(self._flush_later(wait))

    async def _flush_later(self, wait: float) -> None:
        await asyncio.sleep(wait)
        self._timer = None
        await self.flush()

    async def flush(self) -> None:
        """Sends what waits."""
        if not self._pending or self._message_id is None:
            return
        text = "".join(self._pending)
        self._pending.clear()
        message = TextDelta(run_id=self._run_id)
        message.delta.message_id = self._message_id
        message.delta.attempt = self._attempt
        message.delta.offset = self._sent
        message.delta.text = text
        self._sent += len(text)
        self._last_sent = asyncio.get_running_loop().time()
        await self._bus.publish(self._subject, message)

    async def close(self, *, send: bool = True) -> None:
        """Ends the timer, and sends what waits unless the whole text follows anyway in the final event."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if send:
            await self.flush()
