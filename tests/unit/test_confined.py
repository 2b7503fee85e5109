"""Child processes whose word is not believed."""

import asyncio
import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from echomind_lib.confined import landlock, process
from echomind_lib.confined import pool as pool_module
from echomind_lib.confined.child import LENGTH_BYTES
from echomind_lib.confined.folder import PrivateFolder
from echomind_lib.confined.pool import ConfinedPool
from echomind_lib.confined.process import ChildDiedError, ConfinedProcess


async def child(code: str, confined: ConfinedProcess | None = None) -> ConfinedProcess:
    """Returns a child that was taken over: it does as `code` says when a job comes."""
    confined = confined or ConfinedProcess("unused", seconds=60, jobs=10)
    code = f"import os, sys, time; sys.stdin.buffer.read(9); {code}"
    confined._process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    return confined


@pytest.mark.parametrize("code", ["os.close(1)", "os.write(1, b'\\xff' * 8)"])
async def test_a_child_that_lives_on_is_ended(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_END_SECONDS", 0.2)
    confined = await child(f"{code}; time.sleep(600)")
    started = confined._process
    assert started is not None
    with pytest.raises(ChildDiedError) as caught:
        await confined.ask(b"x")
    assert caught.value.status is None
    assert started.returncode == -9


async def test_the_exit_status_of_a_child_is_its_own() -> None:
    with pytest.raises(ChildDiedError) as caught:
        await (await child("os.close(1); time.sleep(0.1); os._exit(7)")).ask(b"x")
    assert caught.value.status == 7


@pytest.mark.parametrize("answer", [b"\xc1", b"\xa1x"])
async def test_an_answer_of_another_form_ends_the_child_and_frees_its_place(answer: bytes) -> None:
    async with ConfinedPool("unused", processes=1, seconds=60, jobs=10) as pool:
        (confined,) = pool._children
        for _ in range(2):
            written = len(answer).to_bytes(LENGTH_BYTES, "little") + answer
            await child(f"os.write(1, {written!r}); time.sleep(600)", confined)
            started = confined._process
            assert started is not None
            with pytest.raises(ChildDiedError) as caught:
                await pool.ask(1, int)
            assert caught.value.status is None
            assert started.returncode == -9


PRY = """
import json, os, socket, sys
from echomind_lib.confined import child, landlock
if sys.argv[2] == "without":
    landlock.version = lambda: 0
child.confine(2**30)
def attempt(deed):
    try:
        deed()
    except OSError as error:
        return type(error).__name__
    return "done"
import sqlite3  # of the interpreter
print(json.dumps([
    attempt(lambda: open(sys.argv[1])),
    attempt(lambda: os.listdir(os.path.dirname(sys.argv[1]))),
    attempt(lambda: open("/etc/passwd")),
    attempt(lambda: open(f"/proc/{os.getppid()}/environ").read()),
    attempt(lambda: open(sys.argv[1] + ".new", "w")),
    attempt(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[3])))),
    attempt(lambda: os.kill(os.getppid(), 0)),
]))
"""


@pytest.mark.parametrize("how", ["with", "without"])
def test_a_child_that_was_taken_over_reads_no_data_and_writes_nothing(how: str, tmp_path: Path) -> None:
    if how == "with" and not landlock.version():
        pytest.skip("the kernel has no Landlock")
    data = tmp_path / "documents"
    data.write_text("x")
    with socket.create_server(("127.0.0.1", 0)) as server:
        job = [sys.executable, "-c", PRY, str(data), how, str(server.getsockname()[1])]
        done = subprocess.run(job, capture_output=True, text=True, timeout=60, check=True)
    results: list[str] = json.loads(done.stdout)
    files, (environment, written, connected, signalled) = results[:3], results[3:]
    assert environment == "PermissionError"
    if how == "with":
        assert files == ["PermissionError"] * 3
        assert written == "PermissionError"
        assert connected == "PermissionError" or landlock.version() < 4
        assert signalled == "PermissionError" or landlock.version() < 6
        assert not done.stderr
    else:
        # The other limits apply, and the log reports the missing one.
        assert files[0] == "done"
        assert "files not confined: the kernel has no Landlock" in done.stderr
        assert connected != "done" or "network not cut off" in done.stderr


def test_folders_of_killed_processes_are_removed_and_those_in_use_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    make = "import os; from echomind_lib.confined.folder import PrivateFolder; PrivateFolder(); os._exit(9)"
    subprocess.run([sys.executable, "-c", make], timeout=60, check=False)
    (abandoned,) = tmp_path.iterdir()
    first, second = PrivateFolder(), PrivateFolder()
    assert not abandoned.exists()
    (Path(first.path) / "file").write_text("x")
    assert {str(path) for path in tmp_path.iterdir()} == {first.path, second.path}
    assert Path(first.path).stat().st_mode & 0o077 == 0
    for folder in (first, second):
        folder.remove()
    assert not list(tmp_path.iterdir())


class Recorded:
    """A child that says which one it is, and counts how often it was started."""

    def __init__(self, *_: object, **__: object) -> None:
        self.is_running = False
        self.starts = 0

    async def ask(self, job: bytes) -> bytes:
        self.starts += not self.is_running
        self.is_running = True
        return job

    async def stop(self) -> None:
        self.is_running = False


async def test_a_child_has_jobs_of_one_owner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool_module, "ConfinedProcess", Recorded)
    pool = ConfinedPool("unused", processes=2, seconds=60, jobs=10)

    async def starts(*owners: int) -> int:
        before = sum(child.starts for child in pool._children)  # type: ignore[attr-defined]
        for owner in owners:
            await pool.ask(owner, int, owner=owner)
        return sum(child.starts for child in pool._children) - before  # type: ignore[attr-defined]

    assert await starts(1, 1, 1) == 1
    assert await starts(2, 1, 2, 1) == 1, "each has a child of its own, while there are as many"
    assert await starts(3, 3) == 1, "another one's child is started again"
    assert await starts(1, 3) == 0, "it was that of the owner who asked least recently"
