"""The product as its users start it, by `echomind up`, and clients of its front doors."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import psutil
from typer.testing import CliRunner, Result

from echomind.cli.app import app
from echomind.local.embedded.process import free_port
from echomind_lib.confined.parent import parent_death_signal
from tests.drivers.shell import shell_environment

ECHOMIND = str(Path(sys.executable).with_name("echomind"))
"""The program."""
_READY_SECONDS = 240
_COMMANDS = threading.Lock()
"""One command at a time: each has the standard streams and the environment of this process to itself."""


@dataclass
class Up:
    """A running `echomind up`."""

    process: subprocess.Popen[str]
    data_dir: Path
    http_port: int
    grpc_port: int
    lines: list[str] = field(default_factory=list)
    ready: threading.Event = field(default_factory=threading.Event)
    reader: threading.Thread | None = None

    @property
    def url(self) -> str:
        """Address of HTTP."""
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def api_key(self) -> str:
        """The owner's key."""
        return (self.data_dir / "owner-api-key").read_text().strip()

    @property
    def sign_in_link(self) -> str:
        """The one-time link of this start."""
        (link,) = (match[1] for line in self.lines if (match := re.fullmatch(r"Sign in: (\S+)", line)))
        return link

    def run(self, *arguments: str, check: bool = True) -> Result:
        """Runs the command line against it, in a thread of this process: the start of another one takes longer."""
        environment = shell_environment(ECHOMIND_URL=self.url, ECHOMIND_API_KEY=self.api_key, NO_COLOR="1")
        with _COMMANDS, ThreadPoolExecutor(1) as thread:  # a command has its own event loop
            done = thread.submit(CliRunner().invoke, app, list(arguments), env=environment).result()
        assert not check or done.exit_code == 0, (arguments, done.stdout, done.stderr, done.exception)
        return done

    def json(self, *arguments: str, check: bool = True) -> dict[str, Any]:
        """Runs the command line with `--json`; what it prints is one object and nothing else."""
        printed: dict[str, Any] = json.loads(self.run(*arguments, "--json", check=check).stdout)
        return printed

    def kill(self, program: str, ports: Collection[int] | None = None) -> None:
        """Kills a process by the name of its program; with ports, one that has a connection from one of them."""
        for child in psutil.Process(self.process.pid).children(recursive=True):
            if program in " ".join(child.cmdline()) and (
                ports is None or any(each.laddr.port in ports for each in child.net_connections("tcp"))
            ):
                os.kill(child.pid, signal.SIGKILL)
                return
        raise AssertionError(f"there is no {program} with a connection from {ports}" if ports is not None else program)

    def run_program(self, *arguments: str, check: bool = True) -> str:
        """Runs the command line against it as a process of its own, and returns what it prints."""
        environment = {**os.environ, "ECHOMIND_URL": self.url, "ECHOMIND_API_KEY": self.api_key, "NO_COLOR": "1"}
        done = subprocess.run(
            [ECHOMIND, *arguments],
            capture_output=True,
            text=True,
            timeout=180,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
        assert not check or done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout


def start_up(
    data_dir: Path,
    *arguments: str,
    http_port: int = 0,
    grpc_port: int = 0,
    guide: bool = False,
    settings: Mapping[str, str] | None = None,
    program: str = ECHOMIND,
) -> Up:
    """Starts `echomind up` and reads what it prints; does not wait.

    It stops as by Ctrl-C when the thread that has started it ends, also when the tests are killed.

    Args:
        data_dir: Its data folder.
        arguments: Further arguments of the command.
        http_port, grpc_port: Its ports; 0 takes free ones.
        guide: Whether it reads the guide, which takes ten seconds of processor time.
        settings: Variables of its environment.
        program: The program, if it is another installation's.
    """
    http_port, grpc_port = http_port or free_port(), grpc_port or free_port()
    command = [*parent_death_signal(signal.SIGINT), program, "up", "--no-browser", "--data-dir", str(data_dir)]
    command += ["--http-port", str(http_port), "--grpc-port", str(grpc_port), *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ECHOMIND_")}
    environment |= {"ECHOMIND_API__GUIDE": str(guide).lower()} | dict(settings or {})
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        env=environment,
        start_new_session=True,
    )
    up = Up(process, data_dir, http_port, grpc_port)

    def read() -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                up.lines.append(line.rstrip("\n"))
                if line.startswith("Command line:"):  # the last one
                    up.ready.set()
        up.ready.set()

    up.reader = threading.Thread(target=read, daemon=True)
    up.reader.start()
    return up


def wait_ready(up: Up) -> Up:
    """Waits for the ready line."""
    assert up.ready.wait(_READY_SECONDS), "\n".join(up.lines)
    assert f"EchoMind is ready: {up.url}" in up.lines, "\n".join(up.lines) + _logs(up.data_dir)
    return up


def stop_up(up: Up, number: signal.Signals = signal.SIGINT) -> None:
    """Stops it as Ctrl-C does."""
    if up.process.poll() is None:
        up.process.send_signal(number)
    up.process.wait(120)
    if up.reader is not None:
        up.reader.join(10)


def _logs(data_dir: Path) -> str:
    return "\n".join(
        f"== {file.name}\n{file.read_text()[-3000:]}" for file in sorted((data_dir / "logs").glob("*.log"))
    )


async def sse(response: aiohttp.ClientResponse) -> AsyncIterator[dict[str, Any]]:
    """The events of a stream."""
    assert response.status == 200, await response.text()
    assert response.content_type == "text/event-stream"
    async for line in response.content:
        if line.startswith(b"data:"):
            event: dict[str, Any] = json.loads(line[5:])
            yield event


def answer_of(events: list[dict[str, Any]]) -> str:
    """Returns the text that a client of a stream ends with, by the contract's rules."""
    text, attempt = "", 0
    for event in events:
        if "delta" in event:
            delta = event["delta"]
            if delta["attempt"] > attempt:
                text, attempt = "", delta["attempt"]
            assert delta.get("offset", 0) == len(text)
            text += delta["text"]
        elif "snapshot" in event:
            text, attempt = event["snapshot"]["text"], event["snapshot"]["attempt"]
        elif "finished" in event:
            text = event["finished"]["message"].get("content", "")
    return text
