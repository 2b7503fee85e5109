"""One protocol over three transports and any replica."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any

import pytest
from google.protobuf import json_format

from echomind_lib.errors import ValidationFailedError
from tests.drivers.client import Client, error_of
from tests.drivers.installation import Installation, scripted, until_readers
from tests.drivers.model_server import Json, Turn
from tests.drivers.readers import TRANSPORTS, Reader, Transport, open_stream


def plain(reader: Reader) -> list[dict[str, Any]]:
    return [json_format.MessageToDict(event) for event in reader.events]


async def read(
    installation: Installation, transport: Transport, replica: int, session_id: int, after: int, to: int
) -> Reader:
    """Reads the stored events from one to another."""
    reader = Reader()
    async with asyncio.timeout(60), open_stream(transport, installation.address(replica), session_id, after) as events:
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
    model = installation.model
    before = model._respond

    async def when_followed(body: Json) -> Turn:
        """Answers once every reader has what is stored so far, so that all of them read the text as it is written."""
        newest = await installation.pool.fetchval(
            "SELECT max(id) FROM run_events WHERE chat_session_id = $1", session_id
        )
        for reader in live:
            await reader.until(lambda reader=reader: reader.last_id >= newest)
        return scripted(body)

    model.respond(when_followed)
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as tasks:
        stack.callback(model.respond, before)
        following = []
        for reader, (transport, replica) in zip(live, ways, strict=True):
            stream = open_stream(transport, installation.address(replica), session_id)
            following.append(tasks.create_task(reader.follow(await stack.enter_async_context(stream))))
        for plan in ("words=40 delay=10 steps=2", "words=30 delay=10"):
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


async def first_id(owner: Client, session_id: int, query: str, last_event_id: str) -> int:
    """Returns the id of the first of the server-sent events, with both ways of naming the last one."""
    headers = {"Authorization": f"Bearer {owner.key}", "Last-Event-ID": last_event_id}
    url = f"{owner.http_url}/api/v1/chat-sessions/{session_id}/events{query}"
    async with asyncio.timeout(60), owner.session.get(url, headers=headers) as response:
        if response.status != 200:
            raise error_of(await response.json())
        async for line in response.content:
            if line.startswith(b"id:"):
                return int(line.removeprefix(b"id:"))
    raise AssertionError("the stream has ended")


async def test_a_reconnecting_browser_continues_after_its_last_event(installation: Installation) -> None:
    """An `EventSource` asks again for its first address, and names the last event in the header."""
    sent = await installation.ask("words=3")
    await installation.ended(sent["run"]["id"])
    session_id = int(sent["run"]["chatSessionId"])
    events = await installation.pool.fetch(
        "SELECT id FROM run_events WHERE chat_session_id = $1 ORDER BY id", session_id
    )
    ids = [row["id"] for row in events]
    assert await first_id(installation.owner, session_id, f"?after={ids[0]}", str(ids[1])) == ids[2]
    assert await first_id(installation.owner, session_id, f"?after={ids[1]}", str(ids[0])) == ids[2]
    assert await first_id(installation.owner, session_id, "", "") == ids[0]
    for wrong in ("x", "-1", "1.5", "9223372036854775808", "9" * 5000):
        with pytest.raises(ValidationFailedError, match="Last-Event-ID"):
            await first_id(installation.owner, session_id, "", wrong)
