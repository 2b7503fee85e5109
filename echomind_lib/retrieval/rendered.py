"""Sources in the form in which tools return them to models, written by the agent's `evidence.sources.render`."""

import re
from typing import Final, NamedTuple

SOURCE_BLOCK: Final = re.compile(
    r'<source number="(?P<number>\d+)" title="(?P<title>[^"]*)"(?: section="(?P<section>[^"]*)")?(?P<further>[^>]*)>\n'
    r"(?P<text>.*?)\n</source>",
    re.DOTALL,
)
"""One source with its attributes and its text."""
_IN_CODE: Final = ' begins_in="code"'
_OF_GUIDE: Final = ' part_of="guide"'


class ParsedSource(NamedTuple):
    """A source parsed from a text for models."""

    number: int
    title: str
    section: str
    """Its headings, outermost first; may be empty."""
    text: str
    in_code: bool = False
    """Whether it begins inside a fenced block of code."""
    is_guide: bool = False
    """Whether it is of the guide to EchoMind."""


def parse_sources(text: str) -> list[ParsedSource]:
    """Returns the sources in a text for models."""
    return [
        ParsedSource(
            int(block["number"]),
            block["title"],
            block["section"] or "",
            block["text"],
            _IN_CODE in block["further"],
            _OF_GUIDE in block["further"],
        )
        for block in SOURCE_BLOCK.finditer(text)
    ]
