"""A way to run commands of the command line, against a small HTTP server in the API's place."""

import asyncio
import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from typer import testing
from typer.testing import CliRunner, Result

from echomind.cli.app import app
from tests.drivers.api_server import ApiServer
from tests.drivers.serving import answering, serving

# Otherwise each call builds all commands again, which takes longer than running most of them.
testing._get_command = cache(testing._get_command)  # type: ignore[attr-defined]


def shell_environment(**values: str) -> dict[str, str | None]:
    """Returns values for the environment of a command, without those of whoever runs the tests."""
    others = {name: None for name in ("ECHOMIND_URL", "ECHOMIND_API_KEY", "ECHOMIND_DATA_DIR") if name in os.environ}
    return {**others, **values}


@dataclass
class Shell:
    """Runs commands against the server."""

    api: ApiServer
    data_dir: Path

    def run(self, *arguments: str, key: str = "secret", code: int = 0, typed: str = "") -> Result:
        """Runs a command, with what a person types, and expects its exit code."""
        environment = shell_environment(
            ECHOMIND_URL=self.api.url,
            ECHOMIND_API_KEY=key,
            ECHOMIND_DATA_DIR=str(self.data_dir),
            ECHOMIND_CONFIG_DIR=str(self.data_dir.with_name("config")),
        )
        result = CliRunner().invoke(app, list(arguments), input=typed, env=environment)
        assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
        return result

    def json(self, *arguments: str, code: int = 0) -> Any:
        """Runs a command with `--json` and gives the one object that it printed."""
        return json.loads(self.run(*arguments, "--json", code=code).stdout)


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
