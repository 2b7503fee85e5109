"""What is published on NATS, as a test reads it, and messages that are lost."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import pytest_asyncio
from google.protobuf.message import Message
from nats.aio.msg import Msg
from typing_extensions import override

from echomind_lib.events.log import EventLog
from echomind_lib.messaging import RUNS_REQUESTED, Bus, Consumer
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ControlRequested, EventsStored, RunRequested

_MARK = "wire.mark"


_UNHEARD: ContextVar[bool] = ContextVar("unheard", default=False)


@contextmanager
def unheard() -> Iterator[None]:
    """Whatever this task publishes is lost, as when a process dies between a commit and its publishing."""
    token = _UNHEARD.set(True)
    try:
        yield
    finally:
        _UNHEARD.reset(token)


class LossyBus(Bus):
    """A bus that loses what is published within `unheard`."""

    @override
    async def publish(self, subject: str, message: Message) -> bool:
        return _UNHEARD.get() or await super().publish(subject, message)

    @override
    async def wake(self, consumer: Consumer, message: Message) -> None:
        if not _UNHEARD.get():
            await super().wake(consumer, message)


@dataclass
class Published:
    """Messages since the last look."""

    stored: list[EventsStored] = field(default_factory=list)
    wakes: list[str] = field(default_factory=list)
    """The runs that workers were woken for; empty for whichever is next."""
    controls: list[ControlRequested] = field(default_factory=list)


class Wire:
    """Reads all that is published."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._published = Published()
        self._marked = asyncio.Event()

    async def listen(self) -> None:
        await self._bus.subscribe(">", self._on_message)

    async def published(self) -> Published:
        """Returns what was published since the last call."""
        self._marked.clear()
        await self._bus.client.publish(_MARK)
        async with asyncio.timeout(60):
            await self._marked.wait()
        published, self._published = self._published, Published()
        return published

    async def _on_message(self, message: Msg) -> None:
        if message.subject == _MARK:
            self._marked.set()
        elif message.subject.startswith("events."):
            self._published.stored.append(EventsStored.FromString(message.data))
        elif message.subject.startswith("control."):
            self._published.controls.append(ControlRequested.FromString(message.data))
        elif message.subject == RUNS_REQUESTED:
            self._published.wakes.append(RunRequested.FromString(message.data).run_id)


@pytest_asyncio.fixture(loop_scope="session")
async def wire(event_log: EventLog) -> AsyncIterator[Wire]:
    """What is published by the test's event log."""
    wire = Wire(event_log.bus)
    await wire.listen()
    yield wire
