"""Assistants, their chat models and their MCP servers."""
