"""Steps in one line: for the prompt that has no room for them, and for later runs of the session."""

from collections.abc import Collection, Mapping, Sequence

from echomind_agent.shortening import one_line
from echomind_agent.sources import parse, without_sources
from echomind_agent.tools.registry import Tool, parameters_record
from echomind_lib.llms import ToolCall

_ARGUMENTS_LENGTH = 120
_RESULT_LENGTH = 160
_TEXT_LENGTH = 200


def digest(action: str, calls: Sequence[ToolCall], results: Sequence[str], text: str = "") -> str:
    """A step in one line: what was called and what came of it.

    Args:
        action: What the step did (`StepAction`); stands for it when it called nothing and said nothing.
        calls: Its calls.
        results: What the model was told of each, in the same order.
        text: What the model said; taken when it called nothing.
    """
    if not calls:
        return f"said: {one_line(text, _TEXT_LENGTH)}" if text.strip() else action
    room = max(1, len(calls))
    return "; ".join(_call(call, result, room) for call, result in zip(calls, results, strict=True))


def _call(call: ToolCall, result: str, calls: int) -> str:
    length = max(40, _ARGUMENTS_LENGTH // calls)
    given = ", ".join(f"{key}: {value}" for key, value in parameters_record(call.arguments).items())
    return f"{call.name}({one_line(given, length)}) → {_outcome(result, max(40, _RESULT_LENGTH // calls))}"


def _outcome(result: str, length: int) -> str:
    numbers = [source.number for source in parse(result)]
    rest = one_line(without_sources(result), length)
    if not numbers:
        return rest or "nothing"
    sources = f"sources {', '.join(f'[{number}]' for number in numbers)}"
    return f"{sources}; {rest}" if rest else sources


def is_important(tools: Mapping[str, Tool], calls: Sequence[ToolCall], side_effects: Collection[str] = ()) -> bool:
    """Whether later runs of the session should know of a step.

    It is so when the step changed something outside, asked a person, started a run below this one, or completed a todo.

    Args:
        tools: The run's tools.
        calls: The step's calls.
        side_effects: Ids of those calls that changed something outside.
    """
    return any(
        call.id in side_effects
        or ((tool := tools.get(call.name)) is not None and tool.executor != "worker")
        or _completes_todo(call)
        for call in calls
    )


def _completes_todo(call: ToolCall) -> bool:
    return "todo" in call.name and '"completed"' in call.arguments
