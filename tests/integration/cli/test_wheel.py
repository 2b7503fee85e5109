"""The wheel: everything that an installation without a checkout needs, and nothing else."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.paths import ROOT


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.whl")
    return zipfile.ZipFile(file)


def test_the_wheel_has_the_web_ui_the_guide_and_the_migrations(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    pages = {Path(name).name for name in names if name.startswith("echomind_api/web_ui/")}
    assert {"index.html", "favicon.svg"} <= pages
    assert any(name.endswith(".js") for name in pages)
    migrations = {file.name for file in (ROOT / "db-schema/migrations/versions").glob("*.py")}
    assert migrations <= {Path(name).name for name in names if name.startswith("echomind_lib/db/migrations/versions/")}
    guide = {file.name for file in (ROOT / "docs/guide").glob("*.md")}
    assert guide == {Path(name).name for name in names if name.startswith("echomind_api/guide/")}


def test_the_wheel_has_nothing_of_the_workshop(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    packages = {"echomind", "echomind_lib", "echomind_api", "echomind_agent", "echomind_ingestor"}
    assert {top for top in tops if not top.endswith(".dist-info")} == packages
    assert not [name for name in wheel.namelist() if name.endswith((".map", ".pyc", ".test.ts"))]


def test_without_the_command_line_the_program_says_what_to_install() -> None:
    script = (
        "import sys; sys.modules['typer'] = None; import builtins; real = builtins.__import__\n"
        "def refuse(name, *rest, **named):\n"
        "    if name == 'typer':\n"
        "        raise ModuleNotFoundError(\"No module named 'typer'\", name='typer')\n"
        "    return real(name, *rest, **named)\n"
        "builtins.__import__ = refuse\n"
        "from echomind.program import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "pip install 'echomind[all]'" in done.stderr
