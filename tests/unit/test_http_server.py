"""The HTTP server that wakes once a second."""

import asyncio
import signal
import socket

import pytest
import uvicorn
from starlette.applications import Starlette

from echomind_lib.network import http_server
from echomind_lib.network.http_server import HttpServer


@pytest.fixture(autouse=True)
def _long_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_server, "_TICK_SECONDS", 3600.0)


async def _serve() -> tuple[HttpServer, asyncio.Task[None]]:
    server = HttpServer(uvicorn.Config(Starlette(), port=0, log_config=None, lifespan="off"))
    listener = socket.create_server(("127.0.0.1", 0))
    serving = asyncio.create_task(server._serve([listener]))
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
        await asyncio.sleep(0)
    return server, serving


async def test_it_stops_at_once_when_it_is_asked() -> None:
    server, serving = await _serve()
    server.stop()
    await asyncio.wait_for(serving, 60)


async def test_it_stops_at_once_when_a_signal_asks() -> None:
    server, serving = await _serve()
    server.handle_exit(signal.SIGTERM, None)
    await asyncio.wait_for(serving, 60)
    assert any(name == b"date" for name, _ in server.server_state.default_headers)
