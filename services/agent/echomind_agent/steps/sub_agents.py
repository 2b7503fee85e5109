"""The setup of a sub-agent: that of its parent, or an assistant, a model and tools chosen by its parent's model.

Names are looked up with the user's rights when the sub-agent is started, so removed items and items that they may not
use are not found. A sub-agent whose assistant has members leads that team, unless the team is among its ancestors
already; a sub-agent with its parent's setup works alone, even if its parent leads a team.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final

from echomind_agent.state.budget import OwnLimits
from echomind_agent.state.call import Call
from echomind_agent.state.run import RunState
from echomind_agent.tools.control import control_tools
from echomind_agent.tools.sub_agents import unknown_name
from echomind_agent.tools.todos import FINISH_GOAL
from echomind_agent.toolset.registry import ToolError
from echomind_lib.access import assistant_choice
from echomind_lib.access.assistant_choice import NamedAssistant
from echomind_lib.assistants.assistant_settings import AssistantSettings, read_settings
from echomind_lib.assistants.teams import MAX_DEPTH
from echomind_lib.runs.sub_runs import assistants_above

_CONTROL: Final = frozenset(control_tools(may_ask=False, may_delegate=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class SubAgentSetup:
    """The setup of a sub-agent."""

    assistant_id: int
    assistant_version: int | None
    """None for the newest version at its start."""
    name: str
    """The name of its assistant, for display."""
    llm_id: int | None
    """The model to use; None for its assistant's."""
    tools: Sequence[str]
    """The only tools that it has; empty for all of its assistant's."""
    limits: OwnLimits
    leads: bool = False
    """Whether it leads the team of its assistant."""


async def set_up(state: RunState, call: Call) -> SubAgentSetup:
    """Returns the setup of a call's sub-agent.

    Raises:
        ToolError: The person may not use the assistant or the model, or the assistant does not have the tools.
    """
    run, given, pool = state.run, call.given, state.log.pool
    if not given.assistant.strip():
        known = run.tool_names or _usual_tools(state)
        tools = _checked_tools(given.tools, state, run.assistant.settings, known) or list(run.state.tools)
        return SubAgentSetup(
            assistant_id=run.assistant.id,
            assistant_version=run.assistant_version,
            name=run.assistant.name,
            llm_id=await _model(state, given.model) or run.requested_llm_id,
            tools=tools,
            limits=OwnLimits(steps=given.max_steps or 0),
        )
    found = await assistant_choice.find_assistant(pool, run.user_id, given.assistant.strip(), run.session.limits)
    if found is None:
        offer = await assistant_choice.read_offer(pool, run.user_id, run.assistant.id, run.session.limits)
        raise unknown_name("assistant", given.assistant, [each.name for each in offer.assistants])
    if found.is_team:
        await _check_team(state, found)
    settings = read_settings(found.config)
    # A team's leader has only the tools that its settings name.
    known = settings.tools or ([] if found.is_team else _usual_tools(state))
    return SubAgentSetup(
        assistant_id=found.id,
        assistant_version=None,
        name=found.name,
        # An assistant without a model uses the one that the person has chosen.
        llm_id=await _model(state, given.model) or found.llm_id or run.requested_llm_id,
        tools=_checked_tools(given.tools, state, settings, known),
        limits=_limits(given, settings),
        leads=found.is_team,
    )


async def _check_team(state: RunState, team: NamedAssistant) -> None:
    """Raises `ToolError` unless a team may work as a sub-agent of a run."""
    if state.run.depth + 1 >= MAX_DEPTH:
        raise ToolError(
            f"{team.name} leads a team, and its members would be deeper than the {MAX_DEPTH} levels that runs may be "
            "nested. Give another assistant, or leave it out."
        )
    if team.id in await assistants_above(state.log.pool, state.run.id):
        raise ToolError(
            f"You are working for {team.name} already: its team cannot work below itself. Give another assistant, or "
            "leave it out."
        )


def _limits(given: Any, settings: AssistantSettings) -> OwnLimits:
    """Returns the limits of another assistant; its parent's model may lower the steps."""
    limits = [steps for steps in (given.max_steps, settings.max_steps) if steps]
    return OwnLimits(
        steps=min(limits, default=0),
        seconds=settings.timeout_seconds,
        tokens=settings.max_run_tokens,
        cost=settings.max_cost,
    )


async def _model(state: RunState, name: str) -> int | None:
    """Returns the id of a chat model by name; None for no name."""
    if not name.strip():
        return None
    found = await assistant_choice.find_llm(state.log.pool, name.strip())
    if found is None:
        run = state.run
        offer = await assistant_choice.read_offer(state.log.pool, run.user_id, run.assistant.id, run.session.limits)
        raise unknown_name("model", name, offer.models)
    return found


def _usual_tools(state: RunState) -> Collection[str]:
    """Returns the names of the built-in tools of a sub-agent whose assistant lists none."""
    assert state.context is not None  # calls follow a prompt
    return {*state.context.built_in, *_CONTROL}


def _checked_tools(
    named: Sequence[str], state: RunState, settings: AssistantSettings, built_in: Collection[str]
) -> list[str]:
    """Returns the requested tools, each once; they must be tools of the sub-agent's assistant.

    Args:
        named: Tools requested by the parent's model; empty for all.
        state: The parent.
        settings: The assistant's settings.
        built_in: Names of the built-in tools that it has.
    """
    known = {*built_in} - {FINISH_GOAL}
    servers = () if state.run.state.tools else {server.name for server in settings.mcp_servers}
    for name in named:
        server, separator, _ = name.partition("__")
        if name not in known and not (separator and server in servers):
            raise unknown_name("tool", name, sorted(known))
    return list(dict.fromkeys(named))
