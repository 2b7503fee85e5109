"""The code that the page Connect a tool shows, run as it is against the product."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.drivers.snippets import run_python
from tests.drivers.up import Up

_SNIPPETS = Path(__file__).parents[2] / "web/src/features/api-keys/snippets"
_PROGRAMS = Path(sys.executable).parent


async def _filled(name: str, up: Up, http: aiohttp.ClientSession) -> str:
    """Returns a snippet with what the page and its reader put into it."""
    async with http.get("/api/v1/assistants") as response:
        assistants = (await response.json())["assistants"]
    (standard,) = (assistant for assistant in assistants if assistant.get("isDefault"))
    text = (_SNIPPETS / name).read_text().replace("ECHOMIND_ADDRESS", up.url)
    return text.replace("MODEL", f"assistants/{standard['id']}").replace("API_KEY", up.api_key, 1)


@pytest.mark.parametrize("name", ["curl.txt", "openai.txt", "langchain.txt"])
async def test_the_code_answers_from_the_documents(up: Up, http: aiohttp.ClientSession, name: str) -> None:
    text = await _filled(name, up, http)
    if name == "curl.txt":
        shown = (await asyncio.to_thread(subprocess.check_output, ["bash", "-ec", text], timeout=120)).decode()
    else:
        shown = await run_python(text)
    assert "Sources:" in shown


async def test_the_mcp_server_is_found_by_its_address(up: Up, http: aiohttp.ClientSession) -> None:
    server: dict[str, Any] = json.loads(await _filled("mcp-address.json", up, http))["servers"]["echomind"]
    assert server["type"] == "http"
    async with (
        httpx2.AsyncClient(headers=server["headers"], timeout=60) as client_http,
        Client(streamable_http_client(server["url"], http_client=client_http)) as client,
    ):
        assert "ask" in {tool.name for tool in (await client.list_tools()).tools}


async def test_the_mcp_server_is_started_as_a_program(up: Up, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{_PROGRAMS}{os.pathsep}{os.environ['PATH']}")
    text = (_SNIPPETS / "claude-desktop.json").read_text().replace("ECHOMIND_ADDRESS", up.url)
    server = json.loads(text.replace('"API_KEY"', json.dumps(up.api_key)))["mcpServers"]["echomind"]
    command = StdioServerParameters(command=server["command"], args=server["args"], env={**os.environ, **server["env"]})
    async with Client(command) as client:
        assert "ask" in {tool.name for tool in (await client.list_tools()).tools}
