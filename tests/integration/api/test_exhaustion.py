"""Callers that send much without a credential cost little."""

import asyncio
import sys

import grpc
import psutil
import pytest

from echomind_api.app import MESSAGE_BYTES
from echomind_api.main import Gateway
from tests.integration.api.client import Client

MIB = 2**20
CALLS = 60
PATH = "/echomind.public.v1.SearchService/Search"
# In a process of its own, whose memory is not the gateway's.
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
