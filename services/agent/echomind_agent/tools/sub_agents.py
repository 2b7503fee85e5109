"""The tool that starts a sub-agent, and the assistants and models that the asker's sub-agents may use."""
# ruff: noqa: ARG001 - the function only says what the model may give

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Final

from pydantic import Field

from echomind_agent.text.delimiting import delimited
from echomind_agent.text.shortening import one_line
from echomind_agent.toolset.registry import Tool, ToolContext, ToolError, tool
from echomind_lib.access.assistant_choice import Offer, OfferedAssistant
from echomind_lib.text import NAME_CHARACTERS

SPAWN_SUB_AGENT: Final = "spawn_sub_agent"
_PURPOSE_CHARACTERS = 120
_MAX_TOOLS = 50


@tool(name=SPAWN_SUB_AGENT, progress=lambda given: f"Starting a sub-agent: {given.goal[:200]}", executor="sub_run")
async def spawn_sub_agent(
    context: ToolContext,
    goal: Annotated[
        str,
        Field(min_length=1, max_length=10_000, description="What it is to find out or do, complete in itself."),
    ],
    background: Annotated[
        str,
        Field(
            max_length=20_000,
            description="What it must know beside the goal; it gets a short form of this conversation anyway.",
        ),
    ] = "",
    assistant: Annotated[
        str,
        Field(
            max_length=NAME_CHARACTERS,
            description="Name of the assistant that it works as, with that one's instructions, model and tools. Leave "
            "it out for one like you.",
        ),
    ] = "",
    model: Annotated[
        str, Field(max_length=NAME_CHARACTERS, description="Name of its chat model. Leave it out for the usual one.")
    ] = "",
    tools: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=64)]],
        Field(max_length=_MAX_TOOLS, description="The only tools that it gets, by name. Leave it out for all."),
    ] = [],  # noqa: B006 - Pydantic copies it
    max_steps: Annotated[int | None, Field(ge=1, le=1000, description="Most steps it may take.")] = None,
) -> str:
    """Starts a sub-agent that works on a part of the task by itself, and gives its result.

    Use it for parts that are large and independent of each other; several in one answer work at the same time. It works
    like you and with your tools, unless you give it another assistant, another model or fewer tools.
    """
    raise ToolError("A sub-agent is not possible here.")


def offering(tool: Tool, offer: Offer) -> Tool:
    """Returns the tool with a description that lists the available assistants and models."""
    parts = [tool.description]
    if offer.models:
        parts[0] += f" Models: {'; '.join(offer.models)}."
    if offer.assistants:
        named = "\n".join(f"- {_named(each)}" for each in offer.assistants)
        parts.append(f"The assistants, and what each of them is there for:\n{delimited('assistants', named)}")
    return replace(tool, description="\n".join(parts))


def unknown_name(what: str, written: str, names: Sequence[str]) -> ToolError:
    """Returns the error for an unknown name, with the available names."""
    given = f"Give one of: {', '.join(names)}; or leave it out." if names else "Leave it out."
    return ToolError(f"There is no {what} {one_line(written, 100)!r} that can be given to a sub-agent. {given}")


def _named(assistant: OfferedAssistant) -> str:
    purpose = one_line(assistant.description, _PURPOSE_CHARACTERS).rstrip(".")
    name = one_line(assistant.name)
    return f"{name} ({purpose})" if purpose else name
