"""The event log of sessions: events are stored by statements and then published."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
from typing_extensions import override

from echomind_lib.db.statements import Connection, Query
from echomind_lib.events.statements import StoredRow, event_values
from echomind_lib.messaging import Bus, events_subject
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent


class _Appender(ABC):
    """Executes statements that store events."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    @abstractmethod
    async def _accept(self, stored: EventsStored) -> None:
        """Publishes stored events, or keeps them until the commit."""

    async def append(
        self,
        query: Query[StoredRow],
        events: Sequence[SessionEvent],
        /,
        *,
        fill: Callable[[StoredRow], None] | None = None,
        **values: Any,
    ) -> StoredRow | None:
        """Executes a statement that ends in `stored_events` of `given_events` or `given_event`, and publishes them.

        Events of a transaction are published after its commit.

        Args:
            query: The statement.
            events: The events to store. Their ids, session, run, time and member name are filled in.
            fill: Adds further values of the row to the events before they are published; these are not stored.
            values: The statement's other parameters.

        Returns:
            Its row; None if its `origin` was empty and nothing was stored.
        """
        row = await query.fetch_one(self.connection, **event_values(events), **values)
        if row is not None:
            await self._accept(_stored(events, row, fill))
        return row


class EventLog(_Appender):
    """Stores the events of sessions with a statement, and then publishes them.

    Code that changes runs or conversations receives it instead of a pool and a bus.
    """

    def __init__(self, pool: asyncpg.Pool, bus: Bus) -> None:
        super().__init__(pool)
        self.pool, self.bus = pool, bus

    @override
    async def _accept(self, stored: EventsStored) -> None:
        await _publish(self.bus, stored)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["LogTransaction"]:
        """Opens a transaction whose events are published after its commit."""
        async with self.pool.acquire() as connection, connection.transaction():
            transaction = LogTransaction(connection)
            yield transaction
        for stored in transaction.stored:
            await _publish(self.bus, stored)


class LogTransaction(_Appender):
    """A transaction of several statements. Those with events come last, as the log's lock is held until its end."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.stored: list[EventsStored] = []
        """The events to publish, in order."""

    @override
    async def _accept(self, stored: EventsStored) -> None:
        self.stored.append(stored)


def _stored(events: Sequence[SessionEvent], row: StoredRow, fill: Callable[[StoredRow], None] | None) -> EventsStored:
    """Returns the message that publishes events, and fills their ids and time in."""
    if fill is not None:
        fill(row)
    stored = EventsStored(previous_id=row.previous_event_id or 0)
    if row.event_time is None:  # the statement stored no event
        return stored
    for event, event_id in zip(events, row.event_ids or (), strict=True):
        event.id = event_id
        event.chat_session_id = row.chat_session_id
        event.run_id = str(row.run_id or "")
        event.member = row.member or event.member
        event.creation_date.FromDatetime(row.event_time)
        stored.events.append(event)
    return stored


async def _publish(bus: Bus, stored: EventsStored) -> None:
    """Publishes events of a session. If the message is lost, subscribers read them from the table."""
    if not stored.events:
        return
    last = stored.events[-1]
    subject = events_subject(last.chat_session_id)
    if not await bus.publish(subject, stored):
        await bus.publish(subject, EventsStored(previous_id=last.id))  # without the events, which may be too large
