"""Assistants: their stored settings, their teams and their MCP servers."""
