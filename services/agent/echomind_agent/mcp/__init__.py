"""Model Context Protocol (MCP) servers, whose tools assistants call.

Runs use `McpServers`; `Programs` decides which programs may be started as servers. The protocol's implementation is
imported when the first server is used.
"""

from echomind_agent.mcp.programs import Programs
from echomind_agent.mcp.servers import McpServers, Problem

__all__ = ["McpServers", "Problem", "Programs"]
