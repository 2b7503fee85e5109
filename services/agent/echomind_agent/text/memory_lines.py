"""Memories as lines for the model."""

from typing import Final

from echomind_agent.text.shortening import one_line
from echomind_lib.learned.memories import Memory

_MEMORY_CHARACTERS: Final = 600


def memory_line(memory: Memory) -> str:
    """Returns a memory as a line for the model: its id (for the tool `forget`), its date, and its text."""
    date = memory.creation_date.strftime("%d %B %Y").lstrip("0")
    source = ", not from the person" if memory.trust == "derived" else ""
    return f"- [{memory.id}] ({date}{source}) {one_line(memory.content, _MEMORY_CHARACTERS)}"
