"""Selects the tools of a run."""

from collections.abc import Mapping, Sequence, Set
from typing import Final

from echomind_agent.mcp import McpServers, Problem
from echomind_agent.tools.caller import caller_tools
from echomind_agent.tools.control import ASK_USER, control_tools
from echomind_agent.tools.delegation import DELEGATE, delegation_tool
from echomind_agent.tools.knowledge import SEARCH_KNOWLEDGE
from echomind_agent.tools.memory import MEMORY_TOOLS, REMEMBER
from echomind_agent.tools.todos import FINISH_GOAL, TODO_TOOLS
from echomind_agent.toolset.registry import Registry, Tool
from echomind_lib.pb.echomind.public.v1.session_event_pb2 import WARNING_CODE_TOOL_MISSING
from echomind_lib.runs.record import RunNotebook, RunRecord

_STAY: Final = frozenset({ASK_USER, FINISH_GOAL})
"""Tools that a question cannot take away."""


async def choose_tools(
    run: RunRecord, registry: Registry, servers: McpServers
) -> tuple[dict[str, Tool], list[Problem]]:
    """Returns the tools of a run by name.

    An assistant, or a sub-agent with its own list, has the tools that it lists; without a list it has those for
    answering, and in an autonomous run or a sub-agent those for planning, too. `ask_user` is included if the run may
    ask. The leader of a team has `delegate_task`, and other tools for answering only if it lists them, as its members
    do that work. `search_knowledge` is included if there is any knowledge that the user may read.

    A question may allow only some of these tools, also to the sub-runs of its run; those to ask a person, to finish
    a goal and to delegate to members stay.

    A program that asks may give tools of its own, which take precedence.

    In a notebook, tools that return other text than its sources are excluded, even if the assistant lists them, unless
    the notebook allows them: web pages, and tools of MCP servers, which are connected only if one may be used.
    Knowledge and memories are of the person who asks, and stay excluded.

    Args:
        run: The run.
        registry: The built-in tools.
        servers: MCP servers.

    Returns:
        The tools, and a problem for each MCP server or tool that cannot be used.
    """
    settings = run.assistant.settings
    built_in = choose_built_in(
        registry,
        run.tool_names,
        plans=run.auto_run or run.kind == "sub_agent",
        has_goal=run.auto_run,
        may_ask=run.ask_clarifications and not run.auto_run,
        may_delegate=run.depth < run.limits.depth,
    )
    allowed = run.state.only
    if allowed:
        built_in = {name: tool for name, tool in built_in.items() if name in _STAY or _matches(name, allowed)}
    useless = _without_data(run)
    built_in = {name: tool for name, tool in built_in.items() if name not in useless}
    if run.leads:
        built_in = _of_leader(run, built_in)
    notebook = run.session.notebook
    mcp_servers = settings.mcp_servers
    if notebook is not None:
        built_in = {name: tool for name, tool in built_in.items() if _is_in_notebook(tool, notebook)}
        mcp_servers = tuple(server for server in mcp_servers if _may_name(notebook.tools, server.name))
        if not mcp_servers:
            return built_in, []
    from_servers, problems = await servers.tools(run.assistant.id, mcp_servers)
    if notebook is not None:
        from_servers = {name: tool for name, tool in from_servers.items() if _is_in_notebook(tool, notebook)}
    if only := run.state.tools:
        from_servers = {name: tool for name, tool in from_servers.items() if name in only}
        missing = [name for name in only if "__" in name and name not in from_servers]
        problems += [
            Problem(name.partition("__")[0], WARNING_CODE_TOOL_MISSING, f"There is no tool {name}.", name)
            for name in missing
        ]
    if allowed:
        from_servers = {name: tool for name, tool in from_servers.items() if _matches(name, allowed)}
    return built_in | from_servers | (caller_tools(run) if notebook is None else {}), problems


def _is_in_notebook(tool: Tool, notebook: RunNotebook) -> bool:
    """Returns whether runs in a notebook have a tool."""
    if tool.needs_notebook_permission:
        return _matches(tool.name, notebook.tools)
    return tool.of_sources or not tool.untrusted


def _may_name(patterns: Sequence[str], server: str) -> bool:
    """Returns whether one of these patterns may be a tool's of an MCP server."""
    start = f"{server}__"
    return any(
        pattern.startswith(start) or (pattern.endswith("*") and start.startswith(pattern[:-1])) for pattern in patterns
    )


def _matches(name: str, patterns: Sequence[str]) -> bool:
    """Returns whether a name is one of these, or has the beginning of one that ends with `*`."""
    return any(name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern for pattern in patterns)


def _without_data(run: RunRecord) -> Set[str]:
    """Returns the tools that would find nothing: no knowledge or memories exist, or the run does not use memory."""
    knowledge = frozenset() if run.has_knowledge else frozenset({SEARCH_KNOWLEDGE})
    if not (run.is_root and run.memory.is_on):
        return knowledge | MEMORY_TOOLS
    return knowledge if run.memory.has_any else knowledge | (MEMORY_TOOLS - {REMEMBER})


def _of_leader(run: RunRecord, built_in: Mapping[str, Tool]) -> dict[str, Tool]:
    """Returns the tools of a team's leader: without those for its members' work."""
    kept = {*run.tool_names, *(TODO_TOOLS if run.auto_run else ()), ASK_USER}
    tools = {name: tool for name, tool in built_in.items() if name in kept}
    return tools | {DELEGATE: delegation_tool(run.assistant.members, run.assistant.settings.mode)}


def choose_built_in(
    registry: Registry, names: Sequence[str], *, plans: bool, has_goal: bool, may_ask: bool, may_delegate: bool
) -> dict[str, Tool]:
    """Returns the tools of a run by name, without those of MCP servers.

    Args:
        registry: The built-in tools.
        names: The tools that the assistant lists.
        plans: Whether the run is autonomous or a sub-agent.
        has_goal: Whether it is autonomous: it then has the tool to finish its goal, even if not listed.
        may_ask: Whether it may ask clarifying questions.
        may_delegate: Whether it may start sub-agents.
    """
    control = control_tools(may_ask=may_ask, may_delegate=may_delegate)
    goal = [FINISH_GOAL] if names and has_goal else []
    offered = {**registry.choose([*names, *goal]), **control}
    for_planning = {*TODO_TOOLS, *control}

    selected: dict[str, Tool] = {}
    for name, tool in offered.items():
        if tool.name == FINISH_GOAL:
            is_selected = has_goal
        else:
            is_selected = tool.name in names if names else plans or tool.name not in for_planning
        if is_selected or tool.executor == "person":
            selected[name] = tool
    return selected
