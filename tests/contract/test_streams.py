"""Streams over server-sent events and over gRPC: their items, their ends, and callers that leave."""

import asyncio
import json
from collections.abc import AsyncIterator, MutableMapping
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from fastapi import FastAPI

from echomind_lib.contract import sse
from echomind_lib.contract.rest import add_services
from echomind_lib.contract.sse import EventStream
from echomind_lib.errors.grpc import from_rpc_error
from tests.drivers.sample_service import grpc_channel, http_client, make_service, stream


def events(text: str) -> list[dict[str, str]]:
    """Parses an event stream, without its comments."""
    blocks = [[line for line in block.splitlines() if not line.startswith(":")] for block in text.split("\n\n")]
    return [dict(line.split(": ", 1) for line in block) for block in blocks if block]


async def test_items_of_a_stream(sample: SimpleNamespace) -> None:
    service = make_service(sample)
    async with grpc_channel(service) as channel, http_client(service) as client:
        response = await client.get("/v1/things/1:watch?script=model+message+live+begin")
        posted = await client.post("/v1/things/1:watch", json={"script": "model message live begin"})
        watch = stream(channel, service, "WatchThing")
        items = [item async for item in watch(sample.pb.WatchThingRequest(id=1, script="begin model message live"))]
    assert (response.status_code, response.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert response.headers["cache-control"] == "no-store"
    assert response.text == posted.text
    assert [(item.id, item.text) for item in items] == [(2, "model"), (3, "message"), (0, "live")]
    found = [(event.get("id"), json.loads(event["data"])) for event in events(response.text)]
    assert found == [
        ("1", {"id": "1", "text": "model"}),
        ("2", {"id": "2", "text": "message"}),
        (None, {"id": "0", "text": "live"}),
    ]
    assert service.left == 3


async def test_a_stream_without_items(sample: SimpleNamespace) -> None:
    service = make_service(sample)
    async with grpc_channel(service) as channel, http_client(service) as client:
        response = await client.get("/v1/things/1:watch")
        assert (response.status_code, events(response.text)) == (200, [])
        watch = stream(channel, service, "WatchThing")
        assert [item async for item in watch(sample.pb.WatchThingRequest())] == []


@pytest.mark.parametrize(("script", "status", "reason"), [("fail", 404, "NOT_FOUND"), ("break", 500, "INTERNAL")])
async def test_a_failure_before_the_first_item_is_a_status(
    sample: SimpleNamespace, script: str, status: int, reason: str
) -> None:
    service = make_service(sample)
    async with grpc_channel(service) as channel, http_client(service) as client:
        response = await client.get(f"/v1/things/1:watch?script={script}")
        refused = await client.get("/v1/things/x:watch")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stream(channel, service, "WatchThing")(sample.pb.WatchThingRequest(script=script)).read()
    assert (response.status_code, response.json()["error"]["reason"]) == (status, reason)
    assert response.headers["content-type"] == "application/json"
    assert (refused.status_code, refused.json()["error"]["reason"]) == (400, "VALIDATION_FAILED")
    error = from_rpc_error(caught.value)
    assert error is not None
    assert error.reason == reason


@pytest.mark.parametrize(
    ("script", "reason"), [("a fail", "NOT_FOUND"), ("a break", "INTERNAL"), ("begin fail", "NOT_FOUND")]
)
async def test_a_failure_later_is_the_last_event(sample: SimpleNamespace, script: str, reason: str) -> None:
    service = make_service(sample)
    async with grpc_channel(service) as channel, http_client(service) as client:
        response = await client.get("/v1/things/1:watch", params={"script": script})
        call = stream(channel, service, "WatchThing")(sample.pb.WatchThingRequest(script=script))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            [item async for item in call]
    assert response.status_code == 200
    assert "secret" not in response.text
    last = events(response.text)[-1]
    assert last["event"] == "error"
    assert json.loads(last["data"])["error"]["reason"] == reason
    error = from_rpc_error(caught.value)
    assert error is not None
    assert error.reason == reason


class Watch:
    """A stream over HTTP, message by message."""

    def __init__(self, app: FastAPI, script: str) -> None:
        self._received: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._sent: asyncio.Queue[MutableMapping[str, Any]] = asyncio.Queue()
        self._received.put_nowait({"type": "http.request", "body": b"", "more_body": False})
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/v1/things/1:watch",
            "query_string": f"script={script}".encode(),
            "headers": [],
        }
        self.task = asyncio.ensure_future(app(scope, self._received.get, self._send))

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        await self._sent.put(message)

    async def next(self) -> Any:
        """Returns what is sent next: a status, or a piece of the body."""
        message = await asyncio.wait_for(self._sent.get(), 60)
        return message["status"] if message["type"] == "http.response.start" else message["body"]

    def leave(self) -> None:
        """Closes the connection."""
        self._received.put_nowait({"type": "http.disconnect"})


@asynccontextmanager
async def watching(service: Any, script: str) -> AsyncIterator[Watch]:
    """A stream that is ended in any case."""
    app = FastAPI()
    add_services(app, [service])
    watch = Watch(app, script)
    try:
        yield watch
    finally:
        watch.task.cancel()
        await asyncio.wait([watch.task])


async def test_a_stream_that_has_nothing_to_say_yet(sample: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sse, "HEARTBEAT_SECONDS", 0.02)
    monkeypatch.setattr(EventStream, "begin_seconds", 0.02)
    service, proceed = make_service(sample), asyncio.Event()
    service.wait = proceed.wait
    async with watching(service, "wait+a") as watch:
        assert [await watch.next() for _ in range(4)] == [200, b":\n\n", b":\n\n", b":\n\n"]
        proceed.set()
        sent = [await watch.next()]
        while sent[-1]:
            sent.append(await watch.next())
        assert [piece for piece in sent if piece != b":\n\n"] == [b'id: 2\ndata: {"id":"2","text":"a"}\n\n', b""]


async def test_a_stream_reports_that_it_has_started(sample: SimpleNamespace) -> None:
    service, proceed = make_service(sample), asyncio.Event()
    service.wait = proceed.wait
    async with watching(service, "begin+wait") as watch, grpc_channel(service) as channel:
        assert await watch.next() == 200
        call = stream(channel, service, "WatchThing")(sample.pb.WatchThingRequest(script="begin wait"))
        assert await asyncio.wait_for(call.initial_metadata(), 60) is not None
        proceed.set()
        assert [item async for item in call] == []


async def test_a_caller_that_leaves_ends_the_method(sample: SimpleNamespace) -> None:
    service, forever = make_service(sample), asyncio.Event()
    begun, ended = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        begun.set()
        try:
            await forever.wait()
        finally:
            ended.set()

    service.wait = wait
    async with watching(service, "a+wait") as watch:
        assert await watch.next() == 200
        await asyncio.wait_for(begun.wait(), 60)
        watch.leave()
        await asyncio.wait_for(ended.wait(), 60)
        await asyncio.wait_for(watch.task, 60)
    assert service.left == 1
    begun.clear()
    ended.clear()
    async with grpc_channel(service) as channel:
        call = stream(channel, service, "WatchThing")(sample.pb.WatchThingRequest(script="a wait"))
        assert (await call.read()).text == "a"
        await asyncio.wait_for(begun.wait(), 60)
        call.cancel()
        await asyncio.wait_for(ended.wait(), 60)


async def test_a_slow_caller_holds_its_own_stream_back(sample: SimpleNamespace) -> None:
    service, sent = make_service(sample), list[str]()
    arrived, room = asyncio.Event(), asyncio.Event()
    app = FastAPI()
    add_services(app, [service])
    forever = asyncio.Event()

    async def receive() -> dict[str, str]:
        await forever.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if b"data" in message.get("body", b""):
            sent.append(message["body"].decode())
            arrived.set()
            await room.wait()

    scope = {
        "type": "http",
        "method": "GET",
        "path": "/v1/things/1:watch",
        "query_string": b"script=a+b+c",
        "headers": [],
    }
    task = asyncio.create_task(app(scope, receive, send))
    await asyncio.wait_for(arrived.wait(), 60)
    assert (len(sent), service.left) == (1, 0)
    room.set()
    await asyncio.wait_for(task, 60)
    assert (len(sent), service.left) == (3, 1)
