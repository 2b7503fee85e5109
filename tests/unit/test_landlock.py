"""Access that Landlock denies to a process; the kernel decides, so each test starts one."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from echomind_lib.confined import landlock

needs_landlock = pytest.mark.skipif(not landlock.version(), reason="the kernel has no Landlock")

TRY = """
import json, os, socket, sys
from echomind_lib.confined import landlock
from echomind_lib.confined.capabilities import drop_capabilities
readable, writable, network, deeds = json.loads(sys.argv[1])
landlock.restrict(landlock.around(readable["around"]) if isinstance(readable, dict) else readable, writable,
                  network=network)
drop_capabilities()
results = []
for deed in deeds:
    try:
        exec(deed)
        results.append("done")
    except OSError as error:
        results.append(type(error).__name__)
print(json.dumps(results))
"""


def attempt(readable: object, writable: list[str], *deeds: str, network: bool = True) -> list[str]:
    """Returns what becomes of statements in a restricted process."""
    job = json.dumps([readable, writable, network, deeds])
    done = subprocess.run([sys.executable, "-c", TRY, job], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    results: list[str] = json.loads(done.stdout)
    return results


@needs_landlock
def test_hidden_folders_are_not_read_and_all_others_are(tmp_path: Path) -> None:
    data, beside = tmp_path / "data", tmp_path / "beside"
    for folder in (data, beside):
        folder.mkdir()
        (folder / "file").write_text("x")
    (beside / "link").symlink_to(data / "file")
    deeds = (
        f"open({str(data / 'file')!r})",
        f"os.listdir({str(data)!r})",
        f"open({str(beside / 'link')!r})",
        f"open('/proc/self/root{data / 'file'}')",
        f"open({str(beside / 'file')!r})",
        "open('/dev/null', 'w')",
        "os.stat('/usr/bin/env') and os.listdir('/usr/bin')",
    )
    refused, done = "PermissionError", "done"
    assert attempt({"around": [str(data)]}, [], *deeds) == [*[refused] * 4, *[done] * 3]


@needs_landlock
def test_a_hidden_folder_is_not_read_by_another_name_of_it(tmp_path: Path) -> None:
    real, name = tmp_path / "real", tmp_path / "name"
    real.mkdir()
    (real / "file").write_text("x")
    name.symlink_to(real)
    deeds = [f"open({str(folder / 'file')!r})" for folder in (real, name)]
    assert attempt({"around": [str(name)]}, [], *deeds) == ["PermissionError"] * 2


@needs_landlock
def test_only_writable_folders_are_written_to(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir()
        (folder / "file").write_text("x")
    deeds = [
        deed.format(folder)
        for folder in (own, other)
        for deed in ("open('{}/new', 'w')", "os.truncate('{}/file', 0)", "os.remove('{}/file')", "os.mkdir('{}/f')")
    ]
    refused = ["PermissionError"] * 4
    if landlock.version() < 3:
        refused[1] = "done"
    assert attempt(["/"], [str(own)], *deeds) == ["done"] * 4 + refused


@needs_landlock
def test_the_environment_and_memory_of_other_processes_are_not_read() -> None:
    deeds = [f"open('/proc/{os.getpid()}/{name}', 'rb').read(1)" for name in ("environ", "mem", "maps", "fd/0")]
    assert attempt({"around": []}, [], *deeds) == ["PermissionError"] * 4


@pytest.mark.skipif(landlock.version() < 6, reason="the kernel's Landlock is older than version 6")
def test_other_processes_get_no_signals() -> None:
    assert attempt(["/"], [], f"os.kill({os.getpid()}, 0)") == ["PermissionError"]


@pytest.mark.skipif(landlock.version() < 4, reason="the kernel's Landlock is older than version 4")
@pytest.mark.parametrize(("network", "outcome"), [(True, "done"), (False, "PermissionError")])
def test_connections_are_cut_off_on_request(network: bool, outcome: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        deed = f"socket.create_connection(('127.0.0.1', {server.getsockname()[1]}))"
        assert attempt(["/"], [], deed, "socket.create_server(('127.0.0.1', 0))", network=network) == [outcome] * 2


@needs_landlock
def test_children_of_a_restricted_process_are_restricted(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    deed = f"import subprocess; subprocess.run(['cat', '{tmp_path}/file'], check=True)"
    job = json.dumps([{"around": [str(tmp_path)]}, [], True, [deed]])
    done = subprocess.run([sys.executable, "-c", TRY, job], capture_output=True, text=True, timeout=60, check=False)
    assert "CalledProcessError" in done.stderr


def test_without_landlock_a_restriction_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 0)
    with pytest.raises(OSError, match="no Landlock"):
        landlock.restrict([], [], network=False)


def test_what_is_around_hidden_folders_holds_none_of_them(tmp_path: Path) -> None:
    hidden = tmp_path / "a" / "hidden"
    hidden.mkdir(parents=True)
    (tmp_path / "a" / "seen").mkdir()
    found = list(landlock.around([str(hidden)]))
    assert str(tmp_path / "a" / "seen") in found
    assert not any(str(hidden).startswith(f"{path}/") or path == str(hidden) for path in found)
