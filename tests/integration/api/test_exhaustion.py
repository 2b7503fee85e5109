"""Callers that send much without a credential cost little."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import psutil
import pytest

from echomind_api.grpc_server import MESSAGE_BYTES, grpc_server
from echomind_api.main import Gateway
from tests.drivers.client import Client

MIB = 2**20
CALLS = 60
PATH = "/echomind.public.v1.SearchService/Search"
# In a separate process, so that its memory is not counted as the gateway's.
SENDER = f"""
import asyncio, collections, grpc, sys

async def main():
    data = bytes(int(sys.argv[2]))
    async with grpc.aio.insecure_channel(sys.argv[1], options=[("grpc.max_send_message_length", -1)]) as channel:
        call = channel.unary_unary("{PATH}")
        found = await asyncio.gather(*(call(data) for _ in range({CALLS})), return_exceptions=True)
    print(*sorted(collections.Counter(one.code().name for one in found)))

asyncio.run(main())
"""


async def test_messages_without_sign_in_are_not_received(gateway: Gateway) -> None:
    process = psutil.Process()
    before = highest = process.memory_info().rss
    size = str(MESSAGE_BYTES - 1024)
    command = (sys.executable, "-c", SENDER, gateway.grpc_address, size)
    sender = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    output = asyncio.create_task(sender.communicate())
    while not output.done():
        highest = max(highest, process.memory_info().rss)
        await asyncio.wait([output], timeout=0.01)
    codes = (await output)[0].decode().split()
    # A client that is still sending when it is refused may see no more than that its stream has ended.
    assert "UNAUTHENTICATED" in codes
    assert set(codes) <= {"UNAUTHENTICATED", "CANCELLED"}
    sent = CALLS * int(size)
    assert highest - before < sent / 4, f"{(highest - before) / MIB:.0f} MiB more for {sent / MIB:.0f} MiB sent"


async def test_a_message_beyond_the_limit_is_refused(owner: Client) -> None:
    call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = owner.channel.unary_unary(PATH)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(bytes(MESSAGE_BYTES + 1), metadata=(("authorization", f"Bearer {owner.key}"),))
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


ME = "/echomind.public.v1.UserService/GetCurrentUser"
Call = grpc.aio.StreamUnaryCall[bytes, bytes]


async def message_after(event: asyncio.Event) -> AsyncIterator[bytes]:
    """The messages of a call that stays until an event."""
    await event.wait()
    yield b""


@asynccontextmanager
async def second_server(gateway: Gateway) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to another gRPC server of the same gateway, with the bounds of this moment."""
    server, _ = grpc_server(gateway.parts)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield channel
    await server.stop(0)


def metadata_of(owner: Client) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {owner.key}"),)


async def me(owner: Client, channel: grpc.aio.Channel) -> bytes:
    """Returns a short call."""
    call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(ME)
    return await call(b"", metadata=metadata_of(owner))


async def hold(
    gateway: Gateway, owner: Client, channel: grpc.aio.Channel, number: int, end: asyncio.Event
) -> list[Call]:
    """Begins calls that stay until an event; returns when the gateway has them."""
    held: list[Call] = []
    for _ in range(number):
        call: grpc.aio.StreamUnaryMultiCallable[bytes, bytes] = channel.stream_unary(PATH)
        held.append(call(message_after(end), metadata=metadata_of(owner)))
    async with asyncio.timeout(60):
        while gateway.parts.limits._calls[owner.user_id] < number:  # noqa: ASYNC110 - nothing tells
            await asyncio.sleep(0.01)
    return held


async def test_calls_of_all_connections_are_bounded(
    gateway: Gateway, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echomind_api.grpc_server.RPCS_AT_ONCE", 2)
    async with second_server(gateway) as channel:
        held = await hold(gateway, owner, channel, 2, end := asyncio.Event())
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await me(owner, channel)
        assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        end.set()
        assert [await call.code() for call in held] == [grpc.StatusCode.INVALID_ARGUMENT] * 2
        await me(owner, channel)


async def test_calls_of_one_connection_beyond_the_bound_wait(
    gateway: Gateway, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echomind_api.grpc_server.RPCS_A_CONNECTION", 1)
    async with second_server(gateway) as channel:
        await me(owner, channel)  # afterwards the client knows the limit
        await hold(gateway, owner, channel, 1, end := asyncio.Event())
        waiting = asyncio.create_task(me(owner, channel))
        assert not (await asyncio.wait([waiting], timeout=0.3))[0]
        end.set()
        assert await asyncio.wait_for(waiting, 60)


async def test_metadata_beyond_the_limit_is_refused(owner: Client) -> None:
    call: grpc.aio.UnaryUnaryMultiCallable[bytes, bytes] = owner.channel.unary_unary(ME)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(b"", metadata=(*metadata_of(owner), ("x-long", "x" * 64 * 1024)))
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
