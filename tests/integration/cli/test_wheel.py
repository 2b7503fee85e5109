"""The wheel: everything that an installation without a checkout needs, and nothing else."""

import os
import re
import subprocess
import sys
import urllib.request
import zipfile
from pathlib import Path

import pytest

from tests.drivers.up import start_up, stop_up, wait_ready
from tests.paths import ROOT


@pytest.fixture(scope="module")
def wheel_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def wheel(wheel_file: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(wheel_file)


def test_the_wheel_has_the_web_ui_the_guide_and_the_migrations(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    pages = {Path(name).name for name in names if name.startswith("echomind_api/web_ui/")}
    assert {"index.html", "favicon.svg"} <= pages
    assert any(name.endswith(".js") for name in pages)
    migrations = {file.name for file in (ROOT / "db-schema/migrations/versions").glob("*.py")}
    assert migrations <= {Path(name).name for name in names if name.startswith("echomind_lib/db/migrations/versions/")}
    guide = {file.name for file in (ROOT / "docs/guide").glob("*.md")}
    assert guide == {Path(name).name for name in names if name.startswith("echomind_api/guide/")}
    assert "echomind_api/settings.md" in names, "the guide links to it"


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


@pytest.mark.timeout(300)
def test_pipx_installs_it_where_there_is_nothing_and_it_runs(wheel_file: Path, tmp_path: Path) -> None:
    """The command is the guide's, with the versions of the lock file, which the cache of `make install` has."""
    guide = (ROOT / "docs" / "guide" / "getting-started.md").read_text()
    (package,) = re.findall(r"`pipx install '(.*?)'`", guide)
    assert package.endswith(f"/path/{wheel_file.name}")
    home, tools = tmp_path / "pipx", Path(sys.executable).parent
    environment = {"HOME": str(tmp_path), "PATH": f"{tools}:/usr/bin:/bin"}
    environment["UV_CONSTRAINT"] = str(ROOT / "requirements.lock")
    environment = {
        "HOME": str(tmp_path),
        "PATH": f"{tools}:/usr/bin:/bin",
        "UV_CONSTRAINT": f"{ROOT}/requirements.lock",
    }
    environment |= {"PIPX_HOME": str(home), "PIPX_BIN_DIR": str(home / "bin"), "PIPX_MAN_DIR": str(home / "man")}
    environment |= {name: value for name, value in os.environ.items() if name.startswith(("UV_", "PIP_", "SSL_"))}
    cache = subprocess.run([tools / "uv", "cache", "dir"], capture_output=True, text=True, check=True, timeout=30)
    environment["UV_CACHE_DIR"] = cache.stdout.strip()
    given = package.replace("/path/", f"{wheel_file.parent}/")
    command = [tools / "pipx", "install", "--backend", "uv", "--python", sys.executable, given]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=200)
    assert done.returncode == 0, done.stderr
    programs = {file.name for file in (home / "bin").iterdir()}
    assert programs == {"echomind", *(f"echomind-{name}" for name in ("agent", "api", "ingestor", "migrate"))}
    up = start_up(tmp_path / "data", program=str(home / "bin" / "echomind"))
    try:
        wait_ready(up)
        command = [home / "bin" / "echomind", "documents", "list"]
        own = environment | {"ECHOMIND_URL": up.url, "ECHOMIND_API_KEY": up.api_key}
        listed = subprocess.run(command, capture_output=True, text=True, env=own, cwd=tmp_path, timeout=60)
        assert listed.returncode == 0, listed.stderr
        with urllib.request.urlopen(up.url, timeout=10) as page:
            assert b"<!doctype html>" in page.read().lower()
    finally:
        stop_up(up)
    # Nothing of it came from the checkout.
    assert str(ROOT) not in (up.data_dir / "logs" / "api.log").read_text()
