"""Events of users for their open pages: one live subscription for all users of this replica.

Events are neither stored nor replayed: an event tells a page to read something again, and a stream starts with an event
to read everything. So after a lost event, a page is outdated until the next one.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import asyncpg
import structlog
from nats.aio.msg import Msg
from sqlalchemy import ARRAY, BigInteger, Integer, any_, bindparam, select

from echomind_lib.access import Principal, scope_name, scopes_of
from echomind_lib.access.documents import is_source_reader
from echomind_lib.access.notebooks import NOTEBOOK_ID, memberships
from echomind_lib.db.database import DATABASE_FAILURES
from echomind_lib.db.models.chat import ChatSession
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.models.identity import User
from echomind_lib.db.statements import Query
from echomind_lib.messaging import (
    CHANGES,
    CONNECTOR_CHANGED,
    DOCUMENT_CHANGED,
    DOCUMENTS_BACKGROUND,
    DOCUMENTS_PROCESS,
    USER_CHANGED,
    Bus,
    Subscription,
)
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import (
    ConnectorChanged,
    DocumentChanged,
    EventsStored,
    UserChanged,
)
from echomind_lib.pb.echomind.public.v1 import run_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.pb.echomind.public.v1.user_event_pb2 import (
    USER_EVENT_KIND_CONNECTOR,
    USER_EVENT_KIND_DOCUMENT,
    USER_EVENT_KIND_INBOX,
    USER_EVENT_KIND_NOTEBOOK,
    USER_EVENT_KIND_RESYNC,
    USER_EVENT_KIND_RUN,
    USER_EVENT_KIND_SESSION,
    UserEvent,
    UserEventKind,
)

log = structlog.get_logger(__name__)

_MAX_WAITING: Final = 1000
"""Maximum changes queued for a slow reader; beyond that it gets an event that everything may have changed."""
_MAX_SESSIONS: Final = 10_000
"""Sessions whose owner and notebook are remembered; neither changes."""
_GATHER_SECONDS: Final = 0.2
"""How long changes are gathered, so that several of one thing are one event."""
_CONNECTION_SECONDS: Final = 2.0
"""How often is looked whether the connection to NATS was lost, and events with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Session:
    """The owner and notebook of a session."""

    user_id: int
    notebook_id: int | None


_SESSION: Final = Query(
    select(ChatSession.user_id, ChatSession.notebook_id).where(
        ChatSession.id == bindparam("session_id", type_=Integer)
    ),
    _Session,
)
_MEMBERSHIP: Final = memberships().c
_MEMBERS: Final = Query(select(_MEMBERSHIP.user_id).distinct().where(_MEMBERSHIP.notebook_id == NOTEBOOK_ID), int)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    """The owner or group of a connector's documents."""

    scope: str
    user_id: int
    scope_id: str | None
    permission_mode: str


_SCOPE: Final = Query(
    select(Connector.scope, Connector.user_id, Connector.scope_id, Connector.permission_mode)
    .join(Document, Document.connector_id == Connector.id)
    .where(Document.id == bindparam("document_id", type_=BigInteger)),
    _Scope,
)
_SOURCE_READERS: Final = Query(
    select(User.id)
    .join(Document, Document.id == bindparam("document_id", type_=BigInteger))
    .where(User.id == any_(bindparam("user_ids", type_=ARRAY(Integer))), is_source_reader(Document, User)),
    int,
)
_CONNECTOR_SCOPE: Final = Query(
    select(Connector.scope, Connector.user_id, Connector.scope_id, Connector.permission_mode).where(
        Connector.id == bindparam("connector_id", type_=Integer)
    ),
    _Scope,
)


class UserSubscriber:
    """One reader. Unread changes are deduplicated by resource, so that the queue is bounded."""

    def __init__(self, reader: Principal) -> None:
        self.user_id = reader.user_id
        self.scopes = frozenset(scopes_of(reader))
        self._waiting: dict[tuple[int, str], UserEvent] = {}
        self._arrived = asyncio.Event()

    def put(self, event: UserEvent) -> None:
        """Adds an event; it replaces an earlier one of the same item."""
        if len(self._waiting) >= _MAX_WAITING:
            self.resync()
            return
        self._waiting[event.kind, event.id] = event
        self._arrived.set()

    def resync(self) -> None:
        """Signals that events were lost."""
        self._waiting = {(USER_EVENT_KIND_RESYNC, ""): UserEvent(kind=USER_EVENT_KIND_RESYNC)}
        self._arrived.set()

    async def events(self) -> AsyncIterator[UserEvent]:
        """Yields all changes from now on, indefinitely; the first event signals that anything may have changed."""
        self.resync()
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            waiting, self._waiting = self._waiting, {}
            for event in waiting.values():
                yield event
            await asyncio.sleep(_GATHER_SECONDS)


class UserFeeds:
    """All readers of this replica. `run` must run beside them."""

    def __init__(self, pool: asyncpg.Pool, bus: Bus) -> None:
        self._pool = pool
        self._bus = bus
        self._subscribers: dict[int, set[UserSubscriber]] = {}
        self._subscriptions: list[Subscription] = []
        self._ready = asyncio.Lock()
        self._sessions: OrderedDict[int, _Session] = OrderedDict()

    @asynccontextmanager
    async def subscribe(self, reader: Principal) -> AsyncIterator[UserSubscriber]:
        """Context of a subscriber to a user's changes."""
        subscriber = UserSubscriber(reader)
        self._subscribers.setdefault(reader.user_id, set()).add(subscriber)
        try:
            async with self._ready:
                if not self._subscriptions:
                    self._subscriptions = [
                        await self._bus.subscribe("events.*", self._on_session_events),
                        await self._bus.subscribe(CHANGES, self._on_change),
                        await self._bus.subscribe(DOCUMENTS_PROCESS.subject, self._on_document),
                        await self._bus.subscribe(DOCUMENTS_BACKGROUND.subject, self._on_document),
                    ]
            await self._bus.flush()
            yield subscriber
        finally:
            of_person = self._subscribers[reader.user_id]
            of_person.discard(subscriber)
            if not of_person:
                del self._subscribers[reader.user_id]
            if not self._subscribers:
                subscriptions, self._subscriptions = self._subscriptions, []
                for subscription in subscriptions:
                    await subscription.close()

    async def announce(self, user_id: int, kind: "UserEventKind.ValueType", thing_id: int) -> None:
        """Publishes a change that has no session event to a user's open pages.

        Args:
            user_id: The person.
            kind: Kind of change.
            thing_id: Its id.
        """
        event = UserEvent(kind=kind, id=str(thing_id), version=time.time_ns() // 1_000_000)
        await self._bus.publish(USER_CHANGED, UserChanged(user_id=user_id, event=event))

    async def run(self) -> None:
        """Signals all readers when events may have been lost with the connection, until it is cancelled."""
        was_ready = True
        while True:
            await asyncio.sleep(_CONNECTION_SECONDS)
            is_ready = self._bus.is_ready
            if is_ready and not was_ready:
                for subscriber in self._all():
                    subscriber.resync()
            was_ready = is_ready

    async def _on_session_events(self, message: Msg) -> None:
        session = await self._session(int(message.subject.rpartition(".")[2]))
        if session is None or (session.notebook_id is None and session.user_id not in self._subscribers):
            return
        stored = EventsStored.FromString(message.data)
        if not stored.events:
            for subscriber in self._subscribers.get(session.user_id, ()):
                subscriber.resync()
            if session.notebook_id is not None:
                await self._notify_members(session.notebook_id, stored.previous_id)
            return
        changes = [event for stored_event in stored.events for event in changes_of(stored_event)]
        self._put(session.user_id, changes)
        if session.notebook_id is not None and changes:
            await self._notify_members(session.notebook_id, max(event.version for event in changes))

    async def _on_session(self, session_id: int, version: int) -> None:
        """Notifies the members of its notebook of a session that was added, removed or restored."""
        session = await self._session(session_id)
        if session is not None and session.notebook_id is not None:
            await self._notify_members(session.notebook_id, version)

    async def _notify_members(self, notebook_id: int, version: int) -> None:
        """Notifies the members of a notebook of a changed conversation, with the notebook's ID only."""
        try:
            members = await _MEMBERS.fetch_all(self._pool, notebook_id=notebook_id)
        except DATABASE_FAILURES as error:
            log.warning("members of a notebook were not looked up", error=repr(error))
            return
        event = UserEvent(kind=USER_EVENT_KIND_NOTEBOOK, id=str(notebook_id), version=version)
        for user_id in members:
            self._put(user_id, [event])

    async def _on_change(self, message: Msg) -> None:
        if message.subject == USER_CHANGED:
            changed = UserChanged.FromString(message.data)
            self._put(changed.user_id, [changed.event])
            if changed.event.kind == USER_EVENT_KIND_SESSION:
                await self._on_session(int(changed.event.id), changed.event.version)
        elif message.subject == DOCUMENT_CHANGED:
            await self._on_document(message)
        elif message.subject == CONNECTOR_CHANGED:
            await self._on_connector(message)

    async def _on_document(self, message: Msg) -> None:
        """Notifies of a document; the message that wakes ingestors starts with its ID, as that of its change does."""
        document_id = DocumentChanged.FromString(message.data).document_id
        try:
            readers = await self._readers(document_id)
        except DATABASE_FAILURES as error:
            log.warning("readers of a document were not looked up", error=repr(error))
            return
        event = UserEvent(kind=USER_EVENT_KIND_DOCUMENT, id=str(document_id))
        for subscriber in readers:
            subscriber.put(event)

    async def _readers(self, document_id: int) -> list[UserSubscriber]:
        """Returns the subscribers who may read a document."""
        found = await _SCOPE.fetch_one(self._pool, document_id=document_id)
        if found is None:
            return []
        scope = scope_name(found.scope, found.user_id, found.scope_id)
        of_scope = [subscriber for subscriber in self._all() if scope in subscriber.scopes]
        if found.permission_mode == "scope" or not of_scope:
            return of_scope
        ids = {subscriber.user_id for subscriber in of_scope}
        readers = set(await _SOURCE_READERS.fetch_all(self._pool, document_id=document_id, user_ids=list(ids)))
        return [subscriber for subscriber in of_scope if subscriber.user_id in readers]

    async def _on_connector(self, message: Msg) -> None:
        connector_id = ConnectorChanged.FromString(message.data).connector_id
        try:
            found = await _CONNECTOR_SCOPE.fetch_one(self._pool, connector_id=connector_id)
        except DATABASE_FAILURES as error:
            log.warning("readers of a connector were not looked up", error=repr(error))
            return
        if found is None:
            return
        scope = scope_name(found.scope, found.user_id, found.scope_id)
        event = UserEvent(kind=USER_EVENT_KIND_CONNECTOR, id=str(connector_id))
        for subscriber in self._all():
            if scope in subscriber.scopes:
                subscriber.put(event)

    async def _session(self, session_id: int) -> _Session | None:
        """Returns a session's owner and notebook; None if it was purged, or the database does not respond."""
        if (known := self._sessions.get(session_id)) is not None:
            self._sessions.move_to_end(session_id)
            return known
        try:
            session = await _SESSION.fetch_one(self._pool, session_id=session_id)
        except DATABASE_FAILURES as error:
            log.warning("the owner and notebook of a session were not looked up", error=repr(error))
            return None
        if session is not None:
            self._sessions[session_id] = session
            if len(self._sessions) > _MAX_SESSIONS:
                self._sessions.popitem(last=False)
        return session

    def _put(self, user_id: int, events: Iterable[UserEvent]) -> None:
        subscribers = tuple(self._subscribers.get(user_id, ()))
        for event in events:
            for subscriber in subscribers:
                subscriber.put(event)

    def _all(self) -> list[UserSubscriber]:
        return [subscriber for of_person in self._subscribers.values() for subscriber in of_person]


def changes_of(event: SessionEvent) -> Iterator[UserEvent]:
    """Yields the changes of lists that a stored event of a session causes; most events cause none."""
    detail = event.WhichOneof("detail")
    statuses = {
        "queued": run_pb2.RUN_STATUS_QUEUED,
        "status": event.status.status,
        "input_requested": run_pb2.RUN_STATUS_WAITING_FOR_INPUT,
        "finished": event.finished.status,
    }
    if detail == "session_changed":
        yield UserEvent(kind=USER_EVENT_KIND_SESSION, id=str(event.chat_session_id), version=event.id)
    elif detail in statuses:
        common = {"version": event.id, "chat_session_id": event.chat_session_id}
        yield UserEvent(kind=USER_EVENT_KIND_SESSION, id=str(event.chat_session_id), version=event.id)
        yield UserEvent(kind=USER_EVENT_KIND_RUN, id=event.run_id, run_status=statuses[detail], **common)
        if detail != "queued":
            yield UserEvent(kind=USER_EVENT_KIND_INBOX, id=event.run_id, run_status=statuses[detail], **common)
