"""A run in a worker's hands, two API replicas, and a client of its events."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from uuid import UUID

import pytest_asyncio

from echomind_api.streams import Feeds
from echomind_lib.access import Principal
from echomind_lib.conversations.questions import StoredQuestion
from echomind_lib.db.database import Database
from echomind_lib.events.log import EventLog
from echomind_lib.messaging import Bus
from echomind_lib.pb.echomind.public.v1 import chat_message_pb2, session_event_pb2
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import SessionEvent
from echomind_lib.runs import lease
from echomind_lib.runs.fence import RunLease
from tests.drivers.wire import LossyBus
from tests.factories.questions import ask
from tests.factories.rows import Rows, new_worker


@dataclass
class Reader:
    """A client: keeps what the contract says a client keeps."""

    ids: list[int] = field(default_factory=list)
    text: str = ""
    attempt: int = 0
    final: session_event_pb2.RunFinished | None = None
    sources: list[chat_message_pb2.Source] = field(default_factory=list)
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    gaps: list[int] = field(default_factory=list)

    def take(self, event: SessionEvent) -> None:
        """Applies one event."""
        self.begun.set()
        match event.WhichOneof("detail"):
            case "delta":
                if event.delta.attempt > self.attempt:
                    self.attempt, self.text = event.delta.attempt, ""
                assert event.delta.attempt == self.attempt
                assert event.delta.offset == len(self.text)
                self.text += event.delta.text
            case "snapshot":
                self.attempt, self.text = event.snapshot.attempt, event.snapshot.text
            case "sources":
                self.sources += event.sources.sources
            case "finished":
                self.final = event.finished
            case "gap":
                self.gaps.append(event.gap.before)
        if event.id:
            self.ids.append(event.id)


@dataclass
class Stage:
    """A run in a worker's hands, and two API replicas."""

    database: Database
    log: EventLog
    replicas: list[Feeds]
    principal: Principal
    sent: StoredQuestion
    worker_id: UUID

    @property
    def bus(self) -> Bus:
        """The connection of whoever writes events."""
        return self.log.bus

    async def take(self) -> RunLease:
        """Takes the run, as a worker does."""
        taken = await lease.claim(self.log, self.sent.run_id, self.worker_id)
        assert taken is not None
        return taken

    async def follow(
        self, reader: Reader, replica: int = 0, *, drop_after: int | None = None, own: bool = True
    ) -> None:
        """Reads until the end, or until so many events."""
        after = reader.ids[-1] if reader.ids else 0
        reader.text, reader.attempt = "", 0
        seen = 0
        feeds = self.replicas[replica]
        async with feeds.subscribe(self.sent.chat_session_id, self.principal, after, own=own) as subscriber:
            async for event in subscriber.events():
                reader.take(event)
                seen += 1
                if event.kind == session_event_pb2.SESSION_EVENT_KIND_FINAL or seen == drop_after:
                    return


@pytest_asyncio.fixture(loop_scope="session")
async def stage(database: Database, rows: Rows, nats_url: str) -> AsyncIterator[Stage]:
    """A queued run, and two replicas that follow events."""
    async with AsyncExitStack() as stack:
        bus = await LossyBus.connect(nats_url, "test")
        stack.push_async_callback(bus.close)
        replicas = []
        for _ in range(2):
            replica_bus = await Bus.connect(nats_url, "replica")
            stack.push_async_callback(replica_bus.close)
            feeds = Feeds(database.pool, replica_bus)
            task = asyncio.create_task(feeds.run())
            stack.callback(task.cancel)
            replicas.append(feeds)
        sent = await ask(EventLog(database.pool, bus), rows.user_id, None, "What?")
        worker_id = await new_worker(database.pool)
        yield Stage(database, EventLog(database.pool, bus), replicas, Principal(rows.user_id), sent, worker_id)
