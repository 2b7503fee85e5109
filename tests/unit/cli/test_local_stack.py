"""`echomind status`, `stop` and `logs`: the EchoMind of this machine."""

import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from echomind.cli.app import app
from echomind.local.data_folder import DataFolder, stop_running
from echomind.local.log_files import LogFile
from echomind.local.parts_file import PartsFile, PartState
from tests.drivers.api_server import READY, ApiServer
from tests.drivers.shell import Shell

SERVICE = '{{"event": "{event}", "level": "{level}", "timestamp": "2026-01-31T12:00:{second:02}Z", "run": 5}}\n'


def test_status_names_the_parts_and_their_problems(api: ApiServer, shell: Shell) -> None:
    (shell.data_dir / "run").mkdir(parents=True)
    with PartsFile(shell.data_dir / "run" / "parts.json") as file:
        file.write([PartState("api", True, 0, "", 0), PartState("agent-1", False, 3, "ended with code 1", 8)])
        api.on(READY, {"ready": True, "dependencies": {}})
        text = shell.run("status").stdout
        assert f"EchoMind at {api.url}: ready" in text
        assert "agent-1  starts again in 8 s  ended with code 1" in text
        assert shell.json("status")["parts"][0] == {"name": "api", "status": "running", "message": ""}
        queue = {"name": "runs", "status": "HEALTH_STATUS_OK", "waiting": "2", "running": "1", "failed": "0"}
        api.on("SystemService/GetSystemHealth", {"version": "0.1.0", "queues": [queue]})
        assert "2 waiting, 1 running, 0 failed" in shell.run("status").stdout
        assert shell.json("status")["health"]["version"] == "0.1.0"
        read = {"name": "documents", "status": "HEALTH_STATUS_OK", "failed": "3"}
        api.on("SystemService/GetSystemHealth", {"version": "0.1.0", "queues": [queue, read]})
        assert "3 documents could not be read" in shell.run("status").stderr
        api.on(READY, {"ready": False, "dependencies": {"nats": "failed: TimeoutError"}})
        assert shell.json("status", code=1)["reason"] == "nats failed: TimeoutError"


def test_status_reports_that_nothing_runs(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["status", "--url", "http://127.0.0.1:1", "--data-dir", str(tmp_path)])
    assert result.exit_code == 1
    assert "not running" in result.stdout
    assert "`echomind up` starts it" in result.stderr


HOLD = """
import sys, signal
from pathlib import Path
from echomind.local.data_folder import DataFolder
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
with DataFolder(Path(sys.argv[1])):
    print("held", flush=True)
    signal.pause()
"""


def test_stop_ends_the_process_that_owns_the_data_folder_and_waits_for_it(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout:
        assert process.stdout.readline() == "held\n"
        result = CliRunner().invoke(app, ["stop", "--data-dir", str(tmp_path), "--json"])
    assert json.loads(result.stdout) == {"stopped": True, "dataDir": str(tmp_path)}
    assert process.wait(60) == 0
    assert "does not run" in CliRunner().invoke(app, ["stop", "--data-dir", str(tmp_path)]).stdout


def test_stop_does_not_kill_a_process_that_ignores_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signalled: list[int] = []
    monkeypatch.setattr(os, "kill", lambda process, _: signalled.append(process))
    with DataFolder(tmp_path):
        assert stop_running(tmp_path, 0.2) == -os.getpid()
    assert signalled == [os.getpid()]
    assert stop_running(tmp_path / "missing", 0.2) == 0


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    entries = [SERVICE.format(event=f"event {second}", level="info", second=second) for second in (1, 5)]
    (folder / "agent-1.log").write_text("".join(entries))
    (folder / "api.log").write_text(SERVICE.format(event="failed", level="error", second=3))
    (folder / "postgres.log").write_text("2026-01-31 12:00:02.500 UTC [1]  LOG:  ready\n\tof one part\n")
    return tmp_path


def lines(data_dir: Path, *arguments: str) -> list[dict[str, str]]:
    result = CliRunner().invoke(app, ["logs", "--data-dir", str(data_dir), "--json", *arguments])
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_logs_of_all_parts_stand_in_the_order_of_their_times(logs: Path) -> None:
    found = lines(logs)
    assert [line["part"] for line in found] == ["agent-1", "postgres", "postgres", "api", "agent-1"]
    assert found[0]["text"] == "event 1 run=5"
    assert (found[3]["level"], found[3]["time"]) == ("error", "2026-01-31T12:00:03+00:00")
    assert [line["part"] for line in lines(logs, "agent", "--lines", "1")] == ["agent-1"]
    assert lines(logs, "--since", "10m") == []


def test_logs_name_the_parts_there_are_and_refuse_other_times(logs: Path) -> None:
    result = CliRunner().invoke(app, ["logs", "--data-dir", str(logs), "web"])
    assert result.exit_code == 1
    assert "Parts: agent-1, api, postgres." in result.stderr
    result = CliRunner().invoke(app, ["logs", "--data-dir", str(logs), "--since", "yesterday"])
    assert result.exit_code == 2
    assert "write 30s, 10m, 2h or 1d" in result.stderr


def test_a_log_is_read_as_it_grows_and_after_it_was_rotated(tmp_path: Path) -> None:
    path = tmp_path / "api.log"
    path.write_text("one\ntw")
    file = LogFile(path)
    assert [line.text for line in file.read()] == ["one"]
    with path.open("a") as stream:
        stream.write("o\n")
    assert [line.text for line in file.read()] == ["two"]
    path.write_text("3\n")
    assert [line.text for line in file.read()] == ["3"]


def test_a_line_of_grpc_has_a_time_of_this_year(tmp_path: Path) -> None:
    path, now = tmp_path / "ingestor-1.log", datetime.now().astimezone()
    path.write_text(f"I{now:%m%d %H:%M:%S}.280825   30218 fork_posix.cc:71] skipping fork() handlers\n")
    assert [line.time for line in LogFile(path).read()] == [now.replace(microsecond=280825)]
