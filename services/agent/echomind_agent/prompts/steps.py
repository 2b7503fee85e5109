"""The steps of a run in its prompt: in full, or excluded and replaced by one line each."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import msgspec

from echomind_agent.prompts.sections import EARLIER_STEPS_SHARE
from echomind_agent.text.delimiting import delimited
from echomind_agent.text.shortening import shorten
from echomind_lib.llms import Message
from echomind_lib.llms.tokens import MESSAGE_OVERHEAD_TOKENS, TokenCounter, tokens_of_message


def message_tokens(message: Message, count: TokenCounter) -> int:
    """Returns the tokens of a message, including the state that the provider requires back."""
    # Signed reasoning is sent back together with the text and calls that it contains.
    tokens = tokens_of_message(message, count)
    return max(tokens, MESSAGE_OVERHEAD_TOKENS + count(message.provider_state)) if message.provider_state else tokens


@dataclass(slots=True, kw_only=True)
class PromptStep:
    """One step."""

    number: int
    messages: list[Message]
    """The model's output, and the messages after it."""
    tokens: int
    line: str
    """The line that replaces it if it is excluded."""
    is_important: bool
    """Whether to mention it to later runs."""
    is_recorded: bool
    """Whether a later step has recorded the messages, so that they are final."""
    is_excluded: bool = False


class PromptSteps:
    """The steps in order."""

    def __init__(self, count: TokenCounter) -> None:
        self._count = count
        self._steps: list[PromptStep] = []
        self.earlier = ""
        """The lines after the question for the excluded steps."""

    @property
    def all(self) -> Sequence[PromptStep]:
        """Returns all steps, including excluded ones."""
        return self._steps

    @property
    def included(self) -> list[PromptStep]:
        """Returns the steps that are not excluded."""
        return [step for step in self._steps if not step.is_excluded]

    @property
    def newest(self) -> PromptStep | None:
        """Returns the last step, excluded or not."""
        return self._steps[-1] if self._steps else None

    @property
    def tokens(self) -> int:
        """Returns the tokens of all steps in the prompt."""
        tokens = self._count(f"\n\n{self.earlier}") if self.earlier else 0
        for step in self._steps:
            if not step.is_excluded:
                tokens += step.tokens
        return tokens

    def add(self, step: PromptStep) -> None:
        """Adds a step at the end."""
        self._steps.append(step)

    def add_message(self, step: PromptStep, message: Message) -> None:
        """Adds a message after a step."""
        step.messages.append(message)
        step.tokens += message_tokens(message, self._count)

    def exclude(self, numbers: Collection[int], room: int) -> None:
        """Excludes steps; unknown numbers are ignored.

        Args:
            numbers: The steps' numbers.
            room: Tokens available besides instructions and question.
        """
        for step in self._steps:
            if step.number in numbers:
                step.is_excluded = True
        self.earlier = self._lines(room // EARLIER_STEPS_SHARE)

    def _lines(self, budget: int) -> str:
        """Returns one line per excluded step; the newest ones that fit into the budget."""
        out = [step for step in self._steps if step.is_excluded]
        lines: list[str] = []
        for step in reversed(out):
            line = f"Step {step.number}: {step.line}"
            budget -= self._count(line) + 1
            if budget < 0:
                break
            lines.insert(0, line)
        if hidden := len(out) - len(lines):
            lines.insert(0, f"{hidden} steps, the last of them step {out[hidden - 1].number}, are left out.")
        return delimited("earlier_steps", "\n".join(lines)) if out else ""

    def shorten_newest(self, room: int) -> None:
        """Shortens the results of the newest step, unless they are recorded, so that it fits into `room` tokens."""
        step = self.newest
        if step is None or step.is_recorded or step.is_excluded:
            return
        output, *results = step.messages
        sizes = [self._count(message.content) for message in results]
        limit = _level(sizes, room - (step.tokens - sum(sizes)))
        results = [
            msgspec.structs.replace(message, content=shorten(message.content, limit, self._count))
            for message in results
        ]
        step.messages = [output, *results]
        step.tokens = sum(message_tokens(message, self._count) for message in step.messages)


def _level(sizes: list[int], room: int) -> int:
    """Returns the maximum size of each so that all fit into `room`; unused parts of small ones go to others."""
    level = 0
    for shorter, size in enumerate(sorted(sizes)):
        level = max(0, room) // (len(sizes) - shorter)
        if size > level:
            break
        room -= size
    return level
