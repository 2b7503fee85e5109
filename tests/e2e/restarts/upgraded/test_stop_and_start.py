"""Stop, kill and start of an installation, its backup and restore, and conflicts between two."""

import asyncio
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.drivers.up import Up, start_up, stop_up, wait_ready
from tests.drivers.upgraded import MADE, Installation

QUESTION = "What colour is the archive's door?"
ECHOMIND = str(Path(sys.executable).with_name("echomind"))


def _children(up: Up) -> list[psutil.Process]:
    return psutil.Process(up.process.pid).children(recursive=True)


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def _restore(file: Path, data_dir: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [ECHOMIND, "restore", str(file), "--data-dir", str(data_dir)],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


async def test_kill_start_back_up_and_restore(
    upgraded: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed installation starts again, and its backup becomes another one, though its restore is killed once."""
    monkeypatch.setenv("ECHOMIND_BACKUP_PASSPHRASE", "correct horse")
    other, file = tmp_path / "restored", tmp_path / "backup"
    first = upgraded.up
    (command,) = (line.removeprefix("Command line: ") for line in first.lines if line.startswith("Command line: "))
    shown = await asyncio.to_thread(
        subprocess.run, shlex.split(command), cwd="/", capture_output=True, text=True, timeout=60
    )
    assert shown.stdout.startswith(f"EchoMind at {first.url}: ready"), (command, shown)
    refused = start_up(first.data_dir)
    assert await asyncio.to_thread(refused.process.wait, 60) == 1
    assert any(str(first.process.pid) in line for line in refused.lines), refused.lines
    children = _children(first)
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait(60)
    # The process that inherits the orphans may leave them as zombies.
    _, alive = await asyncio.to_thread(psutil.wait_procs, children, timeout=60)
    assert not [child for child in alive if not _is_zombie(child)]

    second = upgraded.start_again()
    await asyncio.to_thread(wait_ready, second)
    assert "green" in (await asyncio.to_thread(second.json, "ask", QUESTION))["answer"]
    back_up = ("backup", str(file), "--passphrase", "--data-dir", str(second.data_dir), "--json")
    made = json.loads(await asyncio.to_thread(second.run_program, *back_up))
    assert made["documents"] >= len(MADE["documents"])
    assert made["missing"] == []
    assert file.stat().st_mode & 0o777 == 0o600

    await asyncio.to_thread(_kill_at, _restore(file, other), "Restoring the database")
    assert not other.exists()
    repeated = _restore(file, other)
    _, message = await asyncio.to_thread(repeated.communicate, timeout=120)
    assert repeated.returncode == 0, message

    third = start_up(other)
    try:
        await asyncio.to_thread(wait_ready, third)
        assert third.api_key == second.api_key
        assert "green" in (await asyncio.to_thread(third.json, "ask", QUESTION))["answer"]
        children = _children(third)
        await asyncio.to_thread(stop_up, third)
        assert third.process.returncode == 0, "a part did not stop by itself"
        assert not psutil.wait_procs(children, timeout=1)[1]
    finally:
        await asyncio.to_thread(stop_up, third)
    refused_restore = _restore(file, other)
    _, message = await asyncio.to_thread(refused_restore.communicate, timeout=60)
    assert refused_restore.returncode == 1
    assert "--replace" in message


def _kill_at(process: subprocess.Popen[str], line: str) -> None:
    """Kills a process when it has written a line that begins so."""
    assert process.stderr is not None
    with process.stderr:
        for written in process.stderr:
            if written.startswith(line):
                process.send_signal(signal.SIGKILL)
                break
    process.wait()


def test_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = start_up(tmp_path / "data", http_port=port)
        assert refused.process.wait(60) == 1
        refused.ready.wait(5)
    assert any(str(port) in line and "--http-port" in line for line in refused.lines), refused.lines
