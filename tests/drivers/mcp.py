"""MCP servers as assistants have them: real ones, as programs and over HTTP."""

import asyncio
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from cryptography.fernet import Fernet

from echomind_agent.mcp import McpServers, Programs
from echomind_agent.mcp.timeouts import Timeouts
from echomind_agent.toolset.registry import Outcome, Tool, ToolContext
from echomind_lib.assistants.assistant_settings import McpServerSettings, read_settings
from echomind_lib.config import McpSettings
from echomind_lib.runs.elicitation import Elicitation
from echomind_lib.secrets import Secrets

SECRETS = Secrets([Fernet.generate_key().decode()])
PATIENCE = Timeouts(caller=30.0)
"""Of connections in tests: the machine may be busy."""
PROGRAMS = Programs(McpSettings(stdio="any", folders=tempfile.gettempdir()), Path("/no/data"))
"""Which start whatever a test names; it writes its journal."""
SECRET = "s3cret-value"


class Journal:
    """What a server's program notes about itself."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def lines(self, word: str = "") -> list[str]:
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        return [line for line in lines if line.startswith(word)]

    def pids(self, word: str = "start") -> list[int]:
        return [int(line.split()[1]) for line in self.lines(word)]

    def clear(self) -> None:
        self.path.unlink(missing_ok=True)

    async def has(self, word: str, count: int = 1) -> None:
        await until(lambda: len(self.lines(word)) >= count)


async def until(condition: Callable[[], bool]) -> None:
    """Waits until a condition that nothing announces is true."""
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - another process makes it true
            await asyncio.sleep(0.02)


def is_alive(pid: int) -> bool:
    """Returns whether a process runs; one that has ended and waits for its parent does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


Program = Callable[..., dict[str, Any]]


def program_config(journal: Journal, how: str = "", **fields: Any) -> dict[str, Any]:
    """Returns the config of a server that is a program and behaves as `how` says."""
    env = {"MCP_TEST_JOURNAL": str(journal.path), "MCP_TEST_SECRET": SECRET, "PYTHONPATH": str(Path.cwd())}
    return {
        "name": "test",
        "transport": "MCP_TRANSPORT_STDIO",
        "command": sys.executable,
        "args": ["-m", "tests.drivers.mcp_program", *([how] if how else [])],
        "env": {name: SECRETS.encrypt(value) for name, value in env.items()},
        "allowedTools": ["*"],
    } | fields


def at(url: str, **fields: Any) -> dict[str, Any]:
    """Returns the config of a server at an address."""
    return {
        "name": "test",
        "transport": "MCP_TRANSPORT_STREAMABLE_HTTP",
        "url": url,
        "headers": {"X-Key": SECRETS.encrypt(SECRET)},
        "allowedTools": ["*"],
    } | fields


class Caller:
    """Calls tools as a run does, and keeps what they report."""

    def __init__(self) -> None:
        self.reports: list[tuple[int, str]] = []
        self.may_ask = True
        self.elicitation: Elicitation | None = None
        """What a tool asked, once it is answered."""

    async def call(self, tool: Tool, arguments: str = "{}") -> Outcome:
        return await tool.call(self._context(), tool.parse(arguments))

    async def poll(self, tool: Tool, task_id: str) -> Outcome:
        assert tool.poll is not None
        return await tool.poll(self._context(), task_id)

    def _context(self) -> ToolContext:
        given = SimpleNamespace(report=self._report, may_ask=self.may_ask, elicitation=self.elicitation)
        return cast("ToolContext", given)

    async def _report(self, percentage: int, message: str) -> None:
        self.reports.append((percentage, message))


def settings_of(*servers: dict[str, Any]) -> Sequence[McpServerSettings]:
    """Servers as an assistant's stored configuration has them."""
    return read_settings({"mcpServers": list(servers)}).mcp_servers


async def tools_of(mcp: McpServers, *servers: dict[str, Any], problems: Sequence[str] = ()) -> dict[str, Tool]:
    """Returns the tools of servers, which must have exactly these problems."""
    tools, found = await mcp.tools(1, settings_of(*servers))
    assert [problem.text for problem in found] == list(problems)
    return tools


async def problems_of(mcp: McpServers, *servers: dict[str, Any]) -> list[str]:
    """Returns what is wrong with servers, in words."""
    return [problem.text for problem in (await mcp.tools(1, settings_of(*servers)))[1]]
