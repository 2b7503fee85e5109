"""Sentences of a text by offsets, for citing and quoting."""

import re
from typing import NamedTuple

# A sentence ends at a line's end, at .!? with what closes it and a space behind, or at the marks of Chinese and
# Japanese, which need no space. Citations behind the mark belong to the sentence.
_MARKERS = r"(?:\s?\[\d+(?:\s*,\s*\d+)*\])*"
_END = re.compile(rf"(?:[.!?…]+[\"'”’»)\]]*{_MARKERS}(?=\s|$)|[。！？]+[”’」』）]*{_MARKERS}|\n+)")
# What ends with a full stop and is no sentence's end.
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|e\.g|i\.e|etc|cf|vs|approx|no|nos|vol|fig|sec|dr|mr|mrs|ms|prof|st|jr|sr|inc|ltd|z\.B|bzw|ca|Nr|d\.h|usw)"
    r"|\b\d{1,2})\.$",
    re.IGNORECASE,
)


class Span(NamedTuple):
    """A part of a text: code points, the end exclusive."""

    start: int
    end: int


def sentences(text: str) -> list[Span]:
    """The sentences of a text in order, without the white space around them; empty ones are left out."""
    spans = []
    begin = 0
    for match in _END.finditer(text):
        if match[0].startswith(".") and _ABBREVIATION.search(text, begin, match.start() + 1):
            continue
        spans.append(_trim(text, begin, match.end()))
        begin = match.end()
    spans.append(_trim(text, begin, len(text)))
    return [span for span in spans if span.start < span.end]


def _trim(text: str, start: int, end: int) -> Span:
    part = text[start:end]
    return Span(start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip()))
