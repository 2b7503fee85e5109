"""The prompt that a step sent, rebuilt from the steps of its run.

A prompt is a base (system message, earlier turns, the question) and, for each earlier step of the run, the model's
output and the messages after it (tool results, reminders). The run's first step stores the base as its `llm_input`;
each later step stores the messages after the previous step's output. `input_data` stores what the prompt omitted.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import asyncpg
import msgspec
from sqlalchemy import Integer, bindparam, or_, select

from echomind_lib.db.models.runs import Step
from echomind_lib.db.statements import Query
from echomind_lib.llms import Message, ToolCall


class StepOutput(msgspec.Struct):
    """The model's output in a step, as stored in `steps.llm_output`."""

    text: str = ""
    tool_calls: list[ToolCall] = []
    finish_reason: str = ""
    provider_state: str = ""

    def message(self) -> Message:
        """Returns it as a message of the prompts that follow."""
        return Message("assistant", self.text, self.tool_calls, provider_state=self.provider_state)


def read_output(stored: dict[str, Any] | None) -> StepOutput:
    """Returns the stored output of a step; an empty one for a step that called no model."""
    return msgspec.convert(stored or {}, StepOutput)


class Omissions(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """What a step's prompt omitted, as stored in `steps.input_data`."""

    messages: int = 0
    """Earlier messages."""
    summarized_messages: int = 0
    """Earlier messages that the prompt contains as a summary only."""
    steps: tuple[int, ...] = ()
    """Excluded steps of the run."""
    earlier_steps: str = ""
    """The lines about excluded steps, placed after the question."""

    def stored(self) -> dict[str, Any] | None:
        """Returns `steps.input_data`; None if nothing was omitted."""
        return msgspec.to_builtins(self) or None


def read_omissions(stored: Mapping[str, Any] | None) -> Omissions:
    """Returns the omissions of a prompt from `steps.input_data`."""
    return msgspec.convert(stored or {}, Omissions)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPromptRow:
    """The columns of a step about its prompt."""

    step_number: int
    llm_input: list[dict[str, Any]] | None
    llm_output: dict[str, Any] | None
    input_data: dict[str, Any] | None


_LAST_STEP = bindparam("last_step", type_=Integer)
_STEPS = Query(
    select(Step.step_number, Step.llm_input, Step.llm_output, Step.input_data)
    .where(Step.run_id == bindparam("run_id"), or_(_LAST_STEP.is_(None), Step.step_number <= _LAST_STEP))
    .order_by(Step.step_number),
    StepPromptRow,
)


@dataclass(slots=True)
class RecordedPrompt:
    """The recorded prompts of a run's steps."""

    base: list[Message] = field(default_factory=list)
    """Instructions, earlier turns and, last, the question; empty if no step has called the model."""
    base_omissions: Omissions = field(default_factory=Omissions)
    """What the first prompt omitted."""
    omissions: Omissions = field(default_factory=Omissions)
    """What the last of the prompts omitted."""
    outputs: dict[int, Message] = field(default_factory=dict)
    """The model's outputs, by step."""
    followed: dict[int, list[Message]] = field(default_factory=dict)
    """The messages after each output, by step; those of the last step are not known yet."""

    def messages(self) -> list[Message]:
        """Returns the last prompt in full."""
        return assemble(
            without_oldest(self.base, self.omissions.messages - self.base_omissions.messages),
            [(number, [self.outputs[number], *messages]) for number, messages in self.followed.items()],
            self.omissions,
        )


async def read_recorded(pool: asyncpg.Pool, run_id: UUID, last_step: int | None = None) -> RecordedPrompt:
    """Reads the recorded prompts of a run's steps, up to `last_step` (None: all)."""
    return recorded_of(await _STEPS.fetch_all(pool, run_id=run_id, last_step=last_step))


def recorded_of(rows: Iterable[StepPromptRow]) -> RecordedPrompt:
    """Returns the recorded prompts from the rows of a run's steps, in order."""
    recorded = RecordedPrompt()
    before: int | None = None
    for row in rows:
        messages = msgspec.convert(row.llm_input or [], list[Message])
        recorded.omissions = read_omissions(row.input_data)
        if not recorded.base:
            if not messages:
                continue  # the step called no model
            recorded.base, recorded.base_omissions = messages, recorded.omissions
        elif before is not None:
            recorded.followed[before] = messages
        before = row.step_number
        recorded.outputs[row.step_number] = read_output(row.llm_output).message()
    return recorded


async def read_prompt(pool: asyncpg.Pool, run_id: UUID, step_number: int) -> tuple[list[Message], Omissions] | None:
    """Reads the full prompt that a step sent to the model, and its omissions.

    Returns:
        The messages as they were sent (none for a step that called no model) and the omissions; None if the run has no
        such step.
    """
    rows = await _STEPS.fetch_all(pool, run_id=run_id, last_step=step_number)
    if not rows or rows[-1].step_number != step_number:
        return None
    recorded = recorded_of(rows)
    if not rows[-1].llm_input:
        return [], recorded.omissions
    return recorded.messages(), recorded.omissions


def assemble(
    base: Sequence[Message], steps: Iterable[tuple[int, Sequence[Message]]], omissions: Omissions
) -> list[Message]:
    """Returns a prompt: the base, with the lines about excluded steps after the question, then the other steps."""
    *before, question = base
    if omissions.earlier_steps:
        question = msgspec.structs.replace(question, content=f"{question.content}\n\n{omissions.earlier_steps}")
    left_out = frozenset(omissions.steps)
    return [*before, question, *(message for number, step in steps if number not in left_out for message in step)]


def without_oldest(base: Sequence[Message], count: int) -> list[Message]:
    """Returns a base without the oldest `count` messages of earlier turns, which follow the instructions."""
    return [*base[:1], *base[1 + count :]]
