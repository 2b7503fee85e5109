"""What a sub-agent works as: like its parent, or with an assistant, a model and tools that its parent's model names.

Names are looked up as the person who asked, when the sub-agent is started: what they may not use, and what was removed,
is not found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from echomind_agent.state.budget import OwnLimits
from echomind_agent.state.call import Call
from echomind_agent.state.run import RunState
from echomind_agent.tools.control import control_tools
from echomind_agent.tools.sub_agents import unknown_name
from echomind_agent.tools.todos import FINISH_GOAL
from echomind_lib.access import assistant_choice
from echomind_lib.assistant_settings import AssistantSettings, read_settings

_CONTROL: Final = frozenset(control_tools(may_ask=False, may_delegate=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class SubAgentSetup:
    """What a sub-agent works as."""

    assistant_id: int
    assistant_version: int | None
    """None for the newest when it begins."""
    name: str
    """Of its assistant, for people."""
    llm_id: int | None
    """The model that it works with; None for its assistant's."""
    tools: Sequence[str]
    """The only ones that it has; empty for all of its assistant's."""
    limits: OwnLimits


async def set_up(state: RunState, call: Call) -> SubAgentSetup:
    """Returns what the sub-agent of a call works as.

    Raises:
        ToolError: The person may not use the assistant or the model, or the assistant does not have the tools.
    """
    run, given, pool = state.run, call.given, state.log.pool
    if not given.assistant.strip():
        tools = _checked_tools(given.tools, state, run.assistant.settings, run.tool_names) or list(run.state.tools)
        return SubAgentSetup(
            assistant_id=run.assistant.id,
            assistant_version=run.assistant_version,
            name=run.assistant.name,
            llm_id=await _model(state, given.model) or run.requested_llm_id,
            tools=tools,
            limits=OwnLimits(steps=given.max_steps or 0),
        )
    found = await assistant_choice.find_assistant(pool, run.user_id, given.assistant.strip())
    if found is None:
        offer = await assistant_choice.read_offer(pool, run.user_id, run.assistant.id)
        raise unknown_name("assistant", given.assistant, [one.name for one in offer.assistants])
    settings = read_settings(found.config)
    return SubAgentSetup(
        assistant_id=found.id,
        assistant_version=None,
        name=found.name,
        # Without a model of its own it works with the one that the person has chosen.
        llm_id=await _model(state, given.model) or found.llm_id or run.requested_llm_id,
        tools=_checked_tools(given.tools, state, settings, settings.tools),
        limits=_limits(given, settings),
    )


def _limits(given: Any, settings: AssistantSettings) -> OwnLimits:
    """Returns the limits of another assistant, of which its parent's model may take fewer steps."""
    most = [steps for steps in (given.max_steps, settings.max_steps) if steps]
    return OwnLimits(
        steps=min(most, default=0),
        seconds=settings.timeout_seconds,
        tokens=settings.max_run_tokens,
        cost=settings.max_cost,
    )


async def _model(state: RunState, name: str) -> int | None:
    """Returns the id of the chat model that is named; None when none is."""
    if not name.strip():
        return None
    found = await assistant_choice.find_llm(state.log.pool, name.strip())
    if found is None:
        offer = await assistant_choice.read_offer(state.log.pool, state.run.user_id, state.run.assistant.id)
        raise unknown_name("model", name, offer.models)
    return found


def _checked_tools(named: Sequence[str], state: RunState, settings: AssistantSettings, has: Sequence[str]) -> list[str]:
    """Returns tools that are named, each once; they must be among those that the sub-agent's assistant has.

    Args:
        named: By the parent's model; nothing for all.
        state: The parent.
        settings: The assistant's.
        has: Names of the built-in tools that it has; empty for the usual ones.
    """
    assert state.context is not None  # there are no calls before there is a prompt
    known = {*has} if has else {*state.context.built_in, *_CONTROL}
    known.discard(FINISH_GOAL)
    servers = () if state.run.state.tools else {server.name for server in settings.mcp_servers}
    for name in named:
        server, separator, _ = name.partition("__")
        if name not in known and not (separator and server in servers):
            raise unknown_name("tool", name, sorted(known))
    return list(dict.fromkeys(named))
