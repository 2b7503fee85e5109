"""Stop and start of an installation, and conflicts between two."""

import os
import shlex
import signal
import socket
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from tests.drivers.up import Up, start_up, stop_up, wait_ready

QUESTION = "What colour is the archive's door?"


def _children(up: Up) -> list[psutil.Process]:
    return psutil.Process(up.process.pid).children(recursive=True)


@pytest.mark.timeout(300)
def test_stop_start_and_kill(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    note = tmp_path / "note.txt"
    note.write_text("The archive's door is painted green, and its key hangs in the porter's lodge.")
    first = wait_ready(start_up(data_dir))
    try:
        (command,) = (line.removeprefix("Command line: ") for line in first.lines if line.startswith("Command line: "))
        shown = subprocess.run(shlex.split(command), cwd="/", capture_output=True, text=True, timeout=60)
        assert shown.stdout.startswith(f"EchoMind at {first.url}: ready"), (command, shown)
        first.json("ingest", str(note), "--wait")
        children = _children(first)
        refused = start_up(data_dir)
        assert refused.process.wait(30) == 1
        assert any(str(first.process.pid) in line for line in refused.lines), refused.lines
        started = time.monotonic()
        stop_up(first)
        assert time.monotonic() - started < 10
        assert first.process.returncode == 0
        assert not psutil.wait_procs(children, timeout=1)[1]
    finally:
        stop_up(first)
    second = wait_ready(start_up(data_dir))
    try:
        assert "green" in second.json("ask", QUESTION)["answer"]
        children = _children(second)
        os.kill(second.process.pid, signal.SIGKILL)
        second.process.wait(5)
        # The process that inherits the orphans may leave them as zombies.
        assert not [child for child in psutil.wait_procs(children, timeout=15)[1] if not _is_zombie(child)]
    finally:
        stop_up(second)
    third = wait_ready(start_up(data_dir))
    try:
        assert "green" in third.json("ask", QUESTION)["answer"]
    finally:
        stop_up(third)


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = start_up(tmp_path / "data", http_port=port)
        assert refused.process.wait(30) == 1
        refused.ready.wait(5)
    assert any(str(port) in line and "--http-port" in line for line in refused.lines), refused.lines
