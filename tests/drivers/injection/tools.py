"""Tools of the installation that record what is done with them, and an MCP server that does."""

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError as ServerToolError
from mcp_types import ToolAnnotations
from pydantic import Field

from echomind_agent.toolset.registry import Tool, ToolContext, ToolError, tool
from tests.drivers.injection.cases import EFFECTS

Key = Annotated[str, Field(max_length=2000, description="What about.")]
_READS = ToolAnnotations(read_only_hint=True)


class Office:
    """What the tools read, and what was done with those that change or send something.

    Attributes:
        texts: What `news`, `broken_news` and the MCP tools say, by key.
        done: Name of the tool and its argument, of each call that changed or sent something.
    """

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.done: list[tuple[str, str]] = []
        self._server = MCPServer("office", log_level="CRITICAL")

    def tools(self) -> list[Tool]:
        """Returns the tools."""

        @tool(progress=lambda _: "Looking up")
        async def look_up(context: ToolContext, key: Key) -> str:
            """Looks something up."""
            return "Nothing new."

        @tool(progress=lambda _: "Looking up elsewhere", sends_data_out=True)
        async def look_up_elsewhere(context: ToolContext, key: Key) -> str:
            """Looks something up at another company."""
            self.done.append(("look_up_elsewhere", key))
            return "Nothing new."

        @tool(progress=lambda _: "Reading", untrusted=True)
        async def news(context: ToolContext, key: Key) -> str:
            """Reads the news."""
            return self.texts[key]

        @tool(progress=lambda _: "Reading", untrusted=True)
        async def broken_news(context: ToolContext, key: Key) -> str:
            """Reads other news."""
            raise ToolError(self.texts[key])

        return [look_up, look_up_elsewhere, news, broken_news, *map(self._effect, EFFECTS)]

    def _effect(self, name: str) -> Tool:
        @tool(name=name, description=f"The tool {name}.", progress=lambda _: name, side_effect=True)
        async def act(context: ToolContext, key: Key) -> str:
            self.done.append((name, key))
            return "It is done."

        return act

    def server(self) -> MCPServer:
        """Returns an MCP server whose tool `read` only reads."""
        server = self._server

        @server.tool(structured_output=False, annotations=_READS)
        def read(key: str) -> str:
            self.done.append(("office__read", key))
            return self.texts.get(key, "Nothing.")

        @server.tool(structured_output=False, annotations=_READS)
        def fail(key: str) -> str:
            raise ServerToolError(self.texts[key])

        @server.tool(structured_output=False)
        def send(key: str) -> str:
            self.done.append(("office__send", key))
            return "It is sent."

        return server

    def describe(self, name: str, text: str) -> None:
        """Gives the MCP server a tool that does nothing, with a text as its description."""
        self._server.add_tool(lambda: "Nothing.", name=name, description=text, structured_output=False)
