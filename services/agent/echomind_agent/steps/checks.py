"""Checks a model's tool calls before they are recorded: arguments, side effects, approval."""

from collections.abc import Collection, Mapping, Sequence

from echomind_agent.state.call import Call
from echomind_agent.tools.control import IN_PARALLEL
from echomind_agent.toolset.registry import MAX_DEPTH, Tool, ToolContext, ToolError, read_parameters
from echomind_lib.llms import ToolCall

_MAX_CALLS = 100
"""Maximum number of calls in one answer, as a protection against runaway models."""


def checked_calls(
    requested: Sequence[ToolCall],
    tools: Mapping[str, Tool],
    context: ToolContext | None,
    approval_tools: Collection[str],
    *,
    untrusted: bool,
) -> list[Call]:
    """Returns the calls of a step.

    Args:
        requested: The calls requested by the model.
        tools: The run's tools.
        context: The context of the calls; None if no requested tool judges by it.
        approval_tools: Names of the tools that need a person's approval.
        untrusted: Whether the run has read untrusted text.
    """
    calls = [Call(request, tools.get(request.name)) for request in requested]
    for index, call in enumerate(calls):
        if index >= _MAX_CALLS:
            call.problem = f"One answer may make {_MAX_CALLS} calls at most. Make this one in the next."
        else:
            _check(call, context)
        if call.tool is not None and not call.problem:
            _hold_back(call, call.tool, approval_tools, untrusted=untrusted)
    return calls


def _check(call: Call, context: ToolContext | None) -> None:
    name, tool = call.request.name, call.tool
    if tool is None:
        call.problem = f"There is no tool {name}."
        return
    if name == IN_PARALLEL:
        call.problem = f"{IN_PARALLEL} must be the only call in an answer, and cannot call itself."
        return
    try:
        call.given = tool.parse(call.request.arguments)
    except ToolError as error:
        call.problem = str(error)
        return
    if read_parameters(call.request.arguments) is None:
        call.problem = f"The arguments of {name} have more than {MAX_DEPTH} levels, or too large a number."
        return
    if callable(tool.side_effect):
        assert context is not None
        call.side_effect = tool.has_side_effect(context, call.given)
    else:
        call.side_effect = tool.side_effect


def _hold_back(call: Call, tool: Tool, approval_tools: Collection[str], *, untrusted: bool) -> None:
    """Decides whether the call waits for approval, or its start is recorded by a separate write."""
    is_way_out = call.side_effect or tool.sends_data_out
    if (is_way_out and untrusted) or call.request.name in approval_tools:
        call.approval = "required"
    if call.approval or call.side_effect or tool.executor != "worker":
        call.status = "pending"
