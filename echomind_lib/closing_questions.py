"""Questions that an answer suggests: the list that it closes with."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

_ITEM: Final = re.compile(r"\s{0,3}(?:[-*+•]|\d{1,2}[.)])\s+(.+)")
_MARKS: Final = re.compile(r"\[\d+\]|(?<!\w)[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?!\w)")
"""Numbers of sources, and what makes Markdown bold, italic or code."""
_ENDS: Final = ("?", "？", "؟")
_MOST: Final = 12


def closing_questions(answer: str) -> list[str]:
    """Returns the questions of the list that an answer ends with, in their order.

    Each item is one line; empty unless all of the last two or more are questions, and not too many of them.
    """
    found = list(takewhile(bool, _items(answer)))[::-1]
    return found if 2 <= len(found) <= _MOST and all(text.endswith(_ENDS) for text in found) else []


def _items(answer: str) -> Iterator[str]:
    """Yields the texts of lines that are items of a list, the last one first; of another line nothing."""
    for line in reversed(answer.splitlines()):
        if line.strip():
            item = _ITEM.fullmatch(line.rstrip())
            yield " ".join(_MARKS.sub("", item[1]).split()) if item else ""
