"""The client of MCP servers by the protocol's conformance suite, with what both revisions require of a client."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest

from echomind_agent.mcp import McpServers
from echomind_agent.toolset.registry import InputNeededError, RetryableToolError, Tool, ToolError
from tests.drivers import mcp_conformance_client
from tests.drivers.mcp import PATIENCE, PROGRAMS, SECRETS, Caller, at, settings_of
from tests.drivers.mcp_conformance import run_scenario, run_suite

ARGUMENTS: dict[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}}
YES: dict[str, Any] = {"string": "yes", "integer": 1, "number": 1, "boolean": True, "array": ["yes"]}
STUBS = {"string": "x", "integer": 0, "number": 0, "boolean": False, "object": {}, "array": [], "null": None}


def arguments_for(tool: Tool) -> dict[str, Any]:
    """Returns arguments of which a tool requires no more."""
    properties = tool.schema.get("properties", {})
    return {name: STUBS.get(properties[name].get("type"), "x") for name in tool.schema.get("required", [])}


def _without_nulls(call: dict[str, Any]) -> dict[str, Any]:
    """Returns the arguments of a call; a null that a schema does not allow is refused before it is sent."""
    return {name: value for name, value in (call.get("arguments") or {}).items() if value is not None}


async def play(asked: dict[str, str]) -> str:
    """Uses the suite's server as a run does: lists its tools, and calls them; returns what is wrong, or nothing."""
    servers = McpServers(SECRETS, PROGRAMS, PATIENCE)
    try:
        tools, problems = await servers.tools(1, settings_of(at(asked["url"], oauth=await _sign_in(asked))))
        if problems:
            return problems[0].text
        given = json.loads(asked["MCP_CONFORMANCE_CONTEXT"] or "{}").get("toolCalls")
        named = {name.partition("__")[2]: tool for name, tool in tools.items()}
        calls = [(name, ARGUMENTS.get(name, arguments_for(tool))) for name, tool in named.items()]
        for name, arguments in [(call["name"], _without_nulls(call)) for call in given or ()] or calls:
            if name in named:
                with suppress(ToolError, RetryableToolError):
                    await _call(named[name], json.dumps(arguments))
    finally:
        await servers.close()
    return ""


async def _sign_in(asked: dict[str, str]) -> dict[str, str]:
    """Returns what an administrator knows who has registered EchoMind at the suite's authorization server."""
    if not asked["MCP_CONFORMANCE_SCENARIO"].startswith("auth/client-credentials"):
        return {}
    context = json.loads(asked["MCP_CONFORMANCE_CONTEXT"])
    async with httpx2.AsyncClient() as http:
        origin = asked["url"].removesuffix("/mcp")
        resource = (await http.get(f"{origin}/.well-known/oauth-protected-resource/mcp")).json()
    (issuer,) = resource["authorization_servers"]
    known = {"issuer": issuer, "clientId": context["client_id"], "clientSecret": context["client_secret"]}
    return {name: SECRETS.encrypt(value) for name, value in known.items()}


async def _call(tool: Tool, arguments: str) -> None:
    """Calls a tool, and answers what it asks as somebody who says yes to everything."""
    caller = Caller()
    for _ in range(5):
        try:
            await caller.call(tool, arguments)
        except InputNeededError as needed:
            caller.elicitation = needed.elicitation
            while (form := caller.elicitation.open) is not None:
                given = {field.name: YES[field.type] for field in form.fields if field.default is None}
                given = given if given or not form.fields else {field.name: field.default for field in form.fields}
                caller.elicitation = caller.elicitation.answered(json.dumps(given) if given else "accept")
        else:
            return


@asynccontextmanager
async def started_by() -> AsyncIterator[str]:
    """Gives the command by which the suite starts the client."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write((await play(json.loads(await reader.readline()))).encode())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"{sys.executable} -S -E {mcp_conformance_client.__file__} {server.sockets[0].getsockname()[1]}"


# The suite plays all scenarios at once, on a machine that may be busy.
@pytest.mark.timeout(300)
@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
async def test_the_client_does_what_a_revision_requires(revision: str, tmp_path: Path) -> None:
    async with started_by() as command:
        checks = await run_suite("client", revision, tmp_path, "--command", command, "--timeout", "100000")
    assert len(checks) > 10
    for scenario, found in checks.items():
        if scenario.startswith("elicitation-sep1034-client-defaults"):
            failed = [check for check, status in found.items() if status == "FAILURE"]
            assert failed == ["client-elicitation-sep1034-general"], "the defaults are applied"


async def test_the_client_signs_in_as_the_organization(tmp_path: Path) -> None:
    async with started_by() as command:
        checks = await run_scenario("client", "auth/client-credentials-basic", tmp_path, "--command", command)
    assert checks["client-credentials-basic-auth"] == "SUCCESS"
