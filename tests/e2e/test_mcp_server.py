"""EchoMind as an MCP server, by the protocol's own client: by address for new and older clients, and as a program."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp
import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client import advertise
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequest, CallToolRequestParams, EmptyResult

from echomind_agent.mcp.tasks import CALL_ANSWER, EXTENSION, CancelTask, GetTask, TaskCreated, TaskParams, TaskState
from tests.drivers.up import Up

MODES = ["2026-07-28", "legacy", "stdio", "stdio, legacy"]
QUESTION = "How do I make a backup of EchoMind?"


@asynccontextmanager
async def _client(up: Up, mode: str) -> AsyncIterator[Client]:
    """Returns a client of one kind."""
    version: Any = "legacy" if "legacy" in mode else "2026-07-28"
    if "stdio" in mode:
        arguments = ["mcp", "--url", up.url, "--api-key", up.api_key]
        command = StdioServerParameters(command=str(Path(sys.executable).with_name("echomind")), args=arguments)
        async with Client(command, mode=version) as client:
            yield client
        return
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {up.api_key}"}, timeout=60) as http,
        Client(streamable_http_client(f"{up.url}/mcp", http_client=http), mode=version) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_searches_reads_and_asks(up: Up, mode: str) -> None:
    reported: list[str | None] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        reported.append(message)

    async with _client(up, mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert tools.keys() == {"search", "read", "ask", "list_sources"}
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
        found = _structured(await client.call_tool("search", {"query": QUESTION}))["results"]
        assert found[0]["url"] == f"{up.url}/documents/{found[0]['id']}"
        read = _structured(await client.call_tool("read", {"id": found[0]["id"]}))
        assert read["title"] == found[0]["title"]
        assert read["length"] == len(read["text"])
        answer = await client.call_tool("ask", {"question": QUESTION}, progress_callback=on_progress)
        asked = _structured(answer)
        assert "backup" in asked["answer"]
        assert asked["citations"][0]["supported"]
        assert reported
        sources = _structured(await client.call_tool("list_sources", {}))["sources"]
        assert "EchoMind guide" in [source["name"] for source in sources]
        text = await client.read_resource(f"echomind://documents/{found[0]['id']}")
        assert text.contents[0].text.startswith(read["text"][:100])  # type: ignore[union-attr]


def _structured(result: Any) -> dict[str, Any]:
    assert not result.is_error, result.content
    found: dict[str, Any] = result.structured_content
    assert json.loads(result.content[0].text) == found
    return found


async def test_what_is_not_there_is_an_error_that_a_model_reads(up: Up) -> None:
    async with _client(up, "2026-07-28") as client:
        for arguments in ({"id": "999999"}, {"id": "no"}):
            result = await client.call_tool("read", arguments)
            assert result.is_error
            assert "no document" in result.content[0].text.lower()  # type: ignore[union-attr]
        with pytest.raises(MCPError):
            await client.read_resource("echomind://documents/999999")


async def test_a_wrong_argument_is_named_in_a_sentence_and_a_number_is_an_id(up: Up) -> None:
    async with _client(up, "2026-07-28") as client:
        listed = (await client.list_resources()).resources
        assert 0 < len(listed) <= 100
        number = int(listed[0].uri.rpartition("/")[2])
        read = _structured(await client.call_tool("read", {"id": number}))
        assert (read["id"], read["title"]) == (str(number), listed[0].name)
        shown = await client.read_resource(listed[0].uri)
        assert shown.contents[0].text.startswith(read["text"][:100])  # type: ignore[union-attr]
        wrong: list[tuple[str, dict[str, Any], str]] = [
            ("search", {}, "query: "),
            ("read", {"id": True}, "id: "),
            ("read", {"id": "1", "start": "x"}, "start: "),
        ]
        for tool, arguments, begin in wrong:
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            text = result.content[0].text  # type: ignore[union-attr]
            assert text.startswith(begin), text
            assert "pydantic" not in text


async def test_starters_are_prompts(up: Up, http: aiohttp.ClientSession) -> None:
    values = {"name": "Starting", "isVisible": True, "starterMessages": ["What is new?"]}
    async with http.post("/api/v1/assistants", json=values) as response:
        made = (await response.json())["id"]
    async with _client(up, "2026-07-28") as client:
        (prompt,) = [each for each in (await client.list_prompts()).prompts if each.name.startswith("starting-")]
        shown = await client.get_prompt(prompt.name)
    assert shown.messages[0].content.text == "What is new?"  # type: ignore[union-attr]
    async with http.delete(f"/api/v1/assistants/{made}") as response:
        assert response.status == 200


async def test_a_conversation_is_a_resource(up: Up) -> None:
    session = up.json("ask", QUESTION)["sessionId"]
    async with _client(up, "2026-07-28") as client:
        read = await client.read_resource(f"echomind://chat-sessions/{session}")
    assert QUESTION in read.contents[0].text  # type: ignore[union-attr]


async def test_only_a_key_opens_it_and_no_page_of_another_site(up: Up) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    key = {"Authorization": f"Bearer {up.api_key}"}
    async with aiohttp.ClientSession(up.url) as session:
        async with session.post("/mcp", json=request, headers=accept) as response:
            assert response.status == 401
            assert response.headers["WWW-Authenticate"].startswith("Bearer")
        async with session.post("/mcp", json=request, headers=accept | key | {"Origin": "http://evil.org"}) as response:
            assert response.status == 403
        async with session.post("/mcp/other", json=request, headers=accept | key) as response:
            assert response.status == 404
            assert response.content_type == "application/json"


@asynccontextmanager
async def _of_tasks(up: Up) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {up.api_key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(
            streamable_http_client(f"{up.url}/mcp", http_client=http),
            mode="2026-07-28",
            extensions=[advertise(EXTENSION)],
        ) as client,
    ):
        yield client


async def test_asking_is_a_task_for_clients_that_know_tasks(up: Up) -> None:
    """Its state is that of the run: another connection reads it, and what is no task of the caller is not there."""
    call = CallToolRequest(params=CallToolRequestParams(name="ask", arguments={"question": QUESTION}))
    async with _of_tasks(up) as client:
        task = await client.session.send_request(call, CALL_ANSWER)
        assert isinstance(task, TaskCreated)
        assert task.status == "working"
    get = GetTask(params=TaskParams(task_id=task.task_id))
    async with _of_tasks(up) as client, asyncio.timeout(60):
        state = await client.session.send_request(get, TaskState)
        while state.status == "working":
            await asyncio.sleep(0.1)
            state = await client.session.send_request(get, TaskState)
        assert state.status == "completed"
        assert state.result is not None
        answer = state.result["structuredContent"]
        assert "backup" in answer["answer"]
        assert answer["citations"][0]["supported"]
        assert answer["run_id"] == task.task_id
        await client.session.send_request(CancelTask(params=TaskParams(task_id=task.task_id)), EmptyResult)
        for unknown in ("no", "0" * 32):
            with pytest.raises(MCPError, match="no task"):
                await client.session.send_request(GetTask(params=TaskParams(task_id=unknown)), TaskState)
    async with _client(up, "2026-07-28") as client:
        with pytest.raises(MCPError, match="extension"):
            await client.session.send_request(get, TaskState)
