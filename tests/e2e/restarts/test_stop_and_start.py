"""Stop, kill and start of an installation, its backup and restore, and conflicts between two."""

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


@pytest.mark.timeout(300)
def test_kill_start_back_up_stop_and_restore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed installation starts again, and its backup becomes another one, though its restore is killed once."""
    monkeypatch.setenv("ECHOMIND_BACKUP_PASSPHRASE", "correct horse")
    data_dir, other, file, note = (tmp_path / name for name in ("data", "restored", "backup", "note.txt"))
    note.write_text("The archive's door is painted green, and its key hangs in the porter's lodge.")
    first = wait_ready(start_up(data_dir))
    try:
        (command,) = (line.removeprefix("Command line: ") for line in first.lines if line.startswith("Command line: "))
        shown = subprocess.run(shlex.split(command), cwd="/", capture_output=True, text=True, timeout=60)
        assert shown.stdout.startswith(f"EchoMind at {first.url}: ready"), (command, shown)
        first.run_program("ingest", str(note), "--wait")
        refused = start_up(data_dir)
        assert refused.process.wait(60) == 1
        assert any(str(first.process.pid) in line for line in refused.lines), refused.lines
        children = _children(first)
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait(60)
        # The process that inherits the orphans may leave them as zombies.
        assert not [child for child in psutil.wait_procs(children, timeout=60)[1] if not _is_zombie(child)]
    finally:
        stop_up(first)

    second = wait_ready(start_up(data_dir))
    try:
        assert "green" in json.loads(second.run_program("ask", QUESTION, "--json"))["answer"]
        folder = ("--data-dir", str(second.data_dir))
        made = json.loads(second.run_program("backup", str(file), "--passphrase", *folder, "--json"))
        assert made["documents"] == 1
        assert made["missing"] == []
        assert file.stat().st_mode & 0o777 == 0o600
        key = second.api_key
        children = _children(second)
        stop_up(second)
        assert second.process.returncode == 0, "a part did not stop by itself"
        assert not psutil.wait_procs(children, timeout=1)[1]
    finally:
        stop_up(second)

    killed = _restore(file, other)
    assert killed.stderr is not None
    for line in killed.stderr:
        if line.startswith("Restoring the database"):
            killed.send_signal(signal.SIGKILL)
            break
    killed.stderr.close()
    killed.wait()
    assert not other.exists()
    repeated = _restore(file, other)
    _, message = repeated.communicate(timeout=120)
    assert repeated.returncode == 0, message

    third = wait_ready(start_up(other))
    try:
        assert third.api_key == key
        assert "green" in json.loads(third.run_program("ask", QUESTION, "--json"))["answer"]
    finally:
        stop_up(third)
    refused_restore = _restore(file, other)
    _, message = refused_restore.communicate(timeout=60)
    assert refused_restore.returncode == 1
    assert "--replace" in message


def test_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        refused = start_up(tmp_path / "data", http_port=port)
        assert refused.process.wait(60) == 1
        refused.ready.wait(5)
    assert any(str(port) in line and "--http-port" in line for line in refused.lines), refused.lines
