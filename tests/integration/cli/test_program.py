"""The command line of a checkout: it runs from any folder, and its printed commands can be copied."""

import os
import subprocess
from pathlib import Path

from tests.paths import ROOT

PROGRAM = ROOT / "bin" / "echomind"
ASK = ["ask", "How many days?", "--url", "http://127.0.0.1:1"]


def run(program: Path, folder: Path, *arguments: str, path: str = "/usr/bin:/bin") -> subprocess.CompletedProcess[str]:
    environment = {"PATH": path, "HOME": str(folder), "ECHOMIND_DATA_DIR": str(folder / "data")}
    return subprocess.run([program, *arguments], cwd=folder, env=environment, capture_output=True, text=True)


def test_it_runs_from_any_folder_and_through_a_link(tmp_path: Path) -> None:
    link = tmp_path / "echomind"
    link.symlink_to(PROGRAM)
    assert run(link, tmp_path, "--version").stdout.startswith("echomind ")


def test_a_printed_command_is_named_as_it_can_be_typed(tmp_path: Path) -> None:
    assert f"start it with `{PROGRAM} up --data-dir " in run(PROGRAM, tmp_path, *ASK).stderr
    assert (
        "start it with `bin/echomind up --data-dir " in run(Path("bin/echomind"), ROOT, *ASK, *_data(tmp_path)).stderr
    )
    path = f"{PROGRAM.parent}:/usr/bin:/bin"
    assert "start it with `echomind up --data-dir " in run(PROGRAM, tmp_path, *ASK, path=path).stderr


def test_before_the_installation_it_says_what_to_do(tmp_path: Path) -> None:
    copied = tmp_path / "bin" / "echomind"
    copied.parent.mkdir()
    copied.write_bytes(PROGRAM.read_bytes())
    copied.chmod(0o755)
    result = run(copied, tmp_path, "--version")
    assert result.returncode == 1
    assert "run `make up` there" in result.stderr


def _data(folder: Path) -> list[str]:
    return ["--data-dir", os.fspath(folder / "data")]
