"""MCP servers in the config of assistants: rules, secrets, and their tools as reported by an agent."""

import os
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from echomind_agent.mcp.states import McpServerStates
from echomind_lib.errors import (
    DependencyUnavailableError,
    EndpointRefusedError,
    NotFoundError,
    ValidationFailedError,
)
from tests.drivers.client import Client, Transport
from tests.drivers.gateway import NewUser
from tests.drivers.mcp_server import served

pytestmark = pytest.mark.usefixtures("programs_found")
SECRET = "a-secret-of-the-server"
HTTP = {"name": "wiki", "transport": "MCP_TRANSPORT_STREAMABLE_HTTP", "url": "https://tools.example.org/mcp"}
OAUTH = {"issuer": "https://id.example.org", "clientId": "echomind", "clientSecret": SECRET}
STDIO = {"name": "files", "transport": "MCP_TRANSPORT_STDIO", "command": "files-server"}


@pytest.fixture
def programs_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs that the tests name are installed; whoever looks for them looks here too."""
    program = tmp_path / "files-server"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)


def assistant(name: str, *servers: dict[str, Any], **config: Any) -> dict[str, Any]:
    return {"assistant": {"name": name, "isVisible": True, "config": {"mcpServers": list(servers), **config}}}


async def create(client: Client, via: Transport, name: str, *servers: dict[str, Any], **config: Any) -> dict[str, Any]:
    return await client.call("AssistantService/CreateAssistant", assistant(f"{name}-{via}", *servers, **config), via)


async def stored(pool: asyncpg.Pool, assistant_id: int) -> str:
    text: str = await pool.fetchval("SELECT config::text FROM assistants WHERE id = $1", assistant_id)
    return text


async def store(pool: asyncpg.Pool, assistant_id: int, *servers: dict[str, Any]) -> None:
    """Stores servers as they are, whatever is permitted now."""
    await pool.execute(
        "UPDATE assistants SET config = jsonb_set(config, '{mcpServers}', $2) WHERE id = $1",
        assistant_id,
        list(servers),
    )


@pytest.mark.usefixtures("tool_listing")
async def test_the_last_error_of_a_server_is_kept(owner: Client, via: Transport, pool: asyncpg.Pool) -> None:
    made = await create(owner, via, "last-error", HTTP | {"allowedTools": ["*"], "url": "http://127.0.0.1:1/mcp"})

    async def of_health() -> list[dict[str, Any]]:
        health = await owner.call("SystemService/GetSystemHealth", via=via)
        return [each for each in health.get("mcpServers", []) if each["assistantId"] == made["id"]]

    answer = await owner.call("AssistantService/ListAssistantTools", {"id": made["id"]}, via)
    (problem,) = [tool["error"] for tool in answer["tools"] if tool.get("error")]
    (server,) = answer["servers"]
    assert (server["server"], server["status"]) == ("wiki", "HEALTH_STATUS_DEGRADED")
    assert server["lastError"] == problem
    assert not server.get("reachedAt")
    assert await of_health() == [server]

    # Another agent reaches it, and stores a server that the assistant has no more.
    await McpServerStates(pool).note(made["id"], {"wiki": "", "before": "Away."})
    (server,) = await of_health()
    assert (server["status"], server["lastError"]) == ("HEALTH_STATUS_OK", problem)
    assert server["reachedAt"] > server["failedAt"]
    await pool.execute("UPDATE assistants SET deleted_date = now() WHERE id = $1", made["id"])
    assert await of_health() == []


@pytest.mark.usefixtures("tool_listing")
async def test_secrets_are_encrypted_and_never_shown(owner: Client, via: Transport, pool: asyncpg.Pool) -> None:
    servers = (
        STDIO | {"env": {"TOKEN": SECRET, "MODE": "fast"}},
        HTTP | {"headers": {"Authorization": SECRET}, "oauth": OAUTH},
    )
    made = await create(owner, via, "sealed", *servers)
    shown = [made, await owner.call("AssistantService/GetAssistant", {"id": made["id"]}, via)]
    for seen in shown:
        files, wiki = seen["config"]["mcpServers"]
        assert (files["env"], wiki["headers"]) == ({"TOKEN": "", "MODE": ""}, {"Authorization": ""})
        assert wiki["oauth"] == dict.fromkeys(OAUTH, "")
        assert files["command"] == "files-server"
    listed = await owner.call("AssistantService/ListAssistants", {"pageSize": 1000}, via)
    assert SECRET not in str([shown, listed])
    assert SECRET not in await stored(pool, made["id"])
    log = await pool.fetch("SELECT detail::text FROM audit_log WHERE target = $1", f"assistants/{made['id']}")
    assert log
    assert SECRET not in str(log)


@pytest.mark.usefixtures("tool_listing")
async def test_an_empty_secret_keeps_the_stored_one(owner: Client, via: Transport, pool: asyncpg.Pool) -> None:
    made = await create(owner, via, "kept", STDIO | {"env": {"TOKEN": SECRET, "OTHER": "1"}})
    before = await pool.fetchval(
        "SELECT config #>> '{mcpServers,0,env,TOKEN}' FROM assistants WHERE id = $1", made["id"]
    )
    (server,) = made["config"]["mcpServers"]
    changed = server | {"allowedTools": ["read*"], "env": {"TOKEN": "", "NEW": "2"}}
    change = {"id": made["id"], "assistant": {"config": {"mcpServers": [changed]}}, "updateMask": "config"}
    answer = await owner.call("AssistantService/UpdateAssistant", change, via)
    assert answer["config"]["mcpServers"][0]["env"] == {"TOKEN": "", "NEW": ""}
    after = await pool.fetchval("SELECT config #> '{mcpServers,0,env}' FROM assistants WHERE id = $1", made["id"])
    assert after["TOKEN"] == before
    assert after.keys() == {"TOKEN", "NEW"}
    lost = {"id": made["id"], "assistant": {"config": {"mcpServers": [server | {"name": "renamed"}]}}}
    with pytest.raises(ValidationFailedError) as caught:
        await owner.call("AssistantService/UpdateAssistant", lost | {"updateMask": "config"}, via)
    assert "no stored value" in str(caught.value)
    (field,) = caught.value.metadata
    assert field in ("assistant.config.mcpServers.0.env.TOKEN", "assistant.config.mcpServers.0.env.OTHER")


@pytest.mark.parametrize(
    ("server", "field"),
    [
        (STDIO | {"command": ""}, "command"),
        (STDIO | {"url": "http://127.0.0.1/mcp"}, "url"),
        (STDIO | {"headers": {"X": SECRET}}, "headers"),
        (STDIO | {"env": {"A=B": SECRET}}, "env"),
        (STDIO | {"env": {"A": SECRET * 1000}}, "env.A"),
        (STDIO | {"args": ["a", "b" * 5000]}, "args.1"),
        (STDIO | {"name": "a__b"}, "name"),
        (STDIO | {"allowedTools": ["*x"]}, "allowedTools.0"),
        (STDIO | {"readOnlyTools": ["ok", ""]}, "readOnlyTools.1"),
        (HTTP | {"url": ""}, "url"),
        (HTTP | {"url": "ftp://tools.example.org"}, "url"),
        (HTTP | {"url": "http://me:secret@tools.example.org"}, "url"),
        (HTTP | {"url": "http://host:99999/"}, "url"),
        (HTTP | {"command": "x"}, "command"),
        (HTTP | {"env": {"A": SECRET}}, "env"),
        (HTTP | {"headers": {"X": f"{SECRET}\r\nY: 1"}}, "headers.X"),
        (HTTP | {"headers": {"Host": SECRET}}, "headers.Host"),
        (HTTP | {"headers": {"no name": SECRET}}, "headers"),
        (STDIO | {"oauth": OAUTH}, "oauth"),
        (HTTP | {"oauth": {"clientId": SECRET}}, "oauth"),
        (HTTP | {"oauth": OAUTH | {"password": SECRET}}, "oauth"),
        (HTTP | {"oauth": OAUTH | {"issuer": "elsewhere"}}, "oauth.issuer"),
        (HTTP | {"oauth": OAUTH | {"issuer": "http://169.254.169.254/"}}, "oauth.issuer"),
        (HTTP | {"oauth": OAUTH | {"issuer": "http://id.example.org"}}, "oauth.issuer"),
        (HTTP | {"oauth": OAUTH | {"issuer": "http://10.0.0.1:8080"}}, "oauth.issuer"),
        (HTTP | {"oauth": OAUTH | {"scope": f"{SECRET}\n"}}, "oauth.scope"),
    ],
)
async def test_an_error_names_the_field_and_no_secret(
    owner: Client, via: Transport, server: dict[str, Any], field: str
) -> None:
    with pytest.raises(ValidationFailedError) as caught:
        await create(owner, via, "wrong", HTTP | {"name": "fine"}, server)
    assert caught.value.metadata.keys() == {f"assistant.config.mcpServers.1.{field}"}
    assert SECRET not in f"{caught.value}{caught.value.metadata}"


@pytest.mark.usefixtures("tool_listing")
@pytest.mark.parametrize(
    ("server", "moved"),
    [
        (HTTP | {"headers": {"Authorization": SECRET}}, {"url": "https://evil.example/mcp"}),
        (HTTP | {"headers": {"Authorization": SECRET}}, {"url": "http://tools.example.org/mcp"}),
        (HTTP | {"headers": {"Authorization": SECRET}}, {"url": "https://tools.example.org:8443/mcp"}),
        (HTTP | {"oauth": OAUTH}, {"oauth": dict.fromkeys(OAUTH, "") | {"issuer": "https://evil.example"}}),
        (HTTP | {"oauth": OAUTH}, {"url": "https://evil.example:8443/mcp"}),
        (STDIO | {"env": {"TOKEN": SECRET}}, {"command": "python3"}),
        (STDIO | {"env": {"TOKEN": SECRET}}, {"args": ["--send-to", "evil.example"]}),
    ],
)
async def test_a_secret_does_not_follow_a_server_to_another_place(
    owner: Client, via: Transport, pool: asyncpg.Pool, server: dict[str, Any], moved: dict[str, Any]
) -> None:
    made = await create(owner, via, f"moved-{moved!r}", server)
    before = await stored(pool, made["id"])
    (shown,) = made["config"]["mcpServers"]

    def change(**fields: Any) -> dict[str, Any]:
        config = {"mcpServers": [shown | fields]}
        return {"id": made["id"], "assistant": {"config": config}, "updateMask": "config"}

    with pytest.raises(ValidationFailedError, match="must be given again") as caught:
        await owner.call("AssistantService/UpdateAssistant", change(**moved), via)
    (secrets,) = {"headers", "oauth", "env"} & server.keys()
    (field,) = caught.value.metadata
    assert field.removeprefix(f"assistant.config.mcpServers.0.{secrets}.") in server[secrets]
    assert await stored(pool, made["id"]) == before
    again = {secrets: dict.fromkeys(server[secrets], "https://given.example/again")}
    await owner.call("AssistantService/UpdateAssistant", change(**moved | again), via)
    assert await stored(pool, made["id"]) != before


async def test_a_secret_stays_with_another_path_of_its_host(owner: Client, via: Transport) -> None:
    made = await create(owner, via, "stays", HTTP | {"headers": {"Authorization": SECRET}})
    (shown,) = made["config"]["mcpServers"]
    config = {"mcpServers": [shown | {"url": "https://TOOLS.example.org:443/v2/mcp"}]}
    change = {"id": made["id"], "assistant": {"config": config}, "updateMask": "config"}
    await owner.call("AssistantService/UpdateAssistant", change, via)


async def test_names_of_servers_are_unique(owner: Client, via: Transport) -> None:
    with pytest.raises(ValidationFailedError, match="unique"):
        await create(owner, via, "twice", STDIO, STDIO)


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "[::ffff:169.254.169.254]", "metadata.google.internal", "[fe80::1]"]
)
async def test_link_local_and_metadata_addresses_are_refused(owner: Client, via: Transport, host: str) -> None:
    with pytest.raises(EndpointRefusedError, match=r"mcpServers\.0\.url"):
        await create(owner, via, "refused", HTTP | {"url": f"http://{host}/mcp"})


@pytest.mark.usefixtures("tool_listing")
async def test_people_see_no_more_than_names_and_allowed_tools(
    owner: Client, new_user: NewUser, via: Transport
) -> None:
    full = STDIO | {"args": ["--root", "/srv"], "env": {"TOKEN": SECRET}, "allowedTools": ["read*"]}
    made = await create(owner, via, "shown", full, HTTP)
    for role in ("user", "admin"):
        person = await new_user(role)
        seen = await person.call("AssistantService/GetAssistant", {"id": made["id"]}, via)
        every = (await person.call("AssistantService/ListAssistants", {"pageSize": 1000}, via))["assistants"]
        for config in (seen["config"], next(item for item in every if item["id"] == made["id"])["config"]):
            servers = [{key: value for key, value in server.items() if value} for server in config["mcpServers"]]
            assert servers == [
                {"name": "files", "transport": "MCP_TRANSPORT_STDIO", "allowedTools": ["read*"]},
                {"name": "wiki", "transport": "MCP_TRANSPORT_STREAMABLE_HTTP"},
            ]


@pytest.mark.usefixtures("tool_listing")
async def test_all_fields_of_a_config_go_there_and_back(owner: Client, via: Transport) -> None:
    config = {
        "maxCost": 0.25,
        "maxDepth": 0,
        "askClarifications": True,
        "approvalTools": ["spawn_sub_agent"],
        "waitStrategy": "WAIT_STRATEGY_ANY",
        "summarizeAfterTokens": 1234,
    }
    made = await create(owner, via, "whole", **config)
    seen = await owner.call("AssistantService/GetAssistant", {"id": made["id"]}, via)
    assert seen["config"] | config == seen["config"]
    unset = await create(owner, via, "unset")
    assert "maxDepth" not in unset["config"]


@pytest.mark.usefixtures("tool_listing")
async def test_a_tool_that_there_is_not_is_refused_with_those_that_there_are(
    owner: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    for config, text in (
        (
            {"tools": ["spawn_sub_agent", "serch"]},
            "there is no tool serch. Known: ask_user, call_in_parallel, read_news, spawn_sub_agent",
        ),
        ({"approvalTools": ["files__write", "spawn_sub_agent"]}, "there is no tool files__write. Known: ask_user"),
        ({"tools": ["test__echo"]}, "those of an MCP server are chosen by its allowedTools"),
    ):
        with pytest.raises(ValidationFailedError) as caught:
            await create(owner, via, "unknown", HTTP | {"name": "test"}, **config)
        assert text in caught.value.message
    config = {"tools": ["spawn_sub_agent"], "approvalTools": ["test__echo", "spawn_sub_agent"]}
    made = await create(owner, via, "known", HTTP | {"name": "test"}, **config)
    # A package was removed: its tool stays in the list until it is removed from the assistant.
    await pool.execute(
        "UPDATE assistants SET config = jsonb_set(config, '{tools}', '[\"gone\"]') WHERE id = $1", made["id"]
    )
    change = {"id": made["id"], "assistant": {"config": {"tools": ["gone", "spawn_sub_agent"]}}, "updateMask": "config"}
    changed = await owner.call("AssistantService/UpdateAssistant", change, via)
    assert changed["config"]["tools"] == ["gone", "spawn_sub_agent"]


@pytest.mark.parametrize(
    ("server", "problem"),
    [
        (STDIO | {"command": "/no/such"}, "not among those that this machine permits: add `/no/such` to"),
        (STDIO | {"command": "sh", "args": ["-c", "id"]}, "not among those that this machine permits: add `sh` to"),
        (STDIO | {"env": {"LD_PRELOAD": "/tmp/x.so"}}, "LD_PRELOAD can make the program run other programs"),
        (
            STDIO | {"command": "/no/such/program"},
            "`/no/such/program` cannot be started on the agent's machine: No such",
        ),
    ],
)
@pytest.mark.usefixtures("tool_listing")
async def test_a_program_that_cannot_be_started_is_refused(
    owner: Client, via: Transport, server: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ValidationFailedError) as caught:
        await create(owner, via, "refused", HTTP, server)
    assert problem in str(caught.value)
    assert caught.value.metadata.keys() == {"assistant.config.mcpServers.1.command"}
    made = await create(owner, via, f"changed {server['command']} {len(server)}")
    change = {"id": made["id"], "assistant": {"config": {"mcpServers": [server]}}, "updateMask": "config"}
    with pytest.raises(ValidationFailedError):
        await owner.call("AssistantService/UpdateAssistant", change, via)


async def test_without_an_agent_no_program_is_added(owner: Client, via: Transport) -> None:
    with pytest.raises(DependencyUnavailableError) as caught:
        await create(owner, via, "unchecked", STDIO)
    assert caught.value.metadata == {"dependency": "agent"}


async def test_a_stored_program_hinders_no_other_change(owner: Client, via: Transport, pool: asyncpg.Pool) -> None:
    made = await create(owner, via, "older")
    await store(pool, made["id"], STDIO | {"command": "once-permitted"})
    seen = await owner.call("AssistantService/GetAssistant", {"id": made["id"]}, via)
    config = seen["config"] | {"maxDepth": 1}
    change = {"id": made["id"], "assistant": {"config": config}, "updateMask": "config"}
    assert (await owner.call("AssistantService/UpdateAssistant", change, via))["config"]["maxDepth"] == 1


async def test_without_an_agent_tools_are_unknown(owner: Client, via: Transport) -> None:
    made = await create(owner, via, "asked")
    with pytest.raises(DependencyUnavailableError) as caught:
        await owner.call("AssistantService/ListAssistantTools", {"id": made["id"]}, via)
    assert caught.value.metadata == {"dependency": "agent"}


@pytest.mark.usefixtures("tool_listing")
async def test_an_agent_lists_the_tools_and_what_is_wrong(owner: Client, via: Transport, pool: asyncpg.Pool) -> None:
    away = STDIO | {"command": "/no/such/program", "allowedTools": ["*"]}
    async with served() as url:
        there = HTTP | {"name": "test", "url": url, "allowedTools": ["echo", "delete_all"], "trustReadOnlyHints": True}
        made = await create(owner, via, "listed")
        await store(pool, made["id"], there, away)
        tools = (await owner.call("AssistantService/ListAssistantTools", {"id": made["id"]}, via))["tools"]
    by_name = {tool["name"]: tool for tool in tools if tool.get("mcpServer") == "test"}
    assert by_name.keys() == {"test__echo", "test__delete_all"}
    assert by_name["test__echo"]["parameters"]["required"] == ["text"]
    assert (by_name["test__delete_all"].get("sideEffect"), by_name["test__echo"].get("sideEffect", False)) == (
        True,
        False,
    )
    assert by_name["test__echo"]["sendsDataOut"]
    (problem,) = [tool for tool in tools if tool.get("error")]
    assert problem["mcpServer"] == "files"
    assert "cannot be started" in problem["error"]
    assert "/no/such" not in problem["error"]
    assert any(not tool.get("mcpServer") for tool in tools)


@pytest.mark.usefixtures("tool_listing")
async def test_a_listing_reports_when_tools_become_available_and_which_are_missing(
    owner: Client, pool: asyncpg.Pool, via: Transport
) -> None:
    async def listed(name: str, stored: dict[str, Any]) -> tuple[dict[str, bool], list[str]]:
        made = await create(owner, via, name)
        await pool.execute("UPDATE assistants SET config = config || $2 WHERE id = $1", made["id"], stored)
        tools = (await owner.call("AssistantService/ListAssistantTools", {"id": made["id"]}, via))["tools"]
        right = {tool["name"]: tool.get("forPlanning", False) for tool in tools if not tool.get("error")}
        return right, [tool["error"] for tool in tools if tool.get("error")]

    assert await listed("plain", {"askClarifications": True}) == (
        {"call_in_parallel": True, "ask_user": False, "spawn_sub_agent": True, "read_news": False},
        [],
    )
    # As they are stored when the package of a tool is not installed any more.
    config = {"tools": ["spawn_sub_agent", "ask_user", "serch"], "approvalTools": ["fetch_webpage", "spawn_sub_agent"]}
    named, wrong = await listed("named", config)
    assert named == {"spawn_sub_agent": False}
    assert wrong == [
        f"There is no tool {name}, which the assistant's configuration names." for name in ("serch", "fetch_webpage")
    ]


@pytest.mark.usefixtures("tool_listing")
async def test_tools_of_what_one_may_not_see_are_not_listed(owner: Client, new_user: NewUser, via: Transport) -> None:
    person = await new_user()
    hidden = await owner.call("AssistantService/CreateAssistant", {"assistant": {"name": f"hidden-tools-{via}"}}, via)
    for client, assistant_id in ((person, hidden["id"]), (owner, 30_000)):
        with pytest.raises(NotFoundError):
            await client.call("AssistantService/ListAssistantTools", {"id": assistant_id}, via)
