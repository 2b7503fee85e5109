"""Starts, probes and stops a child process; used by the supervisor and the test fixtures."""

import itertools
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from echomind_lib.confined.parent import parent_death_signal

LOOPBACK = "127.0.0.1"
"""The only address on which embedded servers listen."""

PRIVATE_PORTS = range(20_000, 32_000)
_places = itertools.count(secrets.randbelow(len(PRIVATE_PORTS)))

LOG_TAIL_LINES = 15


class StartError(Exception):
    """A process could not be started; the message says which, why, and shows the end of its log."""


@dataclass(frozen=True)
class EntryPoint:
    """A Python function that is the main function of a process.

    Attributes:
        function: `module:function`; it returns the exit status, or None.
        arguments: `sys.argv` without the program.
    """

    function: str
    arguments: Sequence[str] = ()


@dataclass(frozen=True)
class ProcessSpec:
    """A process to run: command, environment, readiness check.

    Attributes:
        name: Display name, and the stem of the log file.
        argv: Program (absolute path) and arguments.
        env: The complete environment of the process.
        ready: Quick, non-raising probe (at most about a second): whether the process serves.
        stop_signal: Signal for a clean stop.
        ready_timeout: Seconds after which a start counts as failed; long where a start may include crash recovery.
        stop_timeout: Seconds of grace before SIGKILL.
        serves: Like `ready`, a periodic probe of a ready process, which is restarted if it does not serve. None if a
            running process always serves.
    """

    name: str
    argv: Sequence[str]
    env: dict[str, str]
    ready: Callable[[], bool]
    stop_signal: signal.Signals = signal.SIGTERM
    ready_timeout: float = 60.0
    stop_timeout: float = 5.0
    serves: Callable[[], bool] | None = None
    privileges: Sequence[str] = field(default=())
    """Command prefix that changes the user."""
    entry: EntryPoint | None = None
    """What `argv` calls, if it is a Python program that may be started by a fork instead."""


def spawn(spec: ProcessSpec, log_file: Path) -> subprocess.Popen[bytes]:
    """Start a process in its own session, so that Ctrl-C in the terminal reaches only its parent.

    On systems with `parent_death_signal`, the child gets `stop_signal` when its parent thread dies: call this from a
    thread that lives as long as the process, in practice the main one.

    Raises:
        StartError: The program or its log cannot be opened.
    """
    argv = [*spec.privileges, *parent_death_signal(spec.stop_signal), *spec.argv]
    try:
        descriptor = open_log(log_file)
        try:
            return subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=descriptor,
                stderr=descriptor,
                env=spec.env,
                cwd="/",
                start_new_session=True,
            )
        finally:
            os.close(descriptor)
    except OSError as error:
        raise StartError(f"{spec.name} cannot be started: {error}") from error


def open_log(log_file: Path) -> int:
    """Opens a log file for a process, and creates its folder.

    Raises:
        OSError: It cannot be written.
    """
    log_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # O_APPEND, so that log rotation can truncate the file while the child process has it open.
    return os.open(log_file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)


def wait_ready(process: subprocess.Popen[bytes], spec: ProcessSpec, log_file: Path) -> None:
    """Poll until the process serves.

    Raises:
        StartError: It ended, or was not ready within `spec.ready_timeout`.
    """
    deadline = time.monotonic() + spec.ready_timeout
    while not spec.ready():
        if process.poll() is not None:
            raise StartError(f"{spec.name} {describe_exit(process.returncode)}.\n{log_tail(log_file)}")
        if time.monotonic() > deadline:
            raise StartError(f"{spec.name} was not ready within {spec.ready_timeout:.0f} s.\n{log_tail(log_file)}")
        time.sleep(0.02)


def stop(process: subprocess.Popen[bytes], spec: ProcessSpec) -> None:
    """Ask the process to end, wait `spec.stop_timeout`, then kill it and whatever it left in its session."""
    if process.poll() is None:
        process.send_signal(spec.stop_signal)
        try:
            process.wait(spec.stop_timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    kill_group(process.pid)


def kill_group(group: int) -> None:
    """Kill the remaining process group of a spawned process, if any."""
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # macOS returns EPERM for a process group of zombies
        return


def free_port() -> int:
    """Returns an unused port on loopback.

    It is below the range of ephemeral ports: otherwise a client that keeps reconnecting to a stopped server could be
    assigned the server's port as its own, connect to itself and keep the port. The search starts at a random port, so
    that two processes that start at the same time rarely choose the same one, which would be free for both.
    """
    while True:
        port = PRIVATE_PORTS[next(_places) % len(PRIVATE_PORTS)]
        if is_free(port):
            return port


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Returns whether a server could listen on the port."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listener:
        # As servers do, so that connections in TIME_WAIT are ignored.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError:
            return False
    return True


def accepts_connections(port: int, host: str = LOOPBACK) -> bool:
    """Returns whether something listens on the port."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def answers_ok(port: int, path: str, host: str = LOOPBACK) -> bool:
    """Returns whether an HTTP GET is answered with status 200."""
    request = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection((host, port), timeout=1) as connection:
            connection.sendall(request.encode())
            status = connection.makefile("rb").readline().split()
    except OSError:
        return False
    return status[1:2] == [b"200"]


def python_module(module: str, *arguments: str) -> list[str]:
    """Command line that runs a module with this interpreter, never with code from the working directory."""
    return [sys.executable, "-P", "-m", module, *arguments]


def inherited_environment() -> dict[str, str]:
    """Returns the caller's environment, for Python children, with their output unbuffered so that logs are current."""
    return os.environ | {"PYTHONUNBUFFERED": "1"}


def describe_exit(returncode: int) -> str:
    """`ended with status 1`, `was killed by SIGKILL`."""
    if returncode >= 0:
        return f"ended with status {returncode}"
    return f"was killed by {signal.Signals(-returncode).name}"


def log_tail(log_file: Path, start: int = 0) -> str:
    """Returns the end of a log, with its place, for an error message.

    Args:
        log_file: The log.
        start: Where the interesting output begins, in bytes; if the log is shorter, it was truncated since.
    """
    with log_file.open("rb") as log:
        size = log_file.stat().st_size
        log.seek(max(start if start <= size else 0, size - 16_384))
        text = log.read().decode(errors="replace")
    tail = "\n".join(f"    {line}" for line in text.splitlines()[-LOG_TAIL_LINES:])
    return f"The end of {log_file}:\n{tail or '    (empty)'}"
