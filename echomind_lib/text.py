"""Text of others, as it is stored.

What comes from the extraction of files, from web pages, models, tools and vendors passes here before it is kept: a
character that PostgreSQL or UTF-8 refuses, a title of half a megabyte or letters in two encodings end here, once, and
not in each place that reads them.
"""

import json
import re
import sys
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import msgspec

TITLE_CHARACTERS: Final = 300
"""Longest title of a document or a page."""
HEADING_CHARACTERS: Final = 200
"""Longest heading inside a document."""
SOURCE_ID_BYTES: Final = 2000
"""Longest id of a document or folder at its source, in UTF-8: what an index of the database takes."""
NAME_CHARACTERS: Final = 255
"""Longest name of a file, a sheet, an attachment, a tool or a model."""
MESSAGE_CHARACTERS: Final = 500
"""Longest sentence about something that went wrong."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSTORABLE_ESCAPE = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)
_MARKS_IN_A_ROW: Final = 30
"""Combining marks that a character may have, as in Unicode's Stream-Safe Text Format (UAX #15, section 13)."""
_MAY_HAVE_TOO_MANY_MARKS = re.compile(r"[^\x00-\u02ff]{31}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(slots=True)
class Changes:
    """Counts of changes made to the texts of one source."""

    replaced: int = 0
    """Characters that cannot be stored: U+0000 is removed, a lone surrogate becomes U+FFFD."""
    composed: int = 0
    """Texts whose characters were put into composed form (NFC)."""
    shortened: int = 0
    """Titles, headings, names and messages that were too long."""
    dropped: int = 0
    """Headings, pages and messages that could not be used."""


def storable(text: str) -> str:
    """Returns a text without U+0000, and with U+FFFD for lone surrogates.

    The number of code points may fall, never rise. It is for what must otherwise stay as it is: pieces of a text that
    is being streamed, whose offsets count, and arguments of tools, which may name files.
    """
    if "\x00" in text:
        text = text.replace("\x00", "")
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


@cache
def _too_many_marks() -> re.Pattern[str]:
    """Returns what finds the marks of a character beyond those that it may have."""
    marks = "".join(
        map(re.escape, (chr(code) for code in range(sys.maxunicode + 1) if unicodedata.combining(chr(code))))
    )
    return re.compile(f"(?<=[{marks}]{{{_MARKS_IN_A_ROW}}})[{marks}]+")


def _with_few_marks(text: str) -> str:
    """Returns a text without the marks beyond `_MARKS_IN_A_ROW`: ordering n marks takes NFC time by the square of n."""
    return _too_many_marks().sub("", text) if _MAY_HAVE_TOO_MANY_MARKS.search(text) else text


def normalized(text: str, changes: Changes | None = None) -> str:
    """Returns a text as `storable` does, in composed form (NFC), with at most 30 combining marks in a row.

    Args:
        text: The text.
        changes: Counts of changes, to be updated.
    """
    if text.isascii() and "\x00" not in text:
        return text
    kept = storable(text)
    composed = unicodedata.normalize("NFC", _with_few_marks(kept))
    if changes is not None:
        changes.replaced += text.count("\x00") + len(_SURROGATE.findall(text)) if kept != text else 0
        changes.composed += composed != kept
    return composed


def single_line(text: str, limit: int | None, changes: Changes | None = None) -> str:
    """Returns a normalized text as one line without control characters, of at most `limit` code points.

    Args:
        text: The text.
        limit: 1 or more; a longer line ends in an ellipsis. None means any length.
        changes: Counts of changes, to be updated.
    """
    kept = " ".join(_CONTROL.sub("", " ".join(normalized(text, changes).split())).split())
    # Characters beside a removed control character may compose.
    kept = unicodedata.normalize("NFC", _with_few_marks(kept))
    if limit is None or len(kept) <= limit:
        return kept
    if changes is not None:
        changes.shortened += 1
    return f"{kept[: limit - 1].rstrip()}…"


def line_of_words(text: str, limit: int) -> str:
    """Returns a text as one line of at most `limit` code points; a longer one ends at a word, with an ellipsis.

    Where its last half has no end of a word, as in languages without spaces, it ends anywhere.
    """
    kept = " ".join(text.split())
    if len(kept) <= limit:
        return kept
    end = kept.rfind(" ", limit // 2, limit)
    return f"{kept[: end if end > 0 else limit - 1].rstrip(' ,;:.–—-')}…"


def storable_tree(value: Any) -> Any:
    """Returns a JSON value with `storable` applied to all its strings."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [storable_tree(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): storable_tree(item) for key, item in value.items()}
    return value


def storable_json(text: str) -> str:
    """Returns a JSON text with `storable` applied to all its strings, escaped ones too.

    Text that is not JSON is treated as a whole.
    """
    text = storable(text)
    if not _UNSTORABLE_ESCAPE.search(text):
        return text
    try:
        return msgspec.json.encode(storable_tree(json.loads(text))).decode()
    except ValueError:
        return text
