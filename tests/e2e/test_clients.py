"""The client packages: built, installed beside nothing of the server, and used against the product."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.drivers.snippets import snippets, to_run
from tests.drivers.up import Up
from tests.paths import ROOT

PYTHON = ROOT / "clients" / "python"
TYPESCRIPT = ROOT / "clients" / "typescript"
# The environment has the server too: the client must not use any of it.
ALONE = """
import runpy, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0].startswith("echomind") and name.split(".")[0] != "echomind_client":
            raise ImportError(f"the client imports {name}")
sys.meta_path.insert(0, Refuse())
runpy.run_path(sys.argv[1], run_name="__main__")
"""


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    done = subprocess.run(
        command, env=os.environ | environment, cwd=cwd, capture_output=True, text=True, timeout=180, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _at(up: Up, text: str) -> str:
    """Returns a snippet with the product's address."""
    return re.sub(r"https?://(echomind\.example\.com|127\.0\.0\.1:8080)", up.url, text)


def shown_by(text: str) -> dict[str, str]:
    """Returns what an example prints, by name; an answer may have several lines."""
    return dict(re.findall(r"^([a-z ]+): (.*?)$(?=\n[a-z ]+: |\n?\Z)", text, re.MULTILINE | re.DOTALL))


@pytest.fixture
def sample_documents(up: Up) -> None:
    up.json("ingest", str(ROOT / "examples" / "documents"), "--wait")


@pytest.mark.usefixtures("sample_documents")
def test_the_python_client(up: Up, tmp_path: Path) -> None:
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist", cwd=PYTHON)
    (wheel,) = (tmp_path / "dist").iterdir()
    assert not (PYTHON / "build").exists()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
        assert "echomind_client/py.typed" in archive.namelist()
    shown = run(
        sys.executable,
        "-c",
        ALONE,
        PYTHON / "examples.py",
        PYTHONPATH=str(tmp_path / "site"),
        KEY=up.api_key,
        ECHOMIND_URL=up.url,
    )
    lines = shown_by(shown)
    assert lines["downloaded"] == "The bicycle shed is behind the canteen."
    assert int(lines["passages"]) > 0
    assert "30" in lines["answer"]
    assert int(lines["conversations"]) > 0
    assert (lines["refused"], lines["answers at once"]) == ("NOT_FOUND", "2")
    for snippet in (*to_run("client-packages.md", "python"), *snippets(PYTHON / "README.md")):
        if snippet.is_run:
            text = f"import os\nkey = KEY = os.environ['KEY']\n{_at(up, snippet.text)}"
            assert run(sys.executable, "-c", text, PYTHONPATH=str(tmp_path / "site"), KEY=up.api_key).strip(), snippet
    program = tmp_path / "typed.py"
    program.write_text(
        "from echomind_client import EchoMind\n"
        "from echomind_client.models import RunService\n"
        "with EchoMind('', '') as client:\n"
        "    reveal_type(client.call(RunService.get_run))\n"
    )
    # Not the cache of `make types`, whose options are others: each would make the other one's useless.
    options = ("--config-file=", f"--cache-dir={os.devnull}")
    types = run(sys.executable, "-m", "mypy", *options, program, MYPYPATH=str(tmp_path / "site"))
    assert "contract.models.public.run.Run" in types


@pytest.mark.usefixtures("sample_documents")
def test_the_typescript_client(up: Up, tmp_path: Path) -> None:
    packed = json.loads(run("npm", "pack", "--json", "--pack-destination", tmp_path, cwd=TYPESCRIPT))
    with tarfile.open(tmp_path / packed[0]["filename"]) as archive:
        archive.extractall(tmp_path, filter="data")
    modules = tmp_path / "project" / "node_modules"
    (modules / "@echomind").mkdir(parents=True)
    (tmp_path / "package").rename(modules / "@echomind" / "client")
    for dependency in ("@bufbuild", "eventsource-parser"):
        (modules / dependency).symlink_to(ROOT / "web" / "node_modules" / dependency)
    shutil.copy(TYPESCRIPT / "examples.mjs", tmp_path / "project")
    shown = run("node", "examples.mjs", cwd=tmp_path / "project", KEY=up.api_key, ECHOMIND_URL=up.url)
    lines = shown_by(shown)
    assert lines["downloaded"] == "The bicycle shed is behind the canteen."
    assert int(lines["passages"]) > 0
    assert "30" in lines["answer"]
    assert int(lines["conversations"]) > 0
    assert lines["refused"] == "NOT_FOUND"
    (snippet,) = to_run("client-packages.md", "typescript")
    (tmp_path / "project" / "snippet.mjs").write_text(f"const apiKey = process.env.KEY;\n{_at(up, snippet.text)}")
    assert run("node", "snippet.mjs", cwd=tmp_path / "project", KEY=up.api_key).strip()
    (tmp_path / "project" / "typed.mts").write_text(
        'import { EchoMind, getRun, type RunJson } from "@echomind/client";\n'
        'const client = new EchoMind({ url: "", apiKey: "" });\n'
        'export const run: RunJson = await getRun(client, { id: "x" });\n'
        "// @ts-expect-error -- the path needs an id\n"
        "await getRun(client, {});\n"
    )
    compiler = ROOT / "web" / "node_modules" / "typescript" / "bin" / "tsc"
    options = ("--noEmit", "--strict", "--skipLibCheck", "--module", "NodeNext", "--target", "ES2023")
    run("node", compiler, *options, "typed.mts", cwd=tmp_path / "project")
