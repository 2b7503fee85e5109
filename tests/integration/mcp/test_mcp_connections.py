"""Connections to MCP servers: shared, ended, opened again; servers that hang, crash or misbehave."""

import asyncio
import base64
import json
import os
import signal
import sys

import pytest
from cryptography.fernet import Fernet
from structlog.testing import capture_logs

from echomind_agent.mcp import McpServers
from echomind_agent.mcp.timeouts import Timeouts
from echomind_agent.toolset.registry import RetryableToolError
from echomind_lib.confined.parent import parent_death_signal
from echomind_lib.secrets import Secrets
from tests.drivers.mcp import (
    PATIENCE,
    PROGRAMS,
    SECRET,
    SECRETS,
    Caller,
    Journal,
    Program,
    at,
    is_alive,
    problems_of,
    tools_of,
    until,
)


async def test_without_servers_nothing_is_done() -> None:
    assert await McpServers(SECRETS, PROGRAMS).tools(1, []) == ({}, [])


async def test_one_connection_serves_all_runs_of_an_assistant(
    mcp: McpServers, program: Program, journal: Journal, caller: Caller
) -> None:
    config = program()
    both = await asyncio.gather(tools_of(mcp, config), tools_of(mcp, config))
    await asyncio.gather(*(caller.call(tools["test__echo"], '{"text": "x"}') for tools in both))
    assert len(journal.pids()) == 1
    await tools_of(mcp, config | {"timeoutSeconds": 5})  # another version of the config
    assert len(journal.pids()) == 2


@pytest.mark.parametrize("how", ["", "stubborn", "parent"])
async def test_closing_ends_the_program_and_its_children(program: Program, journal: Journal, how: str) -> None:
    mcp = McpServers(SECRETS, PROGRAMS, Timeouts(caller=30.0))
    await tools_of(mcp, program(how))
    pids = [*journal.pids(), *journal.pids("child")]
    assert len(pids) == (2 if how == "parent" else 1)
    assert all(is_alive(pid) for pid in pids)
    await mcp.close()
    await until(lambda: not any(is_alive(pid) for pid in pids))


async def test_an_unused_connection_is_closed_and_opened_again(
    program: Program, journal: Journal, caller: Caller
) -> None:
    mcp = McpServers(SECRETS, PROGRAMS, Timeouts(caller=30.0, idle=0.2))
    tools = await tools_of(mcp, program())
    (pid,) = journal.pids()
    await until(lambda: not is_alive(pid))
    assert await caller.call(tools["test__echo"], '{"text": "x"}')
    assert len(journal.pids()) == 2
    await mcp.close()


async def test_after_a_crash_the_next_call_starts_the_program_again(
    mcp: McpServers, program: Program, journal: Journal, caller: Caller
) -> None:
    tools = await tools_of(mcp, program())
    with pytest.raises(RetryableToolError, match="its program ended") as caught:
        await caller.call(tools["test__crash"])
    assert not caught.value.is_effect_known
    assert await caller.call(tools["test__echo"], '{"text": "x"}')
    assert len(journal.pids()) == 2


async def test_a_hanging_server_blocks_nobody(program: Program, journal: Journal) -> None:
    mcp = McpServers(SECRETS, PROGRAMS, Timeouts(open=2.0, caller=0.1, again=60.0))
    config = program("hang")
    await tools_of(mcp, config, problems=["The MCP server test is not available: it is not ready yet."])
    await until(lambda: len(journal.pids()) == 1)
    late = "The MCP server test is not available: it did not answer in time."
    async with asyncio.timeout(60):
        while await problems_of(mcp, config) != [late]:  # noqa: ASYNC110 - it gives up by itself
            await asyncio.sleep(0.05)
    await mcp.close()
    (pid,) = journal.pids()
    assert not is_alive(pid)


async def test_a_server_that_stops_responding_ends_its_call_and_is_killed(
    program: Program, journal: Journal, caller: Caller
) -> None:
    mcp = McpServers(SECRETS, PROGRAMS, PATIENCE)
    tools = await tools_of(mcp, program())
    (pid,) = journal.pids()
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await caller.call(tools["test__echo"], '{"text": "x"}')
    await mcp.close()
    await until(lambda: not is_alive(pid))


async def test_a_busy_server_keeps_the_calls_of_others(program: Program, journal: Journal, caller: Caller) -> None:
    mcp = McpServers(SECRETS, PROGRAMS, PATIENCE)
    config = program()
    tools = await tools_of(mcp, config)
    (pid,) = journal.pids()
    call = asyncio.create_task(caller.call(tools["test__wait"]))
    await journal.has("waiting")
    (connection,) = mcp._connections.values()
    connection._timeouts, connection._are_stale = Timeouts(caller=0.2), True
    os.kill(pid, signal.SIGSTOP)
    await tools_of(mcp, config, problems=["The MCP server test is not available: it did not answer in time."])
    os.kill(pid, signal.SIGCONT)
    connection._timeouts = PATIENCE
    assert await caller.call((await tools_of(mcp, config))["test__echo"], '{"text": "x"}')
    assert not call.done()
    assert journal.pids() == [pid]
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    await mcp.close()


AGENT = """
import asyncio, json, sys
from pathlib import Path
from echomind_agent.mcp import McpServers, Programs
from echomind_lib.assistants.assistant_settings import read_settings
from echomind_lib.config import McpSettings
from echomind_lib.secrets import Secrets

async def main():
    key, config, folder = json.loads(sys.argv[1])
    programs = Programs(McpSettings(stdio="any", folders=folder), Path("/no/data"))
    servers = McpServers(Secrets([key]), programs)
    while not (await servers.tools(1, read_settings({"mcpServers": [config]}).mcp_servers))[0]:
        await asyncio.sleep(0.1)
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


@pytest.mark.skipif(not parent_death_signal(signal.SIGKILL), reason="needs setpriv")
async def test_a_program_ends_with_an_agent_that_is_killed(program: Program, journal: Journal) -> None:
    key = Fernet.generate_key().decode()
    plain = {name: SECRETS.decrypt(value) for name, value in program()["env"].items()}
    config = program("deaf", env={name: Secrets([key]).encrypt(value) for name, value in plain.items()})
    agent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        AGENT,
        json.dumps([key, config, str(journal.path.parent)]),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert agent.stdout is not None
    await agent.stdout.readuntil(b"ready\n")  # two programs must load, which is slow on a busy machine
    agent.kill()
    await agent.wait()
    (pid,) = journal.pids()
    await until(lambda: not is_alive(pid))


async def test_a_server_that_cannot_start_is_not_started_at_every_turn(
    mcp: McpServers, program: Program, journal: Journal
) -> None:
    ended = ["The MCP server test is not available: its program ended."]
    config = program("fail")
    with capture_logs() as logs:
        await tools_of(mcp, config, problems=ended)
        # Its last output may arrive after its end.
        async with asyncio.timeout(60):
            while not any("cannot start with ***" in entry.get("stderr", "") for entry in logs):  # noqa: ASYNC110
                await asyncio.sleep(0.02)
    assert SECRET not in str(logs)
    await tools_of(mcp, config, problems=ended)
    assert len(journal.pids()) == 1
    # The back-off starts with one second.
    async with asyncio.timeout(60):
        while len(journal.pids()) == 1:
            await tools_of(mcp, config, problems=ended)
            await asyncio.sleep(0.05)


async def test_a_missing_program_is_reported(mcp: McpServers, program: Program) -> None:
    why = "its program cannot be started (No such file or directory)"
    await tools_of(mcp, program(command="/no/such"), problems=[f"The MCP server test is not available: {why}."])


async def test_a_program_that_floods_is_ended(mcp: McpServers, program: Program, journal: Journal) -> None:
    await tools_of(mcp, program("flood"), problems=["The MCP server test is not available: its program ended."])
    (pid,) = journal.pids()
    await until(lambda: not is_alive(pid))


async def test_one_server_that_is_away_leaves_the_others(mcp: McpServers, program: Program) -> None:
    away = at("http://127.0.0.1:1/mcp", name="away")
    problem = "The MCP server away is not available: it cannot be reached."
    assert "test__echo" in await tools_of(mcp, away, program(), problems=[problem])


async def test_secrets_of_another_key_are_reported_as_unreadable(program: Program) -> None:
    other = base64.urlsafe_b64encode(b"x" * 32).decode()
    mcp = McpServers(Secrets([other]), PROGRAMS)
    (problem,) = await problems_of(mcp, program())
    assert "cannot be read: enter them again" in problem
