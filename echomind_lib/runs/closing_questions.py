"""Suggested questions: the list at the end of an answer."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

_ITEM: Final = re.compile(r"\s{0,3}(?:[-*+•]|\d{1,2}[.)])\s+(.+)")
_MARKS: Final = re.compile(r"\[\d+\]|(?<!\w)[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}(?!\w)")
"""Citation numbers, and Markdown marks for bold, italic and code."""
_ENDS: Final = ("?", "？", "؟")
_LIMIT: Final = 12


def closing_questions(answer: str) -> list[str]:
    """Returns the questions in the list at the end of an answer, in order.

    Each item is one line; empty unless all of the last two or more are questions, and not too many of them.
    """
    found = list(takewhile(bool, _items(answer)))[::-1]
    return found if 2 <= len(found) <= _LIMIT and all(text.endswith(_ENDS) for text in found) else []


def _items(answer: str) -> Iterator[str]:
    """Yields the texts of list items, the last one first, until a line that is not an item."""
    for line in reversed(answer.splitlines()):
        if line.strip():
            item = _ITEM.fullmatch(line.rstrip())
            yield " ".join(_MARKS.sub("", item[1]).split()) if item else ""
