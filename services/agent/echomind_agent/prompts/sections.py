"""The sections of a system message: named parts, each whole or with a budget.

A budget is a share of the room: the tokens that the model's window leaves beside the question and the sections that are
always whole. So whatever is long, at least a good part of the room is left for the conversation and the run's steps.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from echomind_agent.text.delimiting import Tag, delimited, harmless
from echomind_agent.text.shortening import shorten
from echomind_lib.llms.tokens import TokenCounter

HISTORY_SHARE: Final = 2
"""Earlier turns, which are messages of their own, may take one part in so many of the room."""
EARLIER_STEPS_SHARE: Final = 8
"""The lines on excluded steps, behind the question, may take one part in so many of the room."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """A section that is always whole: what administrators or EchoMind itself tell the model."""

    name: str
    text: str

    def render(self) -> str:
        """Returns what stands in the prompt; empty to leave the section out."""
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """A section made of what others wrote: it is delimited, and shortened to its budget."""

    name: Tag
    title: str
    """The line above the tags."""
    text: str
    share: int
    """It may take one part in so many of the room."""

    def render(self, room: int, count: TokenCounter) -> str:
        """Returns what stands in the prompt; empty to leave the section out."""
        if not self.text:
            return ""
        return f"{self.title}\n{delimited(self.name, shorten(harmless(self.text), room // self.share, count))}"


def joined(texts: Iterable[str]) -> str:
    """Returns sections that have a text, as one text."""
    return "\n\n".join(filter(None, texts))
