"""A backup of a running installation, restored to another folder by a process that is killed and started again."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.drivers.up import start_up, stop_up, wait_ready

QUESTION = "What colour is the archive's door?"
ECHOMIND = str(Path(sys.executable).with_name("echomind"))


def _restore(file: Path, data_dir: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [ECHOMIND, "restore", str(file), "--data-dir", str(data_dir)],
        env={**os.environ, "ECHOMIND_BACKUP_PASSPHRASE": "correct horse"},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.timeout(300)
def test_a_killed_restore_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    note = tmp_path / "note.txt"
    note.write_text("The archive's door is painted green, and its key hangs in the porter's lodge.")
    file, other = tmp_path / "backup", tmp_path / "restored"
    monkeypatch.setenv("ECHOMIND_BACKUP_PASSPHRASE", "correct horse")
    first = wait_ready(start_up(tmp_path / "data"))
    try:
        first.json("ingest", str(note), "--wait")
        made = first.json("backup", str(file), "--passphrase", "--data-dir", str(first.data_dir))
        assert made["documents"] > 1
        assert made["missing"] == []
        assert file.stat().st_mode & 0o777 == 0o600
        key = first.api_key
    finally:
        stop_up(first)

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
    assert repeated.wait(120) == 0, repeated.stderr and repeated.stderr.read()
    assert repeated.stderr is not None
    repeated.stderr.close()

    second = wait_ready(start_up(other))
    try:
        assert second.api_key == key
        assert "green" in second.json("ask", QUESTION)["answer"]
    finally:
        stop_up(second)
    refused = _restore(file, other)
    _, message = refused.communicate(timeout=60)
    assert refused.returncode == 1
    assert "--replace" in message
