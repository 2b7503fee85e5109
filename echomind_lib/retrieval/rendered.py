"""Sources in the form in which tools return them to models, written by the agent's `evidence.sources.render`."""

import re
from typing import Final, NamedTuple

SOURCE_BLOCK: Final = re.compile(
    r'<source number="(?P<number>\d+)" title="(?P<title>[^"]*)"(?: section="(?P<section>[^"]*)")?[^>]*>\n'
    r"(?P<text>.*?)\n</source>",
    re.DOTALL,
)
"""One source with its attributes and its text."""


class ParsedSource(NamedTuple):
    """A source parsed from a text for models."""

    number: int
    title: str
    section: str
    """Its headings, outermost first; may be empty."""
    text: str


def parse_sources(text: str) -> list[ParsedSource]:
    """Returns the sources in a text for models."""
    return [
        ParsedSource(int(block["number"]), block["title"], block["section"] or "", block["text"])
        for block in SOURCE_BLOCK.finditer(text)
    ]
