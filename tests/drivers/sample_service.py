"""An implementation of the sample's service, and both ways to call it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import grpc
import httpx
import uvicorn
from fastapi import FastAPI

from echomind_lib.contract import CallContext, Empty, Middleware, ProtoModel
from echomind_lib.contract.grpc import grpc_handler
from echomind_lib.contract.rest import add_services
from echomind_lib.errors import NotFoundError, OverloadedError


def make_service(sample: SimpleNamespace) -> Any:
    """Makes a service that answers from what it is asked, and keeps its calls in `calls`."""
    models, pb = sample.models, sample.pb

    class ThingService(models.ThingService):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.calls: list[tuple[Any, CallContext]] = []
            self.left = 0
            self.retry_after_seconds = 7

        def thing(self, **fields: Any) -> Any:
            return models.Thing(**{"name": "thing", "origin": {"name": "here"}} | fields)

        async def get_thing(self, request: Any, call: CallContext) -> Any:
            """Says something of the implementation."""
            self.calls.append((request, call))
            if request.id == 404:
                raise NotFoundError("there is no such thing", resource="thing", id=404)
            if request.id == 429:
                raise OverloadedError("too many", retry_after_seconds=self.retry_after_seconds)
            if request.id == 500:
                raise RuntimeError("secret inside")
            if request.id == 501:
                models.Thing.model_validate({"name": "much too long a name"})
            return self.thing(id=request.id, colour=request.colours[0] if request.colours else 0)

        async def create_thing(self, request: Any, call: CallContext) -> Any:
            self.calls.append((request, call))
            return request.thing

        async def update_thing(self, request: Any, call: CallContext) -> Any:
            self.calls.append((request, call))
            changed = {path: getattr(request.thing, path) for path in request.update_mask}
            return self.thing(id=request.id).model_copy(update=changed)

        async def paint_thing(self, request: Any, call: CallContext) -> Any:
            self.calls.append((request, call))
            return models.PaintThingResponse(thing=self.thing(id=request.id, colour=request.colour))

        async def delete_thing(self, request: Any, call: CallContext) -> Empty:
            self.calls.append((request, call))
            return Empty()

        async def count_things(self, request: Empty, call: CallContext) -> Any:
            self.calls.append((request, call))
            return models.Page(size=3)

        async def watch_thing(self, request: Any, call: CallContext) -> AsyncIterator[Any]:
            self.calls.append((request, call))
            try:
                for number, step in enumerate(request.script.split(), 1):
                    if step == "fail":
                        raise NotFoundError("the thing is gone", resource="thing", id=request.id)
                    if step == "break":
                        raise RuntimeError("secret inside")
                    if step == "begin":
                        await call.begin()
                        continue
                    if step == "wait":
                        await self.wait()
                        continue
                    kind = pb.ThingEvent if step == "message" else models.ThingEvent
                    yield kind(id=0 if step == "live" else number, text=step)
            finally:
                self.left += 1

        async def wait(self) -> None:
            """Waits for something that a test lets happen."""

        def sse_id(self, item: Any) -> str | None:
            return str(item.id) if item.id else None

    return ThingService()


@asynccontextmanager
async def http_client(service: Any, *middlewares: Middleware, **options: Any) -> AsyncIterator[httpx.AsyncClient]:
    """A client of an application with the service."""
    app = FastAPI()
    add_services(app, [service], middlewares, **options)
    transport = httpx.ASGITransport(app, client=("192.0.2.7", 123))
    async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
        yield client


@asynccontextmanager
async def http_address(service: Any) -> AsyncIterator[str]:
    """Serves an application with the service on a port of this machine; its URL."""
    app = FastAPI()
    add_services(app, [service])
    server = uvicorn.Server(uvicorn.Config(app, port=0, lifespan="off", log_config=None))
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - it tells nobody
        await asyncio.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await serving


@asynccontextmanager
async def grpc_channel(service: Any, *middlewares: Middleware) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a server with the service."""
    server = grpc.aio.server()
    server.add_generic_rpc_handlers([grpc_handler(service, *middlewares)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        await server.stop(None)


def unary(channel: grpc.aio.Channel, service: Any, name: str) -> Any:
    """Returns the call of a method of the service, of protobuf messages or bytes."""
    return _call(channel.unary_unary, service, name)


def stream(channel: grpc.aio.Channel, service: Any, name: str) -> Any:
    """As `unary`, of a method that streams."""
    return _call(channel.unary_stream, service, name)


def _call(make: Any, service: Any, name: str) -> Any:
    method = next(method for method in service.__methods__ if method.name == name)
    response: type[ProtoModel] = method.response
    return make(
        f"/{service.__service__.full_name}/{name}",
        request_serializer=lambda message: message if isinstance(message, bytes) else message.SerializeToString(),
        response_deserializer=response.__proto__.FromString,
    )
