"""Names of tools for people, the same as in the web UI."""

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from echomind_lib.models import public

if TYPE_CHECKING:
    from collections.abc import Sequence


TOOL_NAMES: Final = {
    "ask_user": "Ask you",
    "calculator": "Calculator",
    "call_in_parallel": "Call in parallel",
    "current_time": "Current time",
    "days_between": "Days between",
    "delegate_task": "Delegate a task",
    "fetch_web_page": "Read web page",
    "finish_goal": "Finish goal",
    "forget": "Forget",
    "read_document": "Read document",
    "remember": "Remember",
    "search_documents": "Search documents",
    "search_knowledge": "Search knowledge",
    "search_memory": "Search memory",
    "search_web": "Search the web",
    "spawn_sub_agent": "Start a sub-agent",
    "update_todo": "Update a todo",
    "write_todos": "Plan todos",
}
"""EchoMind's own tools."""
_FETCHING: Final = "fetch_web_page"
_SEARCHING: Final = "search_web"


def tool_label(name: str) -> str:
    """Returns the name of a tool for people: `List files (hub)` for `hub__list_files` of the MCP server `hub`."""
    if name in TOOL_NAMES:
        return TOOL_NAMES[name]
    server, tool = _parts(name)
    return f"{_readable(tool)} ({server})" if server else _readable(tool)


def approval_question(calls: "Sequence[public.PendingToolCall]") -> str:
    """Returns the question to approve calls."""
    if len(calls) != 1:
        return "May the assistant do this?"
    name = calls[0].tool_name
    if name == _FETCHING:
        host = urlsplit(str((calls[0].parameters or {}).get("url", ""))).hostname
        return f"Read a web page from {host}?" if host else "Read a web page?"
    if name == _SEARCHING:
        return "Search the web?"
    server, tool = _parts(name)
    return f"Use “{_readable(tool)}” of {server}?" if server else f"Use “{tool_label(name)}”?"


def _parts(name: str) -> tuple[str, str]:
    """Returns the MCP server that a tool is of, empty for none, and the tool's own name."""
    server, separator, tool = name.partition("__")
    return (server, tool) if separator and server else ("", name)


def _readable(name: str) -> str:
    words = re.sub(r"[_-]+", " ", name).strip()
    return words[:1].upper() + words[1:]
