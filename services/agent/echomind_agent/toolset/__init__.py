"""Tools, their registry and plugins."""
