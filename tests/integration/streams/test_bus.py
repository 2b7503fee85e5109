"""Work over NATS: messages whose handler fails, and their effect on others."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import nats.errors
import pytest
import pytest_asyncio

from echomind_lib.errors import DependencyUnavailableError, NotFoundError
from echomind_lib.messaging import RUNS_REQUESTED, Bus, Delivery, streams
from echomind_lib.messaging import bus as bus_module
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import RunRequested
from echomind_lib.retries import RetryPolicy

CONSUMER = replace(RUNS_REQUESTED, max_deliver=2, ack_wait=1.0)
PATIENCE_SECONDS = 20.0


@pytest_asyncio.fixture
async def bus(nats_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bus]:
    monkeypatch.setattr(streams, "CONSUMERS", (CONSUMER,))
    monkeypatch.setattr(bus_module, "BACKGROUND", RetryPolicy(first=0.05))
    connected = await Bus.connect(nats_url, "test")
    yield connected
    await connected.close()


class Worker:
    """Takes messages; some fail."""

    def __init__(self, fails: Callable[[str], Exception | None]) -> None:
        self.taken: list[tuple[str, int]] = []
        self._fails = fails

    async def handle(self, delivery: Delivery) -> None:
        name = RunRequested.FromString(delivery.data).run_id
        self.taken.append((name, delivery.attempt))
        if error := self._fails(name):
            raise error
        if name == "long":
            await asyncio.Event().wait()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110 - a list tells nobody that it has grown
            await asyncio.sleep(0.01)


async def buried(bus: Bus) -> list[tuple[str, str]]:
    """Returns what is at the dead letters: the run, and the error that ended it."""
    count = (await bus.jetstream.stream_info("DLQ")).state.messages
    found = []
    for number in range(1, count + 1):
        message = await bus.jetstream.get_msg("DLQ", number)
        assert message.subject == "dlq.runs.requested"
        found.append((RunRequested.FromString(message.data or b"").run_id, (message.headers or {})["echomind-error"]))
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
    worker = Worker(lambda name: error if name == "bad" else None)
    consuming = asyncio.create_task(bus.consume(CONSUMER, worker.handle, asyncio.Semaphore(2)))
    await bus.wake(CONSUMER, RunRequested(run_id="bad"))
    await until(lambda: len(worker.taken) == len(attempts))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await bus.waiting(CONSUMER):  # noqa: ASYNC110 - it is acknowledged after the handler
            await asyncio.sleep(0.01)
    assert worker.taken == [("bad", attempt) for attempt in attempts]
    assert await buried(bus) == [("bad", type(error).__name__)]
    consuming.cancel()
    await asyncio.gather(consuming, return_exceptions=True)


async def test_who_cannot_be_buried_now_takes_nobody_along(bus: Bus, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(lambda name: NotFoundError("gone") if name == "bad" else None)
    consuming = asyncio.create_task(bus.consume(CONSUMER, worker.handle, asyncio.Semaphore(3)))
    publish = bus.jetstream.publish
    tried: list[str] = []

    async def publish_later(subject: str, *rest: Any, **options: Any) -> Any:
        tried.append(subject)
        if len(tried) == 1:
            raise nats.errors.TimeoutError
        return await publish(subject, *rest, **options)

    monkeypatch.setattr(bus.jetstream, "publish", publish_later)
    for name in ("long", "bad"):
        await bus.wake(CONSUMER, RunRequested(run_id=name))
    await until(lambda: len(tried) == 2)
    assert sorted(worker.taken) == [("bad", 1), ("bad", 2), ("long", 1)]
    assert not consuming.done()
    await bus.wake(CONSUMER, RunRequested(run_id="next"))
    await until(lambda: worker.taken[-1] == ("next", 1))
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
    monkeypatch.setattr(streams, "_STREAMS", tuple(one.evolve(max_age=days) for one in streams._STREAMS))
    monkeypatch.setattr(streams, "CONSUMERS", (replace(CONSUMER, ack_wait=7.0),))
    await bus.wake(CONSUMER, RunRequested(run_id="kept"))
    await bus.flush()
    again = await Bus.connect(nats_url, "test")
    assert (await again.jetstream.stream_info("RUNS")).config.max_age == days
    assert (await again.jetstream.consumer_info("RUNS", CONSUMER.durable)).config.ack_wait == 7.0
    assert await again.waiting(CONSUMER) == 1
    await again.close()
