"""The beginning of a run's prompt: the system message, earlier turns, and the question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg

from echomind_agent.prompts import history
from echomind_agent.prompts.background import background_sections
from echomind_agent.prompts.caller import caller_history, with_results
from echomind_agent.prompts.history import History
from echomind_agent.prompts.instructions import instruction_sections
from echomind_agent.prompts.sections import joined
from echomind_lib.llms import Message
from echomind_lib.llms.anthropic import DEFAULT_MAX_TOKENS
from echomind_lib.llms.record import LlmRecord
from echomind_lib.llms.tokens import TokenCounter, count_message_tokens
from echomind_lib.runs.record import RunRecord

DEFAULT_CONTEXT_TOKENS: Final = 16_384
"""Default context window of a model."""
_DEFAULT_ANSWER_TOKENS = 2_048
_LEAST_TEXT = " " * 1024


class QuestionTooLongError(Exception):
    """The question alone does not fit into the model's window. The message contains its length and the limit."""


@dataclass(slots=True, kw_only=True)
class PromptBase:
    """The messages before a run's first step, and their omissions."""

    messages: list[Message]
    """The system message, earlier turns, and last the question."""
    omitted: int = 0
    """Number of omitted earlier messages."""
    summarized: int = 0
    """Number of earlier messages that the prompt contains as a summary only."""
    unsummarized_tokens: int = 0
    """Tokens of the session's messages that are neither in the prompt nor in its summary."""


def least_room(count: TokenCounter) -> int:
    """Returns the minimum tokens besides instructions and question: 256 by the plain estimate."""
    return count(_LEAST_TEXT)


def prompt_room(model: LlmRecord | None, tool_tokens: int) -> int:
    """Returns the maximum tokens of a prompt: the window without the answer and the tools' descriptions."""
    window = (model.context_tokens if model else None) or DEFAULT_CONTEXT_TOKENS
    return window - answer_room(model) - tool_tokens


def answer_room(model: LlmRecord | None) -> int:
    """Returns the tokens that are kept for an answer: the model's maximum, or the usual one of its provider."""
    window = (model.context_tokens if model else None) or DEFAULT_CONTEXT_TOKENS
    usual = DEFAULT_MAX_TOKENS if model and model.provider == "anthropic" else _DEFAULT_ANSWER_TOKENS
    return min((model.max_tokens if model else None) or usual, window // 2)


async def new_base(
    pool: asyncpg.Pool, run: RunRecord, room: int, count: TokenCounter, memories: Sequence[str] = ()
) -> PromptBase:
    """Returns the base of a new run's prompt; some earlier turns may still have to be omitted.

    Args:
        pool: The database.
        run: The run.
        room: Maximum tokens of the prompt.
        count: Counts tokens.
        memories: Memories of the user, one line each.

    Raises:
        QuestionTooLongError: The question alone does not fit.
    """
    caller = run.caller
    given = caller.messages if caller else None
    earlier = await history.read(pool, run) if given is None else caller_history(given)
    earlier.memories = list(memories)
    return compose(run, earlier, room, count)


def compose(run: RunRecord, earlier: History, room: int, count: TokenCounter) -> PromptBase:
    """Returns the base from a given history."""
    question = Message("user", run.input)
    instructions = joined(section.render() for section in instruction_sections(run, earlier))
    left = room - count_message_tokens([Message("system", instructions), question], count)
    if left < (least := least_room(count)):
        asked = count(question.content)
        raise QuestionTooLongError(
            f"The question has about {asked} tokens; with the instructions and tools, this model has room "
            f"for {max(0, asked + left - least)}."
        )
    background = joined(section.render(left, count) for section in background_sections(run, earlier))
    question.content = with_results(run, run.input, left // 2, count)
    return PromptBase(
        messages=[Message("system", joined([instructions, background])), *earlier.messages, question],
        omitted=earlier.omitted,
        summarized=earlier.summarized,
        unsummarized_tokens=earlier.unsummarized_tokens,
    )
