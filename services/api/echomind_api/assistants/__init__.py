"""Assistants, their teams, drafts and versions, and their MCP servers."""
