"""The event log of sessions: events are stored by statements and then published."""

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from uuid import UUID

import asyncpg

from echomind_lib.db.statements import Connection, Query
from echomind_lib.events.statements import LOCK_CLASS, StoredIds, event_values
from echomind_lib.messaging import Bus, events_subject
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import EventsStored
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent

GIVEN = "unnest(${0}::text[], ${1}::text[], ${2}::jsonb[]) WITH ORDINALITY AS event (kind, text, payload, place)"
"""Source of `insert_events`: events given as the three parameters that `columns` makes."""


def insert_events(source: str) -> str:
    """The CTEs that insert a session's events and end in `stored_events (event_ids, event_time, previous_event_id)`.

    They read a CTE `origin (chat_session_id, run_id)` of at most one row, and `source`, a FROM item named
    `event (kind, text, payload, place)`. The previous id is read by a function, which sees what was committed while the
    statement waited for the lock: one that were too low would let listeners pass over the event before.
    """
    return f"""
    event_lock AS MATERIALIZED (
        SELECT pg_advisory_xact_lock({LOCK_CLASS}, chat_session_id), chat_session_id, run_id FROM origin
    ),
    new_events AS (
        INSERT INTO run_events (chat_session_id, run_id, kind, text, payload)
        SELECT event_lock.chat_session_id, event_lock.run_id, event.kind, event.text, event.payload
        FROM event_lock, {source}
        ORDER BY event.place
        RETURNING id, creation_date
    ),
    stored_events AS (
        SELECT array_agg(id ORDER BY id) AS event_ids, min(creation_date) AS event_time,
            run_event_before((SELECT chat_session_id FROM origin), min(id)) AS previous_event_id
        FROM new_events
    )"""


def complete(
    events: Iterable[SessionEvent], row: StoredIds | asyncpg.Record, chat_session_id: int, run_id: UUID | None
) -> EventsStored:
    """Fills in what the database chose, from a statement that ended in `stored_events`."""
    ids = (
        row
        if isinstance(row, StoredIds)
        else StoredIds(
            chat_session_id=chat_session_id,
            run_id=run_id,
            event_ids=row["event_ids"],
            event_time=row["event_time"],
            previous_event_id=row["previous_event_id"],
        )
    )
    stored = EventsStored(previous_id=ids.previous_event_id or 0)
    if ids.event_time is None:  # no events
        return stored
    for event, event_id in zip(events, ids.event_ids or (), strict=True):
        event.id = event_id
        event.chat_session_id = chat_session_id
        event.run_id = str(run_id) if run_id else ""
        event.creation_date.FromDatetime(ids.event_time)
        stored.events.append(event)
    return stored


StoredRow = TypeVar("StoredRow", bound=StoredIds)


class EventLog:
    """Writes sessions' events: each is stored by a statement and then published, in this order.

    What changes runs or conversations takes it in place of a pool and a bus.
    """

    def __init__(self, pool: asyncpg.Pool, bus: Bus) -> None:
        self.pool, self.bus = pool, bus

    async def append(
        self,
        query: Query[StoredRow],
        events: Sequence[SessionEvent],
        /,
        *,
        fill: Callable[[StoredRow], None] | None = None,
        **values: Any,
    ) -> StoredRow | None:
        """Executes a statement that ends in `stored_events` of `given_events()`, and publishes the events.

        Args:
            query: The statement.
            events: What it stores; they get their ids, session, run and time.
            fill: Puts into the events what else the row has, before they are published. It is not stored with them.
            values: The statement's other parameters.

        Returns:
            Its row; None when its `origin` had none: then nothing is stored.
        """
        row = await query.fetch_one(self.pool, **event_values(events), **values)
        if row is not None:
            await publish(self.bus, _completed(events, row, fill))
        return row

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator["LogTransaction"]:
        """A transaction whose events are published once it is committed."""
        async with self.pool.acquire() as connection, connection.transaction():
            transaction = LogTransaction(connection)
            yield transaction
        for stored in transaction.stored:
            await publish(self.bus, stored)


class LogTransaction:
    """A transaction of several statements; those with events come last in it, for the log's lock is held to its end."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.stored: list[EventsStored] = []

    async def append(
        self,
        query: Query[StoredRow],
        events: Sequence[SessionEvent],
        /,
        *,
        fill: Callable[[StoredRow], None] | None = None,
        **values: Any,
    ) -> StoredRow | None:
        """As `EventLog.append`, within this transaction."""
        row = await query.fetch_one(self.connection, **event_values(events), **values)
        if row is not None:
            self.stored.append(_completed(events, row, fill))
        return row


def _completed(
    events: Sequence[SessionEvent], row: StoredRow, fill: Callable[[StoredRow], None] | None
) -> EventsStored:
    if fill is not None:
        fill(row)
    return complete(events, row, row.chat_session_id, row.run_id)


async def publish(bus: Bus, stored: EventsStored) -> None:
    """Tells listeners of a session. When it is lost, they find the events by reading the table."""
    if stored.events:
        await bus.publish(events_subject(stored.events[0].chat_session_id), stored)
