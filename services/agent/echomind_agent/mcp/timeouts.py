"""Time limits of connections to MCP servers."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Timeouts of a connection, in seconds."""

    open: float = 60.0
    """To open the connection; programs may have to be downloaded first."""
    caller: float = 10.0
    """For a caller to wait for the connection; it continues to open for the next caller."""
    idle: float = 600.0
    """Idle time before it is closed."""
    again: float = 60.0
    """Maximum delay between attempts to open it; it starts at 1 and doubles."""
