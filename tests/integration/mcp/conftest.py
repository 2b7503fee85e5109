"""MCP servers as assistants have them: real ones, as programs and over HTTP."""

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from echomind_agent.mcp import McpServers
from tests.drivers.mcp import PATIENCE, PROGRAMS, SECRETS, Caller, Journal, Program, program_config


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "journal")


@pytest.fixture
def program(journal: Journal) -> Program:
    """The config of a server that is a program: `program("hang", allowedTools=["echo"])`."""
    return partial(program_config, journal)


@pytest_asyncio.fixture
async def mcp() -> AsyncIterator[McpServers]:
    """The servers of an agent."""
    servers = McpServers(SECRETS, PROGRAMS, PATIENCE)
    yield servers
    await servers.close()


@pytest.fixture
def caller() -> Caller:
    return Caller()
