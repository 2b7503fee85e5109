"""The connection to NATS, with protobuf messages."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

import nats.aio.subscription
import nats.errors
import nats.js.errors
import structlog
from google.protobuf.message import Message
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from echomind_lib.errors import DependencyUnavailableError, EchoMindError
from echomind_lib.messaging.streams import Consumer, declare
from echomind_lib.process.retries import BACKGROUND, retry_after
from echomind_lib.telemetry import spans

log = structlog.get_logger(__name__)

M = TypeVar("M", bound=Message)
T = TypeVar("T")

SCHEMA_VERSION = "1"
"""Sent with every work message in the header `echomind-schema`."""
_IDLE_FETCH_SECONDS = 10.0
"""Time-out of a fetch: a restarted server has lost waiting fetches, so it is repeated after this time."""
_STOPPED_SECONDS = 2.0
"""Until a message of a process that stops goes to another one: the server may still have fetches of the former."""
_RECONNECT_SECONDS = 0.5
_FLUSH_SECONDS = 2.0
"""Time that a caller waits for a flush."""
_ANSWER_SECONDS = 60
"""Time-out of the flush itself."""


class Subscription:
    """A core subscription; `async with` closes it."""

    def __init__(self, inner: "nats.aio.subscription.Subscription") -> None:
        self._inner = inner

    async def close(self) -> None:
        """Closes it; messages in progress are dropped."""
        try:
            await self._inner.unsubscribe()
        except (nats.errors.ConnectionClosedError, nats.errors.BadSubscriptionError):
            return  # closing the connection has ended the subscription

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class Delivery:
    """A work message that must be acknowledged. The consumer does so after the handler; a handler may do it earlier."""

    def __init__(self, message: Msg) -> None:
        self._message = message
        self.data = message.data
        """The payload: a protobuf message of `echomind.internal.v1`."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Returns the headers that it was sent with."""
        return self._message.headers or {}

    @property
    def attempt(self) -> int:
        """Returns the number of this delivery, starting at 1."""
        return self._message.metadata.num_delivered

    async def ack(self) -> None:
        """Acknowledges it: the work is done, or stored elsewhere. Calling it again does nothing."""
        if not self._message.is_acked:
            await self._message.ack()

    async def in_progress(self) -> None:
        """Extends the time for the work: it is not delivered again yet."""
        if not self._message.is_acked:
            await self._message.in_progress()

    async def retry(self, delay: float) -> None:
        """Requests another delivery after `delay` seconds."""
        if not self._message.is_acked:
            await self._message.nak(delay)

    async def terminate(self) -> None:
        """Requests no further delivery."""
        if not self._message.is_acked:
            await self._message.term()


Handler = Callable[[Delivery], Awaitable[None]]


class Bus:
    """One connection to NATS. It reconnects automatically, without limit."""

    def __init__(self, client: Client, jetstream: JetStreamContext, replicas: int) -> None:
        """Stores its connection; `replicas` is the number of copies of each stream."""
        self.client = client
        self.jetstream = jetstream
        self._replicas = replicas
        self._on_reconnect: list[Callable[[], None]] = []
        self._flushing: set[asyncio.Task[None]] = set()

    @classmethod
    async def connect(cls, url: str, name: str, *, wait: float = 10.0, replicas: int = 1) -> Self:
        """Connects and declares streams and consumers, with `replicas` copies of each stream.

        Raises:
            DependencyUnavailableError: No server responds within `wait` seconds, or it rejects the credentials.
        """

        async def on_error(error: Exception) -> None:
            log.warning("nats error", error=repr(error))

        async def on_reconnect() -> None:
            for callback in tuple(bus._on_reconnect):
                callback()

        client = Client()
        jetstream = client.jetstream(timeout=5)
        bus = cls(client, jetstream, replicas)
        try:
            async with asyncio.timeout(wait):
                await client.connect(
                    servers=url.split(","),
                    name=name,
                    error_cb=on_error,
                    reconnected_cb=on_reconnect,
                    allow_reconnect=True,
                    max_reconnect_attempts=-1,
                    reconnect_time_wait=1,
                    ping_interval=20,
                    max_outstanding_pings=2,
                )
                await declare(jetstream, replicas)
        except (OSError, TimeoutError, nats.errors.Error) as error:
            await client.close()
            raise DependencyUnavailableError(
                "The message server does not answer: try again.",
                detail=f"{type(error).__name__}. Check ECHOMIND_NATS__URL and that the server runs.",
                dependency="nats",
            ) from error
        return bus

    async def close(self) -> None:
        """Sends buffered messages and closes the connection."""
        if self.client.is_connected:
            await self.flush()
        await self.client.close()
        for flushing in self._flushing:
            flushing.cancel()

    @property
    def is_ready(self) -> bool:
        """Returns whether it is connected."""
        return self.client.is_connected

    @property
    def server_version(self) -> str:
        """The server's version; empty while disconnected."""
        if not self.client.is_connected:
            return ""
        version = self.client.connected_server_version
        return f"{version.major}.{version.minor}.{version.patch}"

    @contextlib.contextmanager
    def on_reconnect(self, callback: Callable[[], None]) -> Iterator[None]:
        """Calls a function after the connection was lost and is there again, as messages may have been missed."""
        self._on_reconnect.append(callback)
        try:
            yield
        finally:
            self._on_reconnect.remove(callback)

    # -- core NATS: publish and subscribe ---------------------------------------------------------------------------
    async def publish(self, subject: str, message: Message) -> bool:
        """Publishes a message to its subscribers. A lost message must be harmless: failures are logged, not raised.

        Returns:
            Whether it was sent; a server refuses messages that are too large (1 MB unless it is configured otherwise).
        """
        try:
            await self.client.publish(subject, message.SerializeToString())
        except (nats.errors.Error, OSError) as error:
            log.warning("nats publish failed", subject=subject, error=repr(error))
            return False
        return True

    async def subscribe(
        self, subject: str, on_message: Callable[[Msg], Awaitable[None]], queue: str = ""
    ) -> Subscription:
        """Subscribes to a subject. `on_message` is called for one message at a time.

        Each message is delivered to one of the subscribers with the same `queue`; without it, to all.
        """
        return Subscription(await self.client.subscribe(subject, queue, cb=on_message))

    async def flush(self) -> None:
        """Returns when the server has received everything sent before, including subscriptions; failures are logged."""
        # Never cancelled: the client closes its connection when a flush is answered and nobody waits for it.
        flushing = asyncio.create_task(self.client.flush(timeout=_ANSWER_SECONDS))
        self._flushing.add(flushing)
        flushing.add_done_callback(self._flushed)
        await asyncio.wait({flushing}, timeout=_FLUSH_SECONDS)

    def _flushed(self, flushing: asyncio.Task[None]) -> None:
        self._flushing.discard(flushing)
        if not flushing.cancelled() and (error := flushing.exception()) is not None:
            log.warning("nats flush failed", error=repr(error))

    async def request(self, subject: str, message: Message, reply: type[M], wait: float) -> M | None:
        """Sends a request to a service on a subject. Returns None if no service replies within `wait` seconds."""
        try:
            answer = await _cancellable(self.client.request(subject, message.SerializeToString(), timeout=wait))
        except (nats.errors.Error, TimeoutError, OSError):
            return None
        parsed = reply()
        parsed.ParseFromString(answer.data)
        return parsed

    # -- JetStream: work queues -------------------------------------------------------------------------------------
    async def wake(self, consumer: Consumer, message: Message) -> None:
        """Publishes a message to a consumer's stream without waiting for the acknowledgement.

        This is sufficient and cheapest: sweeps over the rows publish lost messages again once the queue is empty.
        """
        headers = {"echomind-schema": SCHEMA_VERSION}
        if spans.recorder is not None:
            headers |= spans.sending(consumer.subject)
        try:
            await self.client.publish(consumer.subject, message.SerializeToString(), headers=headers)
        except (nats.errors.Error, OSError) as error:
            log.warning("nats wake-up failed", subject=consumer.subject, error=repr(error))

    async def waiting(self, consumer: Consumer) -> int:
        """Returns how many messages a consumer has not delivered or acknowledged yet; -1 if NATS does not respond."""
        try:
            info = await _cancellable(self.jetstream.consumer_info(consumer.stream, consumer.durable))
        except (nats.errors.Error, nats.js.errors.Error, OSError, TimeoutError):
            return -1
        return (info.num_pending or 0) + (info.num_ack_pending or 0)

    async def consume(self, consumer: Consumer, handler: Handler, slots: asyncio.Semaphore) -> None:
        """Calls `handler` for each message, in a separate task with one of `slots`, until cancelled.

        After a retryable error, the message is delivered again with back-off and jitter; after a permanent one, or at
        the last delivery, a copy is published to `dlq.<subject>`. On cancellation, the handlers are cancelled and
        awaited, and their messages go to others. A stream that the server has lost is declared again.
        """
        subscription = await self.jetstream.pull_subscribe(
            consumer.subject, durable=consumer.durable, stream=consumer.stream
        )
        async with asyncio.TaskGroup() as tasks:
            while True:
                await slots.acquire()
                try:
                    # One at a time: a fetch of several returns none until all have arrived or it times out.
                    (message,) = await _cancellable(subscription.fetch(1, timeout=_IDLE_FETCH_SECONDS))
                except (nats.errors.TimeoutError, TimeoutError):
                    slots.release()  # no message yet: fetch again
                except (nats.errors.Error, OSError) as error:
                    slots.release()
                    log.warning("nats fetch failed", consumer=consumer.durable, error=repr(error))
                    await asyncio.sleep(_RECONNECT_SECONDS)
                    await self._declare_again()
                except BaseException:
                    slots.release()
                    raise
                else:
                    tasks.create_task(self._handle(consumer, handler, Delivery(message), slots))

    async def _declare_again(self) -> None:
        """Declares the streams and consumers, which a server with a new or emptied disk lacks."""
        if not self.client.is_connected:
            return
        try:
            await _cancellable(declare(self.jetstream, self._replicas))
        except (nats.errors.Error, OSError, TimeoutError) as error:
            log.warning("nats streams were not declared", error=repr(error))

    async def _handle(self, consumer: Consumer, handler: Handler, delivery: Delivery, slots: asyncio.Semaphore) -> None:
        keeper = asyncio.create_task(_keep_alive(delivery, consumer.ack_wait / 3))
        try:
            await self._carry_out(consumer, handler, delivery)
        except (nats.errors.Error, OSError, TimeoutError) as error:
            # The acknowledgement is lost, so the message is delivered again; the other handlers continue.
            log.warning("nats acknowledgement failed", consumer=consumer.durable, error=repr(error))
        except asyncio.CancelledError:
            # Otherwise it would be delivered again only after `ack_wait`.
            with contextlib.suppress(nats.errors.Error, OSError):
                await delivery.retry(_STOPPED_SECONDS)
            raise
        finally:
            keeper.cancel()
            slots.release()

    async def _carry_out(self, consumer: Consumer, handler: Handler, delivery: Delivery) -> None:
        try:
            await handler(delivery)
        except EchoMindError as error:
            await self._failed(consumer, delivery, error, retry=error.retryable)
        except Exception as error:
            log.exception("handler failed", consumer=consumer.durable)
            await self._failed(consumer, delivery, error, retry=True)
        else:
            await delivery.ack()

    async def _failed(self, consumer: Consumer, delivery: Delivery, error: Exception, *, retry: bool) -> None:
        attempt = delivery.attempt
        if retry and attempt < consumer.max_deliver:
            await delivery.retry(BACKGROUND.delay(attempt, retry_after(error)))
            return
        await self._bury(consumer.subject, delivery.data, type(error).__name__)
        await delivery.terminate()

    async def bury(self, subject: str, message: Message, reason: str) -> None:
        """Publishes a message about permanently failed work to the dead-letter subject `dlq.<subject>`.

        The failure is also stored in the row, so an error here is only logged.

        Args:
            subject: Subject of the message.
            message: The message.
            reason: The reason, in ASCII.
        """
        try:
            await self._bury(subject, message.SerializeToString(), reason)
        except (nats.errors.Error, OSError, TimeoutError) as error:
            log.warning("nats dead letter failed", subject=subject, error=repr(error))

    async def _bury(self, subject: str, data: bytes, reason: str) -> None:
        headers = {"echomind-schema": SCHEMA_VERSION, "echomind-error": reason}
        await self.jetstream.publish(f"dlq.{subject}", data, headers=headers)


async def _cancellable(work: Coroutine[Any, Any, T]) -> T:
    """Awaits a call of the client so that a concurrent cancellation is not lost.

    The client uses `asyncio.wait_for`, which before Python 3.12 loses a cancellation that arrives together with the
    result: the caller would continue to wait, forever if it is a stream.
    """
    task = asyncio.create_task(work)
    try:
        await asyncio.wait({task})
    finally:
        task.cancel()
    return task.result()


async def _keep_alive(delivery: Delivery, every: float) -> None:
    while True:
        await asyncio.sleep(every)
        with contextlib.suppress(nats.errors.Error, OSError):  # the next one may arrive
            await delivery.in_progress()
