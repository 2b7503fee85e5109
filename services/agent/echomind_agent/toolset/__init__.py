"""What a tool is, and where tools come from: the registry and plugins."""
