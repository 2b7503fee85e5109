"""Servers of the Model Context Protocol, whose tools assistants call.

`McpServers` is all that a run needs; `Programs` decides which programs they may be. What speaks the protocol is loaded
when the first server is used.
"""

from echomind_agent.mcp.programs import Programs
from echomind_agent.mcp.servers import McpServers, Problem

__all__ = ["McpServers", "Problem", "Programs"]
