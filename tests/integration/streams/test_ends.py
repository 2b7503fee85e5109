"""Ends of streams: disconnected and slow readers, revoked credentials, stopping replicas."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import pytest

from echomind_api.calls.recheck import recheck
from echomind_api.main import STOP_SECONDS, serve
from echomind_api.streams import subscriber
from echomind_lib.errors import EchoMindError, SlowReaderError, UnauthenticatedError
from echomind_lib.messaging import Bus, deltas_subject
from echomind_lib.network.http_server import HttpServer
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import TextDelta
from tests.drivers.client import Client
from tests.drivers.installation import Installation, until_readers
from tests.drivers.readers import TRANSPORTS, Address, ClosedError, Events, Reader, Transport, open_stream
from tests.drivers.relay import Relay

CLOSE_CODES = {"SLOW_READER": 1013, "DEPENDENCY_UNAVAILABLE": 1013, "UNAUTHENTICATED": 4401}
PIECE = "x" * 20_000
_GONE_UUID = "00000000-0000-7000-8000-000000000000"


async def error_of(events: Events, reader: Reader, codes: dict[str, int] = CLOSE_CODES) -> EchoMindError:
    """Reads a stream to its end, which must be an error."""
    try:
        async with asyncio.timeout(60):
            await reader.follow(events)
    except EchoMindError as error:
        return error
    except ClosedError as closed:
        if closed.error is not None and closed.code == codes[closed.error.reason]:
            return closed.error
        raise
    raise AssertionError("the stream has ended without a word")


async def new_session(client: Client) -> int:
    made = await client.call("ChatSessionService/CreateChatSession", {"chatSession": {}})
    return int(made["id"])


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("way", ["left", "aborted", "cut"])
async def test_a_disconnected_client_is_removed_immediately(
    installation: Installation, transport: Transport, way: str
) -> None:
    session_id = await new_session(installation.owner)
    address = installation.address()
    http, grpc = Relay(address.http_url.removeprefix("http://")), Relay(address.grpc_address)
    async with AsyncExitStack() as stack:
        (http_server, http_address), (grpc_server, grpc_address) = await http.listen(), await grpc.listen()
        await stack.enter_async_context(http_server)
        await stack.enter_async_context(grpc_server)
        relayed = Address(f"http://{http_address}", grpc_address, address.key)
        async with open_stream(transport, relayed, session_id, abort=way == "aborted"):
            await until_readers(1)
            if way == "cut":
                http.cut()
                grpc.cut()
                await until_readers(0, within=5)
        await until_readers(0, within=5)  # sooner than any heartbeat


class Writer:
    """Writes live text into a session, as an agent does."""

    def __init__(self, bus: Bus, session_id: int) -> None:
        self._bus, self._session_id = bus, session_id
        self.length = 0

    async def write(self, pieces: int) -> None:
        for _ in range(pieces):
            message = TextDelta(run_id=_GONE_UUID)
            message.delta.message_id, message.delta.attempt = 2**40, 1
            message.delta.offset, message.delta.text = self.length, PIECE
            self.length += len(PIECE)
            await self._bus.publish(deltas_subject(self._session_id), message)
        await self._bus.flush()


async def test_slow_clients_are_dropped_and_block_nobody(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subscriber, "_MAX_WAITING", 100)
    sent = await installation.ask("words=3")
    await installation.ended(sent["run"]["id"])
    session_id = int(sent["run"]["chatSessionId"])
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
        slow = [
            await stack.enter_async_context(open_stream(transport, installation.address(), session_id))
            for transport in TRANSPORTS
        ]
        quick, following = [Reader() for _ in range(2)], []
        ways: tuple[tuple[Transport, int], ...] = (("grpc", 0), ("websocket", 1))
        for (transport, replica), reader in zip(ways, quick, strict=True):
            events = await stack.enter_async_context(open_stream(transport, installation.address(replica), session_id))
            following.append(tasks.create_task(reader.follow(events)))
            await reader.until(lambda reader=reader: reader.finals())
        writer = Writer(installation.replicas[0].parts.dependencies.bus, session_id)
        for _ in range(25):
            await writer.write(40)
            for reader in quick:
                await reader.until(lambda reader=reader: reader.text.length == writer.length)
        for events in slow:
            reader = Reader()
            error = await error_of(events, reader)
            assert isinstance(error, SlowReaderError)
            assert error.metadata == {"after": str(reader.last_id)}
            assert reader.ids == quick[0].ids
            assert 0 < reader.text.length < writer.length
        for task in following:
            task.cancel()
    await until_readers(0)
    last_id = quick[0].last_id
    again = await installation.ask("words=3", session_id)
    for transport in TRANSPORTS:
        reader = Reader()
        async with open_stream(transport, installation.address(1), session_id, last_id) as events:
            async for event in events:
                await reader.take(event)
                if reader.finals():
                    break
        assert reader.ids[0] > last_id
        assert reader.finals().keys() == {again["run"]["id"]}


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="Linux knows it")
@pytest.mark.parametrize("transport", ["sse", "websocket"])
async def test_a_client_that_never_reads_is_disconnected(
    installation: Installation, transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echomind_api.main.UNREAD_SECONDS", 1)
    session_id = await new_session(installation.owner)
    async with serve(installation.settings) as gateway:
        address = Address(gateway.http_url, gateway.grpc_address, installation.owner.key)
        async with open_stream(transport, address, session_id, abort=True):
            await until_readers(1)
            await Writer(gateway.parts.dependencies.bus, session_id).write(1500)
            await until_readers(0)


async def _revoke(installation: Installation, somebody: Client) -> None:
    (key,) = (await somebody.call("ApiKeyService/ListApiKeys"))["apiKeys"]
    await somebody.call("ApiKeyService/DeleteApiKey", {"id": key["id"]})


async def _deactivate(installation: Installation, somebody: Client) -> None:
    change = {"id": somebody.user_id, "user": {"isActive": False}, "updateMask": "isActive"}
    await installation.owner.call("UserService/UpdateUser", change)


async def _promote(installation: Installation, somebody: Client) -> None:
    change = {"id": somebody.user_id, "user": {"roles": ["ROLE_ADMIN"]}, "updateMask": "roles"}
    await installation.owner.call("UserService/UpdateUser", change)


async def _purge(installation: Installation, somebody: Client) -> None:
    await installation.owner.call("UserService/PurgeUser", {"id": somebody.user_id})


async def _sign_out(installation: Installation, somebody: Client) -> None:
    request = {"id": somebody.user_id, "revokeApiKeys": True}
    await installation.owner.call("UserService/SignOutUser", request)


@pytest.mark.parametrize("way_out", [_deactivate, _purge, _sign_out])
async def test_a_revoked_account_is_out_on_every_replica(
    installation: Installation, way_out: Callable[[Installation, Client], Awaitable[None]]
) -> None:
    somebody = await installation.user()
    session_id = await new_session(somebody)
    await somebody.call("ChatMessageService/SendMessage", {"content": "words=3", "chatSessionId": session_id})
    readers = [Reader(), Reader()]
    async with AsyncExitStack() as stack:
        streams = [
            await stack.enter_async_context(
                open_stream("websocket", installation.address(replica, somebody.key), session_id)
            )
            for replica in range(2)
        ]
        await until_readers(2)
        await way_out(installation, somebody)
        # By the message alone: no stream is checked periodically in this time.
        for events, reader in zip(streams, readers, strict=True):
            assert isinstance(await error_of(events, reader), UnauthenticatedError)
    for replica in installation.clients:
        with pytest.raises(UnauthenticatedError):
            await replica.as_(somebody.key, somebody.user_id).call("UserService/GetCurrentUser")
    active = "SELECT count(*) FROM runs WHERE user_id = $1 AND completed_at IS NULL"
    async with asyncio.timeout(60):
        while await installation.pool.fetchval(active, somebody.user_id):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("change", "reason"),
    [(_revoke, "UNAUTHENTICATED"), (_deactivate, "UNAUTHENTICATED"), (_promote, "DEPENDENCY_UNAVAILABLE")],
)
async def test_a_stream_ends_with_its_credential(
    installation: Installation, change: Callable[[Installation, Client], Awaitable[None]], reason: str
) -> None:
    somebody = await installation.user()
    session_id, others = await new_session(somebody), await new_session(installation.owner)
    parts = installation.replicas[0].parts
    async with AsyncExitStack() as stack:
        address = installation.address(0, somebody.key)
        streams = [
            await stack.enter_async_context(open_stream(transport, address, session_id)) for transport in TRANSPORTS
        ]
        await stack.enter_async_context(open_stream("websocket", installation.address(), others))
        await until_readers(4)
        await recheck(parts.limits, parts.authentication)
        await change(installation, somebody)
        await recheck(parts.limits, parts.authentication)
        for events in streams:
            assert (await error_of(events, Reader())).reason == reason
        await until_readers(1)
    await until_readers(0)


async def test_a_stream_ends_with_its_session(installation: Installation) -> None:
    asked = await installation.ask("words=2000 delay=20")
    session_id = int(asked["run"]["chatSessionId"])
    async with AsyncExitStack() as stack:
        streams = [
            await stack.enter_async_context(open_stream(transport, installation.address(index % 2), session_id))
            for index, transport in enumerate(TRANSPORTS)
        ]
        await until_readers(len(TRANSPORTS))
        await installation.owner.call("ChatSessionService/DeleteChatSession", {"id": session_id})
        for events in streams:
            reader = Reader()
            error = await error_of(events, reader, {"NOT_FOUND": 4404})
            assert error.reason == "NOT_FOUND"
            assert reader.finals().keys() == {asked["run"]["id"]}  # its run is cancelled first, with an event
    await until_readers(0)


async def test_a_stopping_replica_tells_its_clients(installation: Installation) -> None:
    session_id = await new_session(installation.owner)
    async with AsyncExitStack() as stack:
        async with serve(installation.settings) as gateway:
            address = Address(gateway.http_url, gateway.grpc_address, installation.owner.key)
            streams = [
                await stack.enter_async_context(open_stream(transport, address, session_id)) for transport in TRANSPORTS
            ]
            await until_readers(3)
            ends = [
                asyncio.create_task(error_of(events, Reader(), {"DEPENDENCY_UNAVAILABLE": 1001})) for events in streams
            ]
        for end in ends:
            assert "connect again" in (await end).message
    await until_readers(0)


@pytest.mark.parametrize("transport", TRANSPORTS)
async def test_slow_readers_are_also_notified_when_a_replica_stops(
    installation: Installation, transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echomind_api.main.STOP_SECONDS", 20)
    monkeypatch.setattr("echomind_api.main._LAST_WORDS_SECONDS", 19)
    stops, main_loop = asyncio.Event(), HttpServer.main_loop

    async def serve_until_it_stops(server: HttpServer) -> None:
        await main_loop(server)
        stops.set()

    monkeypatch.setattr(HttpServer, "main_loop", serve_until_it_stops)
    session_id = await new_session(installation.owner)

    async def read_when_it_stops(events: Events) -> EchoMindError:
        await stops.wait()
        return await error_of(events, Reader(), {"DEPENDENCY_UNAVAILABLE": 1001})

    async with AsyncExitStack() as stack:
        async with serve(installation.settings) as gateway:
            address = Address(gateway.http_url, gateway.grpc_address, installation.owner.key)
            events = await stack.enter_async_context(open_stream(transport, address, session_id))
            await until_readers(1)
            await Writer(gateway.parts.dependencies.bus, session_id).write(400)
            end = asyncio.create_task(read_when_it_stops(events))
        assert "connect again" in (await end).message
    await until_readers(0)


async def test_a_client_that_never_reads_does_not_block_the_stop_of_a_replica(installation: Installation) -> None:
    session_id = await new_session(installation.owner)
    async with AsyncExitStack() as stack:
        async with serve(installation.settings) as gateway:
            address = Address(gateway.http_url, gateway.grpc_address, installation.owner.key)
            for transport in TRANSPORTS:
                await stack.enter_async_context(open_stream(transport, address, session_id, abort=True))
            await until_readers(3)
            await Writer(gateway.parts.dependencies.bus, session_id).write(400)
            stopping = asyncio.get_running_loop().time()
        assert asyncio.get_running_loop().time() - stopping < 2 * STOP_SECONDS + 5
    await until_readers(0)
