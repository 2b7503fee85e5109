"""The tools that an assistant's config names. Only agents know which there are, as packages may bring more."""

from collections.abc import Collection
from typing import Any, Final

from echomind_lib.errors import DependencyUnavailableError, ValidationFailedError
from echomind_lib.messaging import TOOLS_LIST, Bus
from echomind_lib.models.public import AssistantConfig
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import ToolsReply, ToolsRequest

_SECONDS: Final = 30.0
"""How long an agent may take to list tools; it gives up on a slow MCP server sooner."""


async def list_tools(bus: Bus, assistant_id: int = 0) -> ToolsReply:
    """Returns the tools of an assistant; with 0 those that every assistant can name.

    Raises:
        DependencyUnavailableError: No agent answers.
    """
    reply = await bus.request(TOOLS_LIST, ToolsRequest(assistant_id=assistant_id), ToolsReply, _SECONDS)
    if reply is None:
        raise DependencyUnavailableError(
            "No agent says which tools there are: check that one runs.", dependency="agent"
        )
    return reply


async def check_tools(bus: Bus, config: AssistantConfig | None, stored: dict[str, Any] | None = None) -> None:
    """Raises an error unless there is each tool that a config names.

    Args:
        bus: Bus to ask agents; they are not asked when nothing new is named.
        config: The config.
        stored: The one before, whose names are kept even if their package is not installed any more.

    Raises:
        ValidationFailedError: There is no such tool; the message lists those that there are.
        DependencyUnavailableError: No agent answers.
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
            place = f"assistant.config.{field}"
            rule = f"there is no tool {', '.join(unknown)}. Known: {', '.join(sorted(known))}{more}"
            raise ValidationFailedError(f"{place}: {rule}.", **{place: rule})


def _new(names: Collection[str], before: Collection[str], servers: Collection[str]) -> list[str]:
    return [name for name in names if name not in before and name.partition("__")[0] not in servers]
