"""EchoMind as a server of the Model Context Protocol at `/mcp`, by the protocol's own package.

It is imported when the first client comes: `endpoint` has no import of it.
"""

from echomind_api.transports.mcp.endpoint import McpEndpoint

__all__ = ["McpEndpoint"]
