"""What the tests of the command line share: a small HTTP server in the API's place, and a way to run commands."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from tests.drivers.api_server import ApiServer
from tests.drivers.document_store import Store
from tests.drivers.serving import answering, serving
from tests.drivers.shell import Shell


@pytest.fixture
def api() -> Iterator[ApiServer]:
    """A server on a free port, in a thread with its own event loop, as commands run loops of their own."""
    server = ApiServer()
    started: Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        async with serving(answering(server.handle)) as origin:
            stop = asyncio.Event()
            started.set_result((origin, asyncio.get_running_loop(), stop))
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    server.url, loop, stop = started.result(10)
    yield server
    loop.call_soon_threadsafe(stop.set)
    thread.join(10)


@pytest.fixture
def shell(api: ApiServer, tmp_path: Path) -> Shell:
    """Runs commands against the server, with an empty data folder."""
    return Shell(api, tmp_path / "data")


@pytest.fixture
def store(api: ApiServer) -> Store:
    store = Store()
    api.on("GET /api/v1/users/me", {"id": 1, "userName": "owner", "email": "owner@localhost"})
    api.on("GET /api/v1/connectors", store.list_connectors)
    api.on("POST /api/v1/documents:upload", store.upload)
    api.on(r"POST /api/v1/connectors/\d+:reconcile", store.reconcile)
    api.on("GET /api/v1/documents", store.list_documents)
    api.on(r"GET /api/v1/documents/\d+", store.get)
    return store
