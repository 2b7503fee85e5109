"""Runs and their steps."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec

from echomind_lib.llms.types import Message
from echomind_lib.models import public
from echomind_lib.runs.prompts import Omissions, read_omissions


def to_model(row: Any, *, own: bool = True, detailed: bool = False) -> public.Run:
    """Returns the run of a row that also has `message_id`, `output` and `decisions`.

    Args:
        row: The row.
        own: Whether it is the reader's own: results of other people's runs may be from hidden documents.
        detailed: Whether the reader receives the details of its error, which may contain internal addresses.
    """
    run = public.Run.from_row(row)
    if run.error is not None and not detailed:
        run = run.model_copy(update={"error": to_error(row.error)})
    withheld: dict[str, Any] = {"output": "", "result_summary": "", "inherited_context": "", "decisions": []}
    withheld |= {"metadata": {}, "external_id": ""}
    return run if own else run.model_copy(update=withheld)


def to_error(error: dict[str, str] | None) -> public.RunError | None:
    """Returns the error of a run's column, without its detail."""
    if not error:
        return None
    retry_at = datetime.fromisoformat(error["retry_at"]) if "retry_at" in error else None
    return public.RunError(reason=error["reason"], message=error["message"], retry_at=retry_at)


def to_step(row: Any) -> public.Step:
    """Returns the step of a row that also has `output` and `tool_calls`."""
    omissions = to_omissions(read_omissions(row.input_data))
    return public.Step.from_row(row, omissions=omissions, excluded=row.discarded)


def to_omissions(omissions: Omissions) -> public.PromptOmissions | None:
    """Returns the omissions of a step's prompt; None if it is complete."""
    if omissions == Omissions():
        return None
    return public.PromptOmissions(
        messages=omissions.messages,
        summarized_messages=omissions.summarized_messages,
        steps=list(omissions.steps),
    )


def to_prompt(messages: Iterable[Message], omissions: Omissions) -> public.StepPrompt:
    """Returns the prompt of a step."""
    return public.StepPrompt(
        messages=[
            public.PromptMessage(
                role=message.role,
                content=message.content,
                tool_calls=[
                    public.RequestedToolCall(
                        tool_call_id=call.id, tool_name=call.name, parameters=_parameters(call.arguments)
                    )
                    for call in message.tool_calls
                ],
                tool_call_id=message.tool_call_id or "",
            )
            for message in messages
        ],
        omissions=to_omissions(omissions),
    )


def _parameters(arguments: str) -> dict[str, Any]:
    """Returns arguments as an object; arguments that are not an object are under the key `invalid`."""
    try:
        value = msgspec.json.decode(arguments or "{}")
    except msgspec.DecodeError:
        value = None
    return value if isinstance(value, dict) else {"invalid": arguments}
