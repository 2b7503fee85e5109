"""One protocol over three transports and any replica."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

from google.protobuf import json_format

from tests.integration.streams.conftest import Installation, until_readers
from tests.integration.streams.readers import TRANSPORTS, Reader, Transport, open_stream


def plain(reader: Reader) -> list[dict[str, Any]]:
    return [json_format.MessageToDict(event) for event in reader.events]


async def read(
    installation: Installation, transport: Transport, replica: int, session_id: int, after: int, to: int
) -> Reader:
    """Reads the stored events from one to another."""
    reader = Reader()
    async with asyncio.timeout(20), open_stream(transport, installation.address(replica), session_id, after) as events:
        async for event in events:
            await reader.take(event)
            if reader.last_id == to:
                return reader
    raise AssertionError("the stream has ended")


async def test_all_say_the_same(installation: Installation) -> None:
    """Live and afterwards, from the beginning and from the middle."""
    made = await installation.owner.call("ChatSessionService/CreateChatSession", {"chatSession": {}})
    session_id = int(made["id"])
    ways: list[tuple[Transport, int]] = [(transport, replica) for transport in TRANSPORTS for replica in (0, 1)]
    live = [Reader() for _ in ways]
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
        following = []
        for reader, (transport, replica) in zip(live, ways, strict=True):
            stream = open_stream(transport, installation.address(replica), session_id)
            following.append(tasks.create_task(reader.follow(await stack.enter_async_context(stream))))
        for plan in ("words=40 delay=3 steps=2", "words=30 delay=2"):
            sent = await installation.ask(plan, session_id)
            await installation.ended(sent["run"]["id"])
            for reader in live:
                await reader.until(lambda reader=reader, run=sent["run"]["id"]: run in reader.finals())
        for task in following:
            task.cancel()
    stored = await installation.pool.fetch(
        "SELECT id FROM run_events WHERE chat_session_id = $1 ORDER BY id", session_id
    )
    assert len(stored) > 6
    expected = plain(live[0])
    assert [int(event["id"]) for event in expected] == [row["id"] for row in stored]
    for reader in live:
        assert plain(reader) == expected
        assert reader.text.deltas > 1
    first, middle, last = stored[0]["id"], stored[3]["id"], stored[-1]["id"]
    for transport, replica in ways:
        assert plain(await read(installation, transport, replica, session_id, 0, last)) == expected
        assert plain(await read(installation, transport, replica, session_id, middle, last)) == expected[4:]
        assert plain(await read(installation, transport, replica, session_id, 0, first)) == expected[:1]
    await until_readers(0)
