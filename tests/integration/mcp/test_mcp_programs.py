"""Restrictions of MCP servers' programs, and when they are not started."""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from echomind_agent.mcp import McpServers, Programs
from echomind_lib.config import McpSettings
from echomind_lib.confined import landlock
from tests.drivers.mcp import PATIENCE, SECRETS, Journal, tools_of

needs_landlock = pytest.mark.skipif(not landlock.version(), reason="the kernel has no Landlock")
ENDED = "The MCP server test is not available: its program ended."

PRY = """
import json, os, sys
def attempt(deed):
    try:
        deed()
    except OSError as error:
        return type(error).__name__
    return "done"
data, journal, agent = sys.argv[1:]
found = {
    "read": attempt(lambda: open(data)),
    "list": attempt(lambda: os.listdir(os.path.dirname(data))),
    "write": attempt(lambda: open(data + ".new", "w")),
    "environment": attempt(lambda: open(f"/proc/{agent}/environ").read()),
    "folder of the agent": attempt(lambda: open("pried", "w")),
    "temporary folder": attempt(lambda: open(os.path.join(os.environ["TMPDIR"], "own"), "w")),
    "names": sorted(os.environ),
    "home": os.environ["HOME"],
    "mode": oct(os.stat(os.environ["HOME"]).st_mode),
}
open(journal, "a").write(json.dumps(found) + chr(10))
"""


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file of the data folder."""
    file = tmp_path / "data" / "secrets.json"
    file.parent.mkdir()
    file.write_text("secret")
    return file


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """In a folder that programs may write to, beside the data folder."""
    (tmp_path / "journal").mkdir()
    return Journal(tmp_path / "journal" / "lines")


def programs(secret: Path, version: int | None = None, **settings: Any) -> Programs:
    """Programs of a machine whose list has the interpreter of the tests."""
    chosen = {"programs": sys.executable, "folders": str(secret.parents[1] / "journal")} | settings
    return Programs(McpSettings(**chosen), secret.parent, version)


@asynccontextmanager
async def agent(programs: Programs) -> AsyncIterator[McpServers]:
    servers = McpServers(SECRETS, programs, PATIENCE)
    yield servers
    await servers.close()


def server(*args: str, **env: str) -> dict[str, Any]:
    return {
        "name": "test",
        "transport": "MCP_TRANSPORT_STDIO",
        "command": sys.executable,
        "args": list(args),
        "env": {name: SECRETS.encrypt(value) for name, value in env.items()},
        "allowedTools": ["*"],
    }


def is_file(path: str) -> bool:
    return Path(path).is_file()


def is_folder(path: str) -> bool:
    return Path(path).is_dir()


def prying(secret: Path, journal: Journal) -> dict[str, Any]:
    return server("-c", PRY, str(secret), str(journal.path), str(os.getpid()), TOKEN="abc")


@needs_landlock
async def test_a_program_reads_neither_the_data_folder_nor_the_agents_environment(
    secret: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECHOMIND_SECRETS__KEYS", "secret")
    async with agent(programs(secret)) as mcp:
        await tools_of(mcp, prying(secret, journal), problems=[ENDED])
    found = json.loads(journal.lines()[0])
    refused = {name: found[name] for name in ("read", "list", "write", "environment")}
    assert refused == dict.fromkeys(refused, "PermissionError")
    assert found["temporary folder"] == "done"
    # Its working directory is its own folder, not the agent's.
    assert found["folder of the agent"] == "done"
    assert not is_file("pried")


@needs_landlock
async def test_a_program_gets_a_minimal_environment_and_its_own_home(
    secret: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECHOMIND_SECRETS__KEYS", "secret")
    async with agent(programs(secret)) as mcp:
        await tools_of(mcp, prying(secret, journal), problems=[ENDED])
    found = json.loads(journal.lines()[0])
    added = {"LC_CTYPE"}  # by the interpreter itself
    assert set(found["names"]) - added <= {"PATH", "LANG", "LC_ALL", "TZ", "HOME", "TMPDIR", "TOKEN"}
    assert found["home"] not in (os.environ.get("HOME"), str(Path.home()))
    assert found["mode"] == "0o40700"
    assert not is_folder(found["home"])


@needs_landlock
async def test_code_that_the_programs_variables_load_is_confined_too(
    secret: Path, journal: Journal, tmp_path: Path
) -> None:
    code = tmp_path / "code"
    code.mkdir()
    note = f"open({str(journal.path)!r}, 'a').write"
    (code / "sitecustomize.py").write_text(
        f"try:\n    open({str(secret)!r})\n    {note}('read ')\nexcept OSError:\n    {note}('refused ')\n"
    )
    async with agent(programs(secret, stdio="any")) as mcp:
        await tools_of(mcp, server("-c", "", PYTHONPATH=str(code)), problems=[ENDED])
    assert journal.lines() == ["refused "]


async def test_the_programs_variables_do_not_decide_which_program_is_started(
    secret: Path, journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("right", "other"):
        (tmp_path / name).mkdir()
        tool = tmp_path / name / "tool-of-the-test"
        tool.write_text(f"#!/bin/sh\necho {name} >> {journal.path}\n")
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "right"), prepend=os.pathsep)
    config = server(PATH=str(tmp_path / "other")) | {"command": "tool-of-the-test"}
    async with agent(programs(secret, stdio="any")) as mcp:
        await tools_of(mcp, config, problems=[ENDED])
    assert journal.lines() == ["right"]


@pytest.mark.parametrize(
    ("settings", "version", "why"),
    [
        ({"stdio": "off"}, 7, "programs of MCP servers are turned off on this machine"),
        ({"programs": "uvx"}, 7, "its program is not among those that this machine permits"),
        ({}, 0, "this machine cannot keep its program from reading EchoMind's data: the kernel has no Landlock"),
    ],
)
async def test_a_program_that_is_not_permitted_is_not_started(
    secret: Path, journal: Journal, settings: dict[str, Any], version: int, why: str
) -> None:
    async with agent(programs(secret, version, **settings)) as mcp:
        problem = f"The MCP server test is not available: {why}."
        await tools_of(mcp, prying(secret, journal), problems=[problem])
    assert not journal.lines()


async def test_without_landlock_any_program_is_started_when_the_setting_says_so(secret: Path, journal: Journal) -> None:
    async with agent(programs(secret, 0, stdio="any")) as mcp:
        await tools_of(mcp, prying(secret, journal), problems=[ENDED])
    found = json.loads(journal.lines()[0])
    assert found["read"] == "done"
    assert not {name for name in found["names"] if name.startswith("ECHOMIND")}


async def test_why_a_program_does_not_start_is_in_the_log(secret: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF, but not really")
    broken.chmod(0o755)
    with capture_logs() as logs:
        async with agent(programs(secret, 0, stdio="any")) as mcp:
            await tools_of(mcp, server() | {"command": str(broken)}, problems=[ENDED])
    assert any(f"{broken} cannot be started: Exec format error" in entry.get("stderr", "") for entry in logs)
