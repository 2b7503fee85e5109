"""The sections of a system message: named parts, never shortened or with a budget.

A budget is a share of the room: the tokens of the model's window without the question and the sections that are never
shortened. So a good part of the room is always left for the conversation and the run's steps.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from echomind_agent.text.delimiting import Tag, delimited, harmless
from echomind_agent.text.shortening import shorten
from echomind_lib.llms.tokens import TokenCounter

HISTORY_SHARE: Final = 2
"""Earlier turns, which are separate messages, may use this fraction (1/n) of the room."""
EARLIER_STEPS_SHARE: Final = 8
"""The lines about excluded steps, after the question, may use this fraction (1/n) of the room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """A section that is never shortened: instructions by administrators or EchoMind itself."""

    name: str
    text: str

    def render(self) -> str:
        """Returns the text for the prompt; empty to omit the section."""
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """A section of material by others: delimited, and shortened to its budget."""

    name: Tag
    title: str
    """The line above the tags."""
    text: str
    share: int
    """It may use this fraction (1/n) of the room."""

    def render(self, room: int, count: TokenCounter) -> str:
        """Returns the text for the prompt; empty to omit the section."""
        if not self.text:
            return ""
        return f"{self.title}\n{delimited(self.name, shorten(harmless(self.text), room // self.share, count))}"


def joined(texts: Iterable[str]) -> str:
    """Returns non-empty sections as one text."""
    return "\n\n".join(filter(None, texts))
