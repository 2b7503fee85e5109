"""Work over NATS: messages whose handler fails, and their effect on others."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import nats.errors
import pytest
import pytest_asyncio
from nats.js.errors import NotFoundError as NotFoundInNatsError

from echomind_lib.errors import DependencyUnavailableError, NotFoundError
from echomind_lib.messaging import DOCUMENTS_PROCESS, Bus, Delivery, streams
from echomind_lib.messaging import bus as bus_module
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentProcess
from echomind_lib.process.retries import RetryPolicy

CONSUMER = replace(DOCUMENTS_PROCESS, max_deliver=2, ack_wait=1.0)
PATIENCE_SECONDS = 30.0
BAD, LONG, NEXT, KEPT = 1, 2, 3, 4
"""Documents."""


@pytest_asyncio.fixture
async def bus(nats_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bus]:
    monkeypatch.setattr(streams, "CONSUMERS", (CONSUMER,))
    monkeypatch.setattr(bus_module, "BACKGROUND", RetryPolicy(first=0.05))
    connected = await Bus.connect(nats_url, "test")
    yield connected
    await connected.close()


class Worker:
    """Takes messages; some fail."""

    def __init__(self, fails: Callable[[int], Exception | None]) -> None:
        self.taken: list[tuple[int, int]] = []
        self._fails = fails

    async def handle(self, delivery: Delivery) -> None:
        document_id = DocumentProcess.FromString(delivery.data).document_id
        self.taken.append((document_id, delivery.attempt))
        if error := self._fails(document_id):
            raise error
        if document_id == LONG:
            await asyncio.Event().wait()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110 - a list tells nobody that it has grown
            await asyncio.sleep(0.01)


async def buried(bus: Bus) -> list[tuple[int, str]]:
    """Returns what is at the dead letters: the document, and the error that ended it."""
    count = (await bus.jetstream.stream_info("DLQ")).state.messages
    found = []
    for number in range(1, count + 1):
        message = await bus.jetstream.get_msg("DLQ", number)
        assert message.subject == "dlq.documents.process"
        found.append(
            (DocumentProcess.FromString(message.data or b"").document_id, (message.headers or {})["echomind-error"])
        )
    return found


@pytest.mark.parametrize(
    ("error", "attempts"),
    [
        (NotFoundError("gone"), [1]),
        (DependencyUnavailableError("later", dependency="x"), [1, 2]),
        (ValueError("a fault"), [1, 2]),
    ],
)
async def test_what_cannot_be_done_is_buried(bus: Bus, error: Exception, attempts: list[int]) -> None:
    """At once when trying again does not help, otherwise at the last delivery."""
    worker = Worker(lambda document_id: error if document_id == BAD else None)
    consuming = asyncio.create_task(bus.consume(CONSUMER, worker.handle, asyncio.Semaphore(2)))
    await bus.wake(CONSUMER, DocumentProcess(document_id=BAD))
    await until(lambda: len(worker.taken) == len(attempts))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await bus.waiting(CONSUMER):  # noqa: ASYNC110 - it is acknowledged after the handler
            await asyncio.sleep(0.01)
    assert worker.taken == [(BAD, attempt) for attempt in attempts]
    assert await buried(bus) == [(BAD, type(error).__name__)]
    consuming.cancel()
    await asyncio.gather(consuming, return_exceptions=True)


async def test_work_of_a_process_that_stops_goes_to_another_one_at_once(bus: Bus) -> None:
    consumer = replace(CONSUMER, ack_wait=2 * PATIENCE_SECONDS)
    await bus.jetstream.add_consumer(consumer.stream, consumer.config())
    first, second = Worker(lambda _: None), Worker(lambda _: None)
    stopping = asyncio.create_task(bus.consume(consumer, first.handle, asyncio.Semaphore(1)))
    await bus.wake(consumer, DocumentProcess(document_id=LONG))
    await until(lambda: first.taken == [(LONG, 1)])
    other = asyncio.create_task(bus.consume(consumer, second.handle, asyncio.Semaphore(1)))
    stopping.cancel()
    await until(lambda: second.taken == [(LONG, 2)])
    other.cancel()
    await asyncio.gather(stopping, other, return_exceptions=True)


async def test_who_cannot_be_buried_now_takes_nobody_along(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(lambda document_id: NotFoundError("gone") if document_id == BAD else None)
    consuming = asyncio.create_task(bus.consume(CONSUMER, worker.handle, asyncio.Semaphore(3)))
    publish = bus.jetstream.publish
    tried: list[str] = []

    async def publish_later(subject: str, *rest: Any, **options: Any) -> Any:
        tried.append(subject)
        if len(tried) == 1:
            raise nats.errors.TimeoutError
        return await publish(subject, *rest, **options)

    monkeypatch.setattr(bus.jetstream, "publish", publish_later)
    for document_id in (LONG, BAD):
        await bus.wake(CONSUMER, DocumentProcess(document_id=document_id))
    await until(lambda: len(tried) == 2)
    assert sorted(worker.taken) == [(BAD, 1), (BAD, 2), (LONG, 1)]
    assert not consuming.done()
    await bus.wake(CONSUMER, DocumentProcess(document_id=NEXT))
    await until(lambda: worker.taken[-1] == (NEXT, 1))
    consuming.cancel()
    with suppress(asyncio.CancelledError):
        await consuming


async def test_stopping_counts_when_a_message_comes_in_the_same_moment(
    bus: Bus, monkeypatch: pytest.MonkeyPatch
) -> None:
    arriving: asyncio.Future[object] = asyncio.get_running_loop().create_future()
    waiting = asyncio.Event()

    class Pulled:
        async def fetch(self, _: int, timeout: float) -> list[object]:  # noqa: ASYNC109 - as the client has it
            waiting.set()
            return [await asyncio.wait_for(arriving, timeout)]  # as the client does

    async def pull_subscribe(*_: object, **__: object) -> Pulled:
        return Pulled()

    monkeypatch.setattr(bus.jetstream, "pull_subscribe", pull_subscribe)
    consuming = asyncio.create_task(bus.consume(CONSUMER, Worker(lambda _: None).handle, asyncio.Semaphore(1)))
    await waiting.wait()
    await asyncio.sleep(0)
    arriving.set_result(None)
    consuming.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(consuming, PATIENCE_SECONDS)


async def test_what_has_changed_is_declared_anew(bus: Bus, nats_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As at the first start of a new version."""
    days = 2 * 24 * 3600.0
    monkeypatch.setattr(streams, "_STREAMS", tuple(each.evolve(max_age=days) for each in streams._STREAMS))
    monkeypatch.setattr(streams, "CONSUMERS", (replace(CONSUMER, ack_wait=7.0),))
    await bus.wake(CONSUMER, DocumentProcess(document_id=KEPT))
    await bus.flush()
    again = await Bus.connect(nats_url, "test")
    assert (await again.jetstream.stream_info("INGEST")).config.max_age == days
    assert (await again.jetstream.consumer_info("INGEST", CONSUMER.durable)).config.ack_wait == 7.0
    assert await again.waiting(CONSUMER) == 1
    await again.close()


async def test_a_stream_of_another_version_is_deleted(bus: Bus, nats_url: str) -> None:
    """Nobody would read its messages."""
    await bus.jetstream.add_stream(name="RUNS", subjects=["runs.>"])
    again = await Bus.connect(nats_url, "test")
    with pytest.raises(NotFoundInNatsError):
        await again.jetstream.stream_info("RUNS")
    await again.close()


async def test_whoever_was_disconnected_is_called(bus: Bus) -> None:
    called = asyncio.Event()
    left = asyncio.Event()
    with bus.on_reconnect(left.set):
        pass
    with bus.on_reconnect(called.set):
        transport = bus.client._transport
        assert transport is not None
        transport.close()  # type: ignore[no-untyped-call]
        async with asyncio.timeout(PATIENCE_SECONDS):
            await called.wait()
    assert not left.is_set()


async def test_a_stream_that_the_server_has_lost_is_declared_again(bus: Bus) -> None:
    """A server may come back with an empty disk; what was sent meanwhile, sweeps find."""
    worker = Worker(lambda document_id: None)
    consuming = asyncio.create_task(bus.consume(CONSUMER, worker.handle, asyncio.Semaphore(1)))
    await bus.wake(CONSUMER, DocumentProcess(document_id=NEXT))
    await until(lambda: worker.taken == [(NEXT, 1)])
    await bus.jetstream.delete_stream(CONSUMER.stream)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await bus.waiting(CONSUMER) != 0:  # noqa: ASYNC110 - a server tells nobody of a new stream
            await asyncio.sleep(0.01)
    await bus.wake(CONSUMER, DocumentProcess(document_id=KEPT))
    await until(lambda: worker.taken == [(NEXT, 1), (KEPT, 1)])
    consuming.cancel()
    await asyncio.gather(consuming, return_exceptions=True)
