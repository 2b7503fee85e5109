"""Live text of a message: with renumbered citations, sent as coalesced deltas, and as a snapshot on request."""

import asyncio
from collections.abc import Callable

from echomind_agent.evidence.numbering import CitationNumbers
from echomind_lib.messaging import Bus, deltas_subject
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import SnapshotReply, TextDelta
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import RunText
from echomind_lib.runs.record import RunRecord

_TURNS = 1_000
"""Upper bound of a run's turns at a message before it hands over the answer to a member."""
FLUSH_SECONDS = 0.05
"""The first delta is sent at once, then at most one per interval (docs/architecture.md, "Events")."""


class DeltaWriter:
    """The text that one attempt writes. Offsets count code points from the message's beginning.

    A sub-run has no message: its text is sent under its own id, with the numbers of its sources, unless its leader has
    handed over the answer: then it writes the leader's message. Every delta has the number of the turn at the text,
    which increases with each writer: readers drop the text of earlier turns.
    """

    def __init__(self, bus: Bus, run: RunRecord, is_source: Callable[[int], bool]) -> None:
        """Initializes the writer without text; `is_source` returns whether the run has a source with a number."""
        self._bus = bus
        self._subject = deltas_subject(run.session.id)
        self._run_id = str(run.id)
        self._message_id = run.message_id or run.state.message_id or None
        self._member = run.assistant.name if run.kind == "member" else ""
        self._attempt = run.attempt
        self._turn = run.state.turn + run.attempt
        self._is_source = is_source
        self._numbers = CitationNumbers(is_source)
        self._sent_sources = 0
        self._written: list[str] = []
        self._parts: list[str] = []
        self._pending: list[str] = []
        self._sent = 0
        self._last_sent = 0.0
        self._timer: asyncio.Task[None] | None = None

    @property
    def text(self) -> str:
        """Returns all text so far, as shown to users."""
        return _joined(self._parts)

    @property
    def written(self) -> str:
        """Returns all text so far, as written by the model."""
        return _joined(self._written)

    @property
    def cited_sources(self) -> list[int]:
        """Returns the run's numbers of the cited sources: citation 1 of the text is the first of them."""
        return self._numbers.sources

    def snapshot(self) -> SnapshotReply:
        """Returns all text so far, for a late subscriber."""
        if self._message_id is None:
            text = RunText(attempt=self._attempt, text=self.text)
            return SnapshotReply(run_text=text, member=self._member)
        reply = SnapshotReply()
        reply.snapshot.message_id = self._message_id
        reply.snapshot.attempt = self._turn
        reply.snapshot.text = self.text
        reply.snapshot.cited_sources.extend(self.cited_sources)
        return reply

    def yield_to_member(self, times: int) -> int:
        """Drops all text, as a member answers in the run's place.

        Args:
            times: Number of times that the run has handed over its answer to a member, including this one.

        Returns:
            The number after which the member's turns at the message start; if the run writes again, its own are
            above those.
        """
        self._drop()
        self._turn = 2 * times * _TURNS + self._attempt
        return (2 * times - 1) * _TURNS

    def adopt(self, text: str) -> None:
        """Replaces the text by a member's answer. It is not sent, as users have received it from the member."""
        self._drop()
        self._written.append(text)
        self._parts.append(self._numbers.feed(text) + self._numbers.end())

    def _drop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._numbers = CitationNumbers(self._is_source)
        self._sent = self._sent_sources = 0
        for texts in (self._written, self._parts, self._pending):
            texts.clear()

    async def write(self, text: str) -> None:
        """Adds text. It is sent at once, or together with other text within `FLUSH_SECONDS`."""
        self._written.append(text)
        await self._show(text if self._message_id is None else self._numbers.feed(text))

    async def complete(self) -> None:
        """Adds the buffered rest that could have become a citation; called at the end of the model's text."""
        if self._message_id is not None:
            await self._show(self._numbers.end())

    async def _show(self, text: str) -> None:
        if not text:
            return
        self._parts.append(text)
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
        """Sends buffered text."""
        if not self._pending:
            return
        text = "".join(self._pending)
        self._pending.clear()
        self._last_sent = asyncio.get_running_loop().time()
        await self._bus.publish(self._subject, self._message(text))

    def _message(self, text: str) -> TextDelta:
        """Returns the delta message for the next text."""
        message = TextDelta(run_id=self._run_id, member=self._member)
        if self._message_id is None:
            message.run_text.attempt, message.run_text.offset = self._attempt, self._sent
            message.run_text.text = text
        else:
            message.delta.message_id = self._message_id
            message.delta.attempt = self._turn
            message.delta.offset = self._sent
            message.delta.text = text
        if len(self.cited_sources) > self._sent_sources:
            message.delta.cited_sources.extend(self.cited_sources)
            self._sent_sources = len(self.cited_sources)
        self._sent += len(text)
        return message

    async def close(self, *, send: bool = True) -> None:
        """Stops the timer, and sends buffered text unless the final event follows with the complete text."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if send:
            await self.flush()


def _joined(parts: list[str]) -> str:
    parts[:] = ["".join(parts)]
    return parts[0]
