"""One reader of a session: stored events in order and exactly once, then live text that always adds up."""

import asyncio
import copy
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final
from uuid import UUID

import asyncpg
from sqlalchemy import ARRAY, Uuid, any_, bindparam, func, or_, select

from echomind_lib.access import Principal
from echomind_lib.access.sources import may_read_sources
from echomind_lib.conversations.messages import messages_of_runs
from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.models.runs import Run
from echomind_lib.db.statements import Query
from echomind_lib.errors import NotFoundError, SlowReaderError
from echomind_lib.events.replay import read_events
from echomind_lib.messaging import Bus, snapshot_subject
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored, SnapshotReply, SnapshotRequest, TextDelta
from echomind_lib.pb.echomind.public.v1 import session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import MessageSnapshot, SessionEvent

_PAGE = 500
_MAX_WAITING = 2_000
"""Items that may wait for a slow reader; each is a stored event or at most 50 ms of text."""
_SNAPSHOT_SECONDS = 1.0
_ENDED_RUNS = 100
"""How many of the last runs that have ended are known as such."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figures:
    """Usage and duration of a run."""

    id: UUID
    prompt_tokens: int
    completion_tokens: int
    duration_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _LastRun:
    """An active or ended run."""

    id: UUID
    is_running: bool


_FIGURES: Final = Query(
    select(
        Run.id, Run.prompt_tokens, Run.completion_tokens, func.coalesce(Run.duration_ms, 0).label("duration_ms")
    ).where(Run.id == any_(bindparam("run_ids", type_=ARRAY(Uuid)))),
    _Figures,
)
_LAST_RUNS: Final = Query(
    select(Run.id, (Run.status == "running").label("is_running"))
    .where(Run.chat_session_id == bindparam("chat_session_id"))
    .where(or_(Run.status == "running", Run.completed_at.is_not(None)))
    .order_by(Run.id.desc())
    .limit(_ENDED_RUNS),
    _LastRun,
)
_PRUNED_TO: Final = Query(
    select(func.coalesce(ChatSession.events_pruned_to, 0)).where(ChatSession.id == bindparam("chat_session_id")), int
)


class CatchUp:
    """Signals that the table holds events that were not received live."""


class Removed:
    """Signals that the session was removed and its run has ended."""


CATCH_UP: Final = CatchUp()
REMOVED: Final = Removed()
_Item = EventsStored | TextDelta | CatchUp | Removed


class Subscriber:
    """Reads a session. `put` never waits; a reader that falls too far behind gets an error and can reconnect."""

    def __init__(
        self, pool: asyncpg.Pool, bus: Bus, chat_session_id: int, reader: Principal, after: int, *, own: bool
    ) -> None:
        self._reader = reader
        self._own = own
        self._pool = pool
        self._bus = bus
        self._session = chat_session_id
        self._items: deque[_Item] = deque()
        self._arrived = asyncio.Event()
        self._overflowed = False
        self.last_id = after
        """The last stored event that the reader has, or will have next."""
        self._gap_before = 0
        self._message_id = 0
        self._attempt = 0
        self._length = 0
        self._ended: deque[str] = deque(maxlen=_ENDED_RUNS)
        # Of active runs without a message, by id: the turn that wrote the text, and the text's length.
        self._texts: dict[str, tuple[int, int]] = {}

    def put(self, item: _Item) -> None:
        """Adds an item that was received live. Items for a reader that is too slow are dropped."""
        if self._overflowed:
            return
        if len(self._items) >= _MAX_WAITING:
            self._overflowed = True
            self._items.clear()
        else:
            self._items.append(item)
        self._arrived.set()

    async def events(self, *, replay: bool = True) -> AsyncIterator[SessionEvent]:
        """Yields all events after the subscriber's `after`, indefinitely.

        Args:
            replay: Whether to start with the table and the text that is being written; not needed for a session whose
                run has not started.

        Raises:
            SlowReaderError: The reader fell too far behind; its metadata has the last id.
            NotFoundError: The session was removed.
        """
        if replay:
            # The subscription must be active before the table is read, so that no event is missed.
            await self._bus.flush()
            async for event in self._read_table():
                yield event
            async for event in self._snapshots_of_running():
                yield event
        while True:
            while self._items:
                item = self._items.popleft()
                if isinstance(item, TextDelta):
                    if (text := await self._text(item)) is not None:
                        yield text
                elif isinstance(item, EventsStored) and item.previous_id <= self.last_id:
                    for event in await self._received(item):
                        yield self._stored(event)
                else:
                    async for event in self._read_table():
                        yield event
                    if isinstance(item, Removed):
                        raise NotFoundError(
                            f"Chat session {self._session} was removed.", resource="chat session", id=str(self._session)
                        )
            if self._overflowed:
                raise SlowReaderError(
                    "The stream was read too slowly: resume after the last event.", after=str(self.last_id)
                )
            self._arrived.clear()
            if not self._items:
                await self._arrived.wait()

    async def _received(self, item: EventsStored) -> list[SessionEvent]:
        """Returns the events that the reader does not have yet, complete."""
        fresh = [event for event in item.events if event.id > self.last_id]
        ends = [event.finished for event in fresh if event.HasField("finished")]
        # A run that was cancelled without a worker has ended without its answer in the event.
        if not self._own or (ends and not all(end.HasField("message") for end in ends)):
            fresh = [copy.copy(event) for event in fresh]  # other subscribers share these objects
            await self._complete(fresh)
        return fresh

    async def _read_table(self) -> AsyncIterator[SessionEvent]:
        while True:
            page = await read_events(self._pool, self._session, self.last_id, _PAGE)
            if (gap := await self._gap()) is not None:
                yield gap
            await self._complete(page)
            for event in page:
                yield self._stored(event)
            if len(page) < _PAGE:
                return

    async def _gap(self) -> SessionEvent | None:
        """Returns an event when events after the reader's last one were deleted; read after them, it misses none."""
        pruned_to = await _PRUNED_TO.fetch_one(self._pool, chat_session_id=self._session) or 0
        if pruned_to <= max(self.last_id, self._gap_before):
            return None
        self._gap_before = pruned_to
        event = SessionEvent(chat_session_id=self._session, kind=session_event_pb2.SESSION_EVENT_KIND_GAP)
        event.gap.before = pruned_to
        return event

    def _stored(self, event: SessionEvent) -> SessionEvent:
        self.last_id = event.id
        if event.HasField("finished"):
            self._ended.append(event.run_id)
            self._texts.pop(event.run_id, None)
        return event

    async def _complete(self, page: list[SessionEvent]) -> None:
        """Adds fields that stored events omit: usage, and questions and answers as this reader may see them."""
        if not self._own:
            for event in page:
                withhold(event)
        elif any(map(_has_results, page)) and not await may_read_sources(self._pool, self._reader, self._session):
            for event in page:
                withhold_results(event)
        ended = {event.run_id for event in page if event.WhichOneof("detail") in ("finished", "queued")}
        if not ended:
            return
        questions, answers = await messages_of_runs(self._pool, self._reader, list(ended))
        found = await _FIGURES.fetch_all(self._pool, run_ids=[UUID(run_id) for run_id in ended])
        figures = {str(run.id): run for run in found}
        for event in page:
            detail = event.WhichOneof("detail")
            if detail == "finished":
                if answer := answers.get(event.run_id):
                    event.finished.message.CopyFrom(answer)
                if run := figures.get(event.run_id):
                    event.finished.prompt_tokens = run.prompt_tokens
                    event.finished.completion_tokens = run.completion_tokens
                    event.finished.duration_ms = run.duration_ms
            elif detail == "queued" and (question := questions.get(event.run_id)):
                event.queued.user_message.CopyFrom(question)

    async def _snapshots_of_running(self) -> AsyncIterator[SessionEvent]:
        runs = await _LAST_RUNS.fetch_all(self._pool, chat_session_id=self._session)
        # A worker that was declared dead may still publish text of an ended run, perhaps one before the reader's
        # cursor.
        self._ended.extend(str(run.id) for run in reversed(runs) if not run.is_running)
        for run in reversed(runs):
            if run.is_running and (event := await self._snapshot(str(run.id))) is not None:
                yield event

    async def _text(self, item: TextDelta) -> SessionEvent | None:
        if item.HasField("run_text"):
            return await self._run_text(item)
        delta = item.delta
        # The table was ahead of the live messages, or a worker that was declared dead still publishes an earlier
        # answer.
        if item.run_id in self._ended or delta.message_id < self._message_id:
            return None
        if delta.message_id != self._message_id:
            self._begin(delta.message_id, delta.attempt)
        elif delta.attempt < self._attempt:
            return None
        elif delta.attempt > self._attempt:
            self._begin(delta.message_id, delta.attempt)
        known = self._length - delta.offset
        if known < 0:
            return await self._snapshot(item.run_id)
        if known >= len(delta.text):
            return None
        text = delta.text[known:]
        event = SessionEvent(
            chat_session_id=self._session, run_id=item.run_id, kind=session_event_pb2.SESSION_EVENT_KIND_DELTA
        )
        event.delta.message_id = delta.message_id
        event.delta.attempt = delta.attempt
        event.delta.offset = self._length
        event.delta.text = text
        event.delta.cited_sources.extend(delta.cited_sources)
        self._length += len(text)
        return event

    async def _run_text(self, item: TextDelta) -> SessionEvent | None:
        """Returns text of a run without a message. Only for its owner, because it may quote sources."""
        if not self._own or item.run_id in self._ended:
            return None
        given = item.run_text
        attempt, length = self._texts.get(item.run_id, (0, 0))
        if given.attempt < attempt:
            return None
        known = (length if given.attempt == attempt else 0) - given.offset
        if known < 0:
            return await self._snapshot(item.run_id)
        if known >= len(given.text):
            return None
        return self._text_of_run(item.run_id, item.member, given.attempt, given.offset + known, given.text[known:])

    def _text_of_run(self, run_id: str, member: str, attempt: int, offset: int, text: str) -> SessionEvent:
        self._texts[run_id] = (attempt, offset + len(text))
        event = SessionEvent(
            chat_session_id=self._session,
            run_id=run_id,
            member=member,
            kind=session_event_pb2.SESSION_EVENT_KIND_DELTA,
        )
        event.run_text.attempt, event.run_text.offset, event.run_text.text = attempt, offset, text
        return event

    def _begin(self, message_id: int, attempt: int) -> None:
        self._message_id, self._attempt, self._length = message_id, attempt, 0

    async def _snapshot(self, run_id: str) -> SessionEvent | None:
        """The text so far, from the run's worker. None when it has none, or nothing that the reader does not know."""
        reply = await self._bus.request(snapshot_subject(run_id), SnapshotRequest(), SnapshotReply, _SNAPSHOT_SECONDS)
        if reply is not None and reply.run_text.text:
            text = reply.run_text
            is_new = self._own and (text.attempt, len(text.text)) > self._texts.get(run_id, (0, 0))
            return self._text_of_run(run_id, reply.member, text.attempt, 0, text.text) if is_new else None
        if reply is None or not reply.snapshot.text:
            return None
        snapshot: MessageSnapshot = reply.snapshot
        same = snapshot.message_id == self._message_id
        if same and (snapshot.attempt, len(snapshot.text)) <= (self._attempt, self._length):
            return None
        self._begin(snapshot.message_id, snapshot.attempt)
        self._length = len(snapshot.text)
        event = SessionEvent(
            chat_session_id=self._session, run_id=run_id, kind=session_event_pb2.SESSION_EVENT_KIND_SNAPSHOT
        )
        event.snapshot.CopyFrom(snapshot)
        return event


def sse_id(event: SessionEvent) -> str | None:
    """Returns the id for a client's `Last-Event-ID`; only stored events have one."""
    return str(event.id) if event.id else None


def _has_results(event: SessionEvent) -> bool:
    """Returns whether an event holds what a call has found."""
    return event.HasField("sources") or (event.HasField("tool_call") and bool(event.tool_call.result))


def withhold_results(event: SessionEvent) -> None:
    """Removes from an event what a call has found, for an owner who may no longer read all sources of the session."""
    detail = event.WhichOneof("detail")
    if detail == "sources":
        for source in event.sources.sources:
            source.ClearField("title")
    elif detail == "tool_call":
        event.tool_call.ClearField("result")


def withhold(event: SessionEvent) -> None:
    """Removes content of sources and memories from an event for a reader who is not the owner."""
    withhold_results(event)
    detail = event.WhichOneof("detail")
    if detail == "finished":
        event.finished.ClearField("message")
    elif detail is None and not event.run_id:
        event.ClearField("text")  # text about the owner's memories
