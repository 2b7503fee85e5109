"""Tools of installed packages, found by the entry-point group `echomind.tools`.

Each entry point is a function that receives a `PluginContext` and returns tools. Packages that cannot be loaded and
invalid tools are skipped and logged; the agent continues without them.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

import aiohttp
import asyncpg
import structlog

from echomind_agent.toolset.registry import Tool
from echomind_lib.config import Settings

log = structlog.get_logger(__name__)

GROUP = "echomind.tools"
"""The entry-point group."""

_NAME = re.compile(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class PluginContext:
    """The context of tools from packages; it exists as long as the agent runs."""

    pool: asyncpg.Pool
    """The database of this installation."""
    http: aiohttp.ClientSession
    """For requests to services that the package trusts, as it can reach private addresses. Do not use it to fetch URLs
    chosen by a model or a document."""
    settings: Settings


def plugin_tools(context: PluginContext, taken: Iterable[str]) -> list[Tool]:
    """Returns the tools of all installed packages, by the names of their entry points.

    Args:
        context: Their context.
        taken: Names of existing tools.
    """
    names = set(taken)
    found: list[Tool] = []
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value)):
        for tool in _load(entry, context):
            if problem := _problem(tool, names):
                log.error("plugin tool skipped", problem=problem, **_origin(entry))
            else:
                log.info("plugin tool loaded", tool=tool.name, **_origin(entry))
                names.add(tool.name)
                found.append(tool)
    return found


def _load(entry: EntryPoint, context: PluginContext) -> list[Tool]:
    try:
        tools = list(entry.load()(context))
        if strange := [tool for tool in tools if not isinstance(tool, Tool)]:
            raise TypeError(f"{strange[0]!r:.200} is no Tool; make it with @tool")
    except Exception:
        # A package may raise anything; the agent works without its tools.
        log.exception("plugin could not be loaded", **_origin(entry))
        return []
    return tools


def _problem(tool: Tool, names: Collection[str]) -> str:
    if not _NAME.fullmatch(tool.name) or "__" in tool.name:
        return f"{tool.name!r:.200} is no name for a tool: a letter, then letters, digits, - and single _, 64 at most"
    if tool.name in names:
        return f"there is a tool {tool.name} already"
    if tool.executor != "worker":
        return f"{tool.name} has the executor {tool.executor}; tools of packages run in the worker"
    return ""


def _origin(entry: EntryPoint) -> dict[str, str]:
    package = f"{entry.dist.name} {entry.dist.version}" if entry.dist else "unknown"
    return {"entry_point": f"{entry.name} = {entry.value}", "package": package}
