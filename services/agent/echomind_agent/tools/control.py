"""Tools that the run loop executes itself: asking a person, and choosing what to wait for."""
# ruff: noqa: ARG001 - their functions only say what the model may give

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from echomind_agent.tools.sub_agents import spawn_sub_agent
from echomind_agent.toolset.registry import Tool, ToolContext, ToolError, tool
from echomind_lib.db.words import WaitStrategy
from echomind_lib.llms import ToolCall

ASK_USER = "ask_user"
IN_PARALLEL = "call_in_parallel"


@tool(progress=lambda given: f"Asking: {given.question[:200]}", executor="person")
async def ask_user(
    context: ToolContext,
    question: Annotated[str, Field(min_length=1, max_length=2000, description="The question, for the person.")],
    options: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=200)]],
        Field(max_length=10, description="Answers to choose from; the person may still answer otherwise."),
    ] = [],  # noqa: B006 - Pydantic copies it
) -> str:
    """Asks the person a question and waits for the answer, however long it takes.

    Use it only when the request cannot be understood or carried out without the answer, and ask everything at once.
    """
    raise ToolError("Asking a person is not possible here.")


class ParallelCall(BaseModel):
    """One of the calls of `call_in_parallel`."""

    model_config = ConfigDict(extra="forbid")

    tool: Annotated[str, Field(min_length=1, max_length=64, description="Name of the tool.")]
    arguments: Annotated[dict[str, Any], Field(description="Its arguments.")] = {}


@tool(progress=lambda given: f"Calling {len(given.calls)} tools")
async def call_in_parallel(
    context: ToolContext,
    calls: Annotated[list[ParallelCall], Field(min_length=2, max_length=16, description="The calls.")],
    wait_for: Annotated[
        Literal["all", "any", "majority"],
        Field(
            description="all: every result; any: the first that succeeds; majority: more than half. The others are "
            "cancelled."
        ),
    ] = "all",
) -> str:
    """Calls several other tools at the same time and waits for as many results as are needed.

    Use it when not all results are needed, for example for the same question to several places of which the first
    answer is enough. Must be the only call in an answer.
    """
    raise ToolError("Calling in parallel is not possible here.")


def control_tools(*, may_ask: bool, may_delegate: bool) -> dict[str, Tool]:
    """Returns those of these tools that a run may use, by name."""
    found = [call_in_parallel]
    if may_ask:
        found.append(ask_user)
    if may_delegate:
        found.append(spawn_sub_agent)
    return {tool.name: tool for tool in found}


def expand(tool: Tool, call: ToolCall) -> tuple[list[ToolCall], WaitStrategy]:
    """Returns the calls inside a `call_in_parallel`, with ids derived from its own, and the wait strategy.

    Raises:
        ToolError: Its arguments are not valid.
    """
    given = tool.parse(call.arguments)
    inner = [
        ToolCall(f"{call.id}.{number}", item.tool, msgspec.json.encode(item.arguments).decode())
        for number, item in enumerate(given.calls, 1)
    ]
    return inner, given.wait_for


def parallel_reply(calls: Sequence[tuple[str, str]]) -> str:
    """Returns the reply to a `call_in_parallel`, from the names and replies of the calls inside it."""
    return "\n\n".join(f"{number}. {name}:\n{text}" for number, (name, text) in enumerate(calls, 1))
