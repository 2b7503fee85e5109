"""What the tests of the command line share: a small HTTP server in the API's place, and a way to run commands."""

import asyncio
import json
import re
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from typer.testing import CliRunner, Result

from echomind.cli.app import app

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Call:
    """A request as it arrived."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    """The JSON; for a multipart upload its fields, files as bytes."""


@dataclass
class ApiServer:
    """Answers by a table of `METHOD path` (a regular expression), and keeps what arrived."""

    url: str = ""
    calls: list[Call] = field(default_factory=list)
    _table: list[tuple[re.Pattern[str], Any]] = field(default_factory=list)

    def on(self, route: str, answer: Any) -> None:
        """Answers a route: JSON as it is, a function of the call, or a coroutine function of aiohttp's request.

        The route that was given last goes first.
        """
        self._table.insert(0, (re.compile(route), answer))

    def sent(self, route: str) -> list[Call]:
        """The calls of a route, in order."""
        return [call for call in self.calls if re.fullmatch(route, f"{call.method} {call.path}")]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answers one request."""
        call = await _read(request)
        self.calls.append(call)
        for pattern, answer in self._table:
            if not pattern.fullmatch(f"{request.method} {request.path}"):
                continue
            if asyncio.iscoroutinefunction(answer):
                response: web.StreamResponse = await answer(request)
                return response
            found = answer(call) if callable(answer) else answer
            return found if isinstance(found, web.StreamResponse) else web.json_response(found)
        return refusal("NOT_FOUND", "There is no such thing.", 404)(call)


def refusal(
    reason: str, message: str, status: int, code: str = "", **metadata: str
) -> Callable[[Call], web.StreamResponse]:
    """Answers with an error in the API's shape."""
    detail = {"code": code or reason, "reason": reason, "message": message, "metadata": metadata}
    return lambda call: web.json_response({"error": detail}, status=status)


async def _read(request: web.Request) -> Call:
    body: Any = None
    if request.content_type == "application/json":
        body = await request.json()
    elif request.content_type == "multipart/form-data":
        form = await request.post()
        body = {name: part.file.read() if isinstance(part, web.FileField) else part for name, part in form.items()}
    return Call(request.method, request.path, dict(request.query), dict(request.headers), body)


@pytest.fixture
def api() -> Iterator[ApiServer]:
    """A server on a free port, in a thread with its own event loop, as commands run loops of their own."""
    server = ApiServer()
    started: Future[tuple[str, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def serve() -> None:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", server.handle)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        stop = asyncio.Event()
        started.set_result((f"http://127.0.0.1:{runner.addresses[0][1]}", asyncio.get_running_loop(), stop))
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    server.url, loop, stop = started.result(10)
    yield server
    loop.call_soon_threadsafe(stop.set)
    thread.join(10)


@dataclass
class Shell:
    """Runs commands against the server."""

    api: ApiServer
    data_dir: Path

    def run(self, *arguments: str, key: str = "secret", code: int = 0, typed: str = "") -> Result:
        """Runs a command, with what a person types, and expects its exit code."""
        environment = {"ECHOMIND_URL": self.api.url, "ECHOMIND_API_KEY": key, "ECHOMIND_DATA_DIR": str(self.data_dir)}
        result = CliRunner().invoke(app, list(arguments), input=typed, env=environment)
        assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
        return result

    def json(self, *arguments: str, code: int = 0) -> Any:
        """Runs a command with `--json` and gives the one object that it printed."""
        return json.loads(self.run(*arguments, "--json", code=code).stdout)


@pytest.fixture
def shell(api: ApiServer, tmp_path: Path) -> Shell:
    """Runs commands against the server, with an empty data folder."""
    return Shell(api, tmp_path / "data")
