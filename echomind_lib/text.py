"""Text from outside, in the form in which it is stored.

Text from files, web pages, models, tools and vendors is sanitized here before it is stored: characters that PostgreSQL
or UTF-8 rejects, titles of half a megabyte, and different encodings of the same letters are handled once, and not by
every reader.
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
"""Maximum length of a document's or page's title."""
HEADING_CHARACTERS: Final = 200
"""Maximum length of a heading in a document."""
SOURCE_ID_BYTES: Final = 2000
"""Maximum length of a document's or folder's id at its source in UTF-8, limited by the database index."""
NAME_CHARACTERS: Final = 255
"""Maximum length of the name of a file, a sheet, an attachment, a tool or a model."""
MESSAGE_CHARACTERS: Final = 500
"""Maximum length of an error message."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSTORABLE_ESCAPE = re.compile(r"\\u(?:0000|d[89a-f])", re.IGNORECASE)
_MARKS_IN_A_ROW: Final = 30
"""Maximum number of combining marks per character, as in Unicode's Stream-Safe Text Format (UAX #15, section 13)."""
_MAY_HAVE_TOO_MANY_MARKS = re.compile(r"[^\x00-\u02ff]{31}")
_DIRECTIONS: Final = r"\u202a-\u202e\u2066-\u2069"
"""Embeddings, overrides and isolates of direction, by which a name can look like another one. Arabic and Hebrew names
need none of them: their letters carry their direction."""
_DIRECTION = re.compile(f"[{_DIRECTIONS}]")
_CONTROL = re.compile(rf"[\x00-\x1f\x7f-\x9f{_DIRECTIONS}]")


@dataclass(slots=True)
class Changes:
    """Counts of changes made to the texts of one source."""

    replaced: int = 0
    """Number of characters that cannot be stored: U+0000 is removed, a lone surrogate becomes U+FFFD."""
    composed: int = 0
    """Number of texts converted to composed form (NFC)."""
    shortened: int = 0
    """Number of truncated titles, headings, names and messages."""
    dropped: int = 0
    """Number of unusable headings, pages and messages."""


def storable(text: str) -> str:
    """Returns a text without U+0000, and with U+FFFD for lone surrogates.

    The number of code points may decrease, but not increase. Use it for text that must otherwise be unchanged: pieces
    of a streamed text, whose offsets are significant, and arguments of tools, which may be file names.
    """
    if "\x00" in text:
        text = text.replace("\x00", "")
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


@cache
def _too_many_marks() -> re.Pattern[str]:
    """Returns the pattern of a character's combining marks beyond the maximum."""
    marks = "".join(
        map(re.escape, (chr(code) for code in range(sys.maxunicode + 1) if unicodedata.combining(chr(code))))
    )
    return re.compile(f"(?<=[{marks}]{{{_MARKS_IN_A_ROW}}})[{marks}]+")


def _with_few_marks(text: str) -> str:
    """Returns a text without the marks beyond `_MARKS_IN_A_ROW`: NFC takes quadratic time to order marks."""
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


def without_directions(text: str) -> str:
    """Returns a text without embeddings, overrides and isolates of direction."""
    return text if text.isascii() else _DIRECTION.sub("", text)


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

    If its last half contains no word boundary, as in languages without spaces, it is truncated anywhere.
    """
    kept = " ".join(text.split())
    if len(kept) <= limit:
        return kept
    end = kept.rfind(" ", limit // 2, limit)
    return f"{kept[: end if end > 0 else limit - 1].rstrip(' ,;:.–—-')}…"


def storable_tree(value: Any) -> Any:
    """Returns a JSON value with `storable` applied to all its strings; the value itself if that changes nothing."""
    try:
        # Much faster than to look at each string, and nearly all values are storable.
        if b"\\u0000" not in msgspec.json.encode(value):
            return value
    except UnicodeEncodeError:  # a lone surrogate
        pass
    return _storable_items(value)


def _storable_items(value: Any) -> Any:
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_storable_items(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): _storable_items(item) for key, item in value.items()}
    return value


def storable_json(text: str) -> str:
    """Returns a JSON text with `storable` applied to all its strings, including escaped ones.

    Text that is not JSON is sanitized as a whole.
    """
    text = storable(text)
    if not _UNSTORABLE_ESCAPE.search(text):
        return text
    try:
        return msgspec.json.encode(storable_tree(json.loads(text))).decode()
    except ValueError:
        return text
