"""The MCP servers of assistants: their tools, and the connections that runs share."""

import asyncio
import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from echomind_agent.mcp.programs import Programs
from echomind_agent.mcp.server import Server, version_of
from echomind_agent.mcp.states import McpServerStates
from echomind_agent.toolset.registry import Tool
from echomind_lib.assistants.assistant_settings import McpServerSettings
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import (
    WARNING_CODE_MCP_SECRETS_UNREADABLE,
    WARNING_CODE_MCP_SERVER_UNAVAILABLE,
    WARNING_CODE_TOOL_UNUSABLE,
    WarningCode,
)
from echomind_lib.secrets import Secrets, SecretUnreadableError

if TYPE_CHECKING:  # the SDK takes seconds to import, and most assistants have no server
    from echomind_agent.mcp.connection import Connection
    from echomind_agent.mcp.timeouts import Timeouts


class Problem(NamedTuple):
    """Error of a server or of one of its tools."""

    server: str
    """The server's name."""
    code: WarningCode.ValueType
    text: str
    """One sentence for users, without addresses and secrets."""
    subject: str
    """The name of the affected server or tool."""


class McpServers:
    """Connections to MCP servers, one for each assistant, server and version of its config.

    A changed config results in a new connection; active runs keep the old one, which closes after them.
    """

    def __init__(
        self,
        secrets: Secrets,
        programs: Programs,
        timeouts: "Timeouts | None" = None,
        states: McpServerStates | None = None,
    ) -> None:
        """Initializes the object without connecting.

        Args:
            secrets: Decrypts the secrets in configs.
            programs: Decides which programs may be started.
            timeouts: Timeouts of connections; the default if None.
            states: Store for the states of servers; None stores nothing.
        """
        self._secrets = secrets
        self.programs = programs
        self._timeouts = timeouts
        self._states = states
        self._connections: dict[tuple[int, str, str], Connection] = {}

    async def tools(
        self, assistant_id: int, servers: Sequence[McpServerSettings]
    ) -> tuple[dict[str, Tool], list[Problem]]:
        """Returns the allowed tools of an assistant's servers, and the problems of others.

        A server that is not ready in time is omitted; it may be ready next time.

        Args:
            assistant_id: ID of the assistant.
            servers: Its servers.

        Returns:
            The tools by name, and a problem for each server or tool that cannot be used.
        """
        allowed = [server for server in servers if server.allowed_tools]
        if not allowed:
            return {}, []
        # In a thread, so that the import does not block the other runs of this process.
        await asyncio.to_thread(importlib.import_module, "echomind_agent.mcp.tools")
        from echomind_agent.mcp.tools import SchemaRefusedError, make_tool, tool_name

        listings = await asyncio.gather(*(self._list(assistant_id, server) for server in allowed))
        if self._states is not None:
            errors = {
                server.name: problem.text if problem else ""
                for server, (_, _, problem) in zip(allowed, listings, strict=True)
            }
            await self._states.note(assistant_id, errors)
        tools: dict[str, Tool] = {}
        problems: list[Problem] = []
        for connection, listed, problem in listings:
            if problem is not None:
                problems.append(problem)
            # Sorted, so that of two tools with the same name always the same one is renamed.
            for each in sorted(listed, key=lambda each: str(each.name)):
                assert connection is not None
                if not connection.server.allows(each.name):
                    continue
                name = tool_name(connection.server.name, each.name, tools)
                try:
                    tools[name] = make_tool(connection, each, name)
                except SchemaRefusedError as error:
                    text = f"The tool {name} cannot be used: {error}."
                    problems.append(Problem(connection.server.name, WARNING_CODE_TOOL_UNUSABLE, text, name))
        return tools, problems

    async def close(self) -> None:
        """Closes all connections and stops all programs."""
        connections = list(self._connections.values())
        self._connections.clear()
        await asyncio.gather(*(connection.close() for connection in connections))

    async def _list(
        self, assistant_id: int, settings: McpServerSettings
    ) -> "tuple[Connection | None, list[Any], Problem | None]":
        from echomind_agent.mcp.connection import ServerUnavailableError

        name = settings.name
        try:
            connection = self._connection(assistant_id, settings)
            return connection, await connection.tools(), None
        except ServerUnavailableError as error:
            text = f"The MCP server {name} is not available: {error}."
            return None, [], Problem(name, WARNING_CODE_MCP_SERVER_UNAVAILABLE, text, name)
        except SecretUnreadableError:
            text = f"The stored secrets of the MCP server {name} cannot be read: enter them again."
            return None, [], Problem(name, WARNING_CODE_MCP_SECRETS_UNREADABLE, text, name)

    def _connection(self, assistant_id: int, settings: McpServerSettings) -> "Connection":
        from echomind_agent.mcp.connection import Connection
        from echomind_agent.mcp.timeouts import Timeouts

        key = (assistant_id, settings.name, version_of(settings))
        if (connection := self._connections.get(key)) is None:
            server = Server.read(settings, self._secrets)
            connection = self._connections[key] = Connection(server, self.programs, self._timeouts or Timeouts())
        return connection
