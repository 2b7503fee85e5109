"""The tools that an assistant's config names. Only agents know which there are, as packages may bring more."""

from collections.abc import Collection
from typing import Any, Final

from echomind_lib.errors import DependencyUnavailableError, ValidationFailedError
from echomind_lib.messaging import TOOLS_LIST, Bus
from echomind_lib.models.public import AssistantConfig
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ToolsReply, ToolsRequest

_SECONDS: Final = 30.0
"""Timeout for an agent to list tools; its own timeout for MCP servers is shorter."""


async def list_tools(bus: Bus, assistant_id: int = 0) -> ToolsReply:
    """Returns the tools of an assistant; with 0 those available to every assistant.

    Raises:
        DependencyUnavailableError: No agent responds.
    """
    reply = await bus.request(TOOLS_LIST, ToolsRequest(assistant_id=assistant_id), ToolsReply, _SECONDS)
    if reply is None:
        raise DependencyUnavailableError(
            "No agent says which tools there are: check that one runs.", dependency="agent"
        )
    return reply


async def check_tools(bus: Bus, config: AssistantConfig | None, stored: dict[str, Any] | None = None) -> None:
    """Raises an error if a config names a tool that does not exist.

    Args:
        bus: Bus to ask agents; used only if the config names new tools.
        config: The config.
        stored: The previous config, whose names are accepted even if their package is no longer installed.

    Raises:
        ValidationFailedError: A tool does not exist; the message lists the available ones.
        DependencyUnavailableError: No agent responds.
    """
    if config is None:
        return
    before = stored or {}
    servers = [server.name for server in config.mcp_servers]
    tools = _new(config.tools, before.get("tools") or (), ())
    # Names of tools of MCP servers are not checked: only their servers know them.
    approvals = _new(config.approval_tools, before.get("approvalTools") or (), servers)
    if not tools and not approvals:
        return
    known = {tool.name for tool in (await list_tools(bus)).tools if tool.name}
    for field, names, more in (
        ("tools", tools, "; those of an MCP server are chosen by its allowedTools"),
        ("approvalTools", approvals, f", and those of the assistant's MCP servers, {', '.join(servers) or 'none'}"),
    ):
        if unknown := [name for name in names if name not in known]:
            field_path = f"assistant.config.{field}"
            rule = f"there is no tool {', '.join(unknown)}. Known: {', '.join(sorted(known))}{more}"
            raise ValidationFailedError.of(field_path, rule)


async def check_notebook_tools(bus: Bus, names: Collection[str], stored: Collection[str] = ()) -> None:
    """Raises an error if a notebook allows a tool that it cannot have.

    Names of tools of MCP servers (`server__tool`) are not checked: only their servers know them.

    Args:
        bus: Bus to ask agents; used only if there are new names of other tools.
        names: Names, as in `Notebook.tools`.
        stored: The previous ones, which are accepted even if their package is no longer installed.

    Raises:
        ValidationFailedError: There is no such tool; the message lists the available ones.
        DependencyUnavailableError: No agent responds.
    """
    new = [name for name in names if name not in stored and "__" not in name]
    if not new:
        return
    known = [tool.name for tool in (await list_tools(bus)).tools if tool.needs_notebook_permission]
    if unknown := [name for name in new if not any(_names(name, tool) for tool in known)]:
        rule = (
            f"no tool that a notebook can have is named {', '.join(unknown)}. Known: {', '.join(sorted(known))}, and "
            "those of MCP servers, such as wiki__*"
        )
        raise ValidationFailedError(f"notebook.tools: {rule}.", **{"notebook.tools": rule})


def _names(pattern: str, tool: str) -> bool:
    return tool.startswith(pattern[:-1]) if pattern.endswith("*") else tool == pattern


def _new(names: Collection[str], before: Collection[str], servers: Collection[str]) -> list[str]:
    return [name for name in names if name not in before and name.partition("__")[0] not in servers]
