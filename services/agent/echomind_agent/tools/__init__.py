"""The built-in tools, and which tools a run has."""
