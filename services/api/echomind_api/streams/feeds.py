"""One subscription to live events per watched session, shared by all of its watchers on this replica."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import asyncpg
import structlog
from nats.aio.msg import Msg
from prometheus_client import Gauge
from sqlalchemy import ARRAY, Integer, Select, and_, bindparam, exists, func, or_, select

from echomind_api.streams.subscriber import CATCH_UP, REMOVED, Subscriber
from echomind_lib.access import Principal
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.models.runs import Run, SessionEvent
from echomind_lib.db.statements import Query
from echomind_lib.messaging import Bus, Subscription
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored, TextDelta

log = structlog.get_logger(__name__)
_readers = Gauge("echomind_api_event_readers", "Readers of sessions' events at this moment.")

_POLL_SECONDS = 2.0
_LINGER_SECONDS = 30.0
_LAST_EVENTS: Final = timedelta(seconds=10)
"""How long the readers of a session that is removed wait for the end of its run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    """Changes of a session that its subscribers may not know."""

    id: int
    last: int | None
    """The last stored event."""
    is_removed: bool
    """Whether the session was removed, and its run has ended or had enough time to."""


def _state() -> Select[Any]:
    watched = func.unnest(bindparam("watched", type_=ARRAY(Integer))).table_valued("id").render_derived(name="watched")
    last = select(func.max(SessionEvent.id)).where(SessionEvent.chat_session_id == watched.c.id)
    at_work = select(Run.id).where(Run.chat_session_id == watched.c.id, Run.completed_at.is_(None))
    is_removed = or_(
        ChatSession.id.is_(None),
        ChatSession.deleted_date < func.now() - _LAST_EVENTS,
        and_(ChatSession.deleted_date.is_not(None), ~exists(at_work)),
    )
    return select(watched.c.id, last.scalar_subquery().label("last"), is_removed.label("is_removed")).select_from(
        watched.outerjoin(ChatSession, ChatSession.id == watched.c.id)
    )


_STATE: Final = Query(_state(), _State)


class _Feed:
    """A session's subscription and its watchers."""

    def __init__(self) -> None:
        self.subscribers: set[Subscriber] = set()
        self.subscription: Subscription | None = None
        self.ready = asyncio.Lock()
        self.idle_since = 0.0

    async def on_message(self, message: Msg) -> None:
        """Hands one message to all watchers; there are none while the feed lingers."""
        if not self.subscribers:
            return
        item: EventsStored | TextDelta
        if message.subject.startswith("events."):
            item = EventsStored.FromString(message.data)
        elif message.subject.startswith("deltas."):
            item = TextDelta.FromString(message.data)
        else:
            return
        for subscriber in tuple(self.subscribers):
            subscriber.put(item)


class Feeds:
    """All feeds of this replica. `run` must run concurrently, to recover lost live events."""

    def __init__(self, pool: asyncpg.Pool, bus: Bus) -> None:
        self._pool = pool
        self._bus = bus
        self._feeds: dict[int, _Feed] = {}

    @asynccontextmanager
    async def subscribe(
        self, chat_session_id: int, reader: Principal, after: int, *, own: bool = True
    ) -> AsyncIterator[Subscriber]:
        """A subscriber to a session. Nothing that happens from here on is missed.

        Args:
            chat_session_id: The session; whether the reader may see it is for the caller to decide.
            reader: The reader.
            after: The last event that the reader has.
            own: Whether the session is the reader's own.
        """
        feed = self._feeds.setdefault(chat_session_id, _Feed())
        subscriber = Subscriber(self._pool, self._bus, chat_session_id, reader, after, own=own)
        feed.subscribers.add(subscriber)
        _readers.inc()
        try:
            async with feed.ready:
                if feed.subscription is None:
                    feed.subscription = await self._bus.subscribe(f"*.{chat_session_id}", feed.on_message)
            yield subscriber
        finally:
            _readers.dec()
            feed.subscribers.discard(subscriber)
            feed.idle_since = asyncio.get_running_loop().time()

    async def run(self) -> None:
        """Finds events whose announcement was lost and ends unused feeds, until it is cancelled."""
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            try:
                await self._poll()
            except DATABASE_FAILURES as error:
                log.warning("poll of the event log failed", error=repr(error))
            await self._end_idle()

    async def _poll(self) -> None:
        watched = [session for session, feed in self._feeds.items() if feed.subscribers]
        if not watched:
            return
        for state in await _STATE.fetch_all(self._pool, watched=watched):
            for subscriber in tuple(self._feeds[state.id].subscribers):
                if (state.last or 0) > subscriber.last_id:
                    subscriber.put(CATCH_UP)
                if state.is_removed:
                    subscriber.put(REMOVED)

    async def _end_idle(self) -> None:
        now = asyncio.get_running_loop().time()
        for session, feed in list(self._feeds.items()):
            if not feed.subscribers and now - feed.idle_since > _LINGER_SECONDS and not feed.ready.locked():
                del self._feeds[session]
                if feed.subscription is not None:
                    await feed.subscription.close()
