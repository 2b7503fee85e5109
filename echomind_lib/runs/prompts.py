"""The prompt that a step sent, rebuilt from what its run's steps hold.

A prompt is a base (instructions, earlier turns, the question) and, for each earlier step of the run, what the model
said and what followed it (results of its tools, what it was told). The run's first step keeps the base as its
`llm_input`; each later one keeps what followed the step before it. `input_data` says what the prompt left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from echomind_lib.llms import Message

_STEPS = """
SELECT step_number, llm_input, llm_output, input_data FROM steps
WHERE run_id = $1 AND ($2::int IS NULL OR step_number <= $2) ORDER BY step_number
"""


@dataclass(slots=True)
class RecordedPrompt:
    """What the steps of a run hold of their prompts."""

    base: list[Message] = field(default_factory=list)
    """Instructions, earlier turns and, last, the question; empty when no step has asked the model."""
    base_omissions: dict[str, Any] = field(default_factory=dict)
    """What the first prompt left out."""
    omissions: dict[str, Any] = field(default_factory=dict)
    """What the last of the prompts left out."""
    outputs: dict[int, Message] = field(default_factory=dict)
    """What the model said, by step."""
    followed: dict[int, list[Message]] = field(default_factory=dict)
    """What followed it, by step; the last step's is not known yet."""

    def messages(self) -> list[Message]:
        """The last of the prompts, whole."""
        return assemble(
            without_oldest(self.base, _messages_out(self.omissions) - _messages_out(self.base_omissions)),
            [(number, [self.outputs[number], *messages]) for number, messages in self.followed.items()],
            self.omissions,
        )


async def read_recorded(pool: asyncpg.Pool, run_id: UUID, last_step: int | None = None) -> RecordedPrompt:
    """Reads what the steps of a run hold of their prompts, up to `last_step` (None: all)."""
    return recorded_of(await pool.fetch(_STEPS, run_id, last_step))


def recorded_of(rows: Iterable[asyncpg.Record | Mapping[str, Any]]) -> RecordedPrompt:
    """The same, from rows with `step_number`, `llm_input`, `llm_output` and `input_data`, in the steps' order."""
    recorded = RecordedPrompt()
    before: int | None = None
    for row in rows:
        messages = [msgspec.convert(message, Message) for message in row["llm_input"] or ()]
        recorded.omissions = row["input_data"] or {}
        if not recorded.base:
            if not messages:
                continue  # it asked no model
            recorded.base, recorded.base_omissions = messages, recorded.omissions
        elif before is not None:
            recorded.followed[before] = messages
        before = row["step_number"]
        output: dict[str, Any] = row["llm_output"] or {}
        recorded.outputs[row["step_number"]] = msgspec.convert(
            {
                "role": "assistant",
                "content": output.get("text", ""),
                "tool_calls": output.get("tool_calls", []),
                "provider_state": output.get("provider_state", ""),
            },
            Message,
        )
    return recorded


async def read_prompt(
    pool: asyncpg.Pool, run_id: UUID, step_number: int
) -> tuple[list[Message], dict[str, Any]] | None:
    """The whole prompt that a step sent to the model, and what it left out.

    Returns:
        The messages as they were sent (none for a step that asked no model) and `steps.input_data`; None when the run
        has no such step.
    """
    rows = await pool.fetch(_STEPS, run_id, step_number)
    if not rows or rows[-1]["step_number"] != step_number:
        return None
    recorded = recorded_of(rows)
    if not rows[-1]["llm_input"]:
        return [], recorded.omissions
    return recorded.messages(), recorded.omissions


def assemble(
    base: Sequence[Message], steps: Iterable[tuple[int, Sequence[Message]]], omissions: Mapping[str, Any]
) -> list[Message]:
    """A prompt: the base, with a word on the steps that are left out behind the question, and the other steps."""
    *before, question = base
    if earlier := omissions.get("earlierSteps"):
        question = msgspec.structs.replace(question, content=f"{question.content}\n\n{earlier}")
    left_out = frozenset(omissions.get("steps") or ())
    return [*before, question, *(message for number, step in steps if number not in left_out for message in step)]


def without_oldest(base: Sequence[Message], count: int) -> list[Message]:
    """A base without the oldest `count` messages of earlier turns, which stand behind the instructions."""
    return [*base[:1], *base[1 + count :]]


def _messages_out(omissions: Mapping[str, Any]) -> int:
    return int(omissions.get("messages") or 0)
