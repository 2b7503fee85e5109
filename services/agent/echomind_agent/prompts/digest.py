"""One-line digests of steps, for prompts in which they do not fit, and for later runs of the session."""

from collections.abc import Sequence

from echomind_agent.evidence.sources import numbers_and_rest
from echomind_agent.text.shortening import one_line
from echomind_agent.toolset.registry import parameters_record
from echomind_lib.llms import ToolCall

_ARGUMENTS_LENGTH = 120
_RESULT_LENGTH = 160
_TEXT_LENGTH = 200


def digest(action: str, calls: Sequence[ToolCall], results: Sequence[str], text: str = "") -> str:
    """Returns a one-line digest of a step: its calls and their results.

    Args:
        action: Action of the step (`StepAction`); used if it has neither calls nor text.
        calls: Its calls.
        results: The reply to each, in the same order.
        text: Text of the model; used if it has no calls.
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
    numbers, text = numbers_and_rest(result)
    rest = one_line(text, length)
    if not numbers:
        return rest or "nothing"
    sources = f"sources {', '.join(f'[{number}]' for number in numbers)}"
    return f"{sources}; {rest}" if rest else sources
