"""The processes that a benchmark starts: on loopback, with logs in its work folder, ended by their own ids."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from echomind.local.embedded.postgres import PostgresServer
from echomind.local.embedded.process import ProcessSpec, answers_ok, free_port, spawn, stop, wait_ready

PEERS = Path(__file__).parent / "peers"
_SECONDS_TO_ANSWER = 300.0


class Children:
    """Started processes; leaving the context ends them, the last one first."""

    def __init__(self, work: Path) -> None:
        self.work = work
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def start(self, spec: ProcessSpec) -> psutil.Process:
        """Starts a process and waits until it serves.

        Raises:
            StartError: It ended, or was not ready in time; the message has the end of its log.
        """
        log = self.work / f"{spec.name}.log"
        process = spawn(spec, log)
        self._stack.callback(stop, process, spec)
        wait_ready(process, spec, log)
        return psutil.Process(process.pid)

    def start_server(
        self,
        name: str,
        argv: Callable[[int], Sequence[str]],
        environment: Mapping[str, str] | None = None,
        *,
        health: str = "/health",
    ) -> tuple[psutil.Process, str]:
        """Starts an HTTP server on a free port.

        Args:
            name: Stem of its log.
            argv: Its command line for a port.
            environment: What is added to this process's environment.
            health: Path that answers 200 when it serves.

        Returns:
            The process and its address.
        """
        port = free_port()
        spec = ProcessSpec(
            name=name,
            argv=argv(port),
            env=os.environ | dict(environment or {}),
            ready=lambda: answers_ok(port, health),
            ready_timeout=_SECONDS_TO_ANSWER,
        )
        return self.start(spec), f"http://127.0.0.1:{port}"

    def start_postgres(self, name: str) -> tuple[psutil.Process, str]:
        """Starts a PostgreSQL of its own, the one that the product embeds, with the product's settings.

        Returns:
            The process, and `user:password@host:port/database`.
        """
        server = PostgresServer(self.work / name, free_port(), "bench")
        server.prepare()
        return self.start(server.spec()), server.url.removeprefix("postgresql://")

    def start_stub(self) -> tuple[psutil.Process, str]:
        """Starts the stub model server.

        Returns:
            The process, and its address.
        """
        script = str(PEERS / "stub_llm.py")
        return self.start_server(
            "stub",
            lambda port: [sys.executable, script, "--port", str(port), "--tool-name", "search_documents"],
        )


def run_tool(script: str, *arguments: str, python: str = sys.executable, timeout: float) -> str:
    """Runs one of the programs in `bench/peers`, or that of another path, to its end.

    Returns:
        The last line of its standard output, which is its result.

    Raises:
        RuntimeError: It failed; the message has the end of what it said.
    """
    command = [python, str(PEERS / script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        raise RuntimeError(f"{script} failed with status {done.returncode}:\n{done.stderr[-2000:]}")
    return lines[-1]
