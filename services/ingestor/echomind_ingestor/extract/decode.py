"""Decoding of bytes, and the normal form of all texts."""

import codecs
import re
import unicodedata

from charset_normalizer import from_bytes

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 64 * 1024
_MAX_CONTROLS = 0.02
_WESTERN = "cp1252"
_GUESSABLE = 400
"""Minimum bytes to detect an encoding; below it, the most common one is a better guess."""
_CONTROLS = bytes({*range(32)} - {9, 10, 12, 13, 27})

# Line ends, tabs and form feeds are kept; soft hyphens, zero-width and other invisible characters are removed.
_NEWLINES = re.compile(r"\r\n?|[\u0085\u2028\u2029\v\f]")
_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u200b\u200e\u200f\u2060\ufeff\ufffe\uffff\ud800-\udfff]")
_BLANKS = re.compile(r"[\u00a0\u2000-\u200a\u202f\u205f]")
_LINE_END = re.compile(r"(?<![ \t])[ \t]++\n")
_GAP = re.compile(r"\n{3,}")


def decode(data: bytes) -> str | None:
    """Returns the text of a text file in any encoding; None if it is not text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    sample = data[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if controls > _MAX_CONTROLS * len(sample):
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        guess = _WESTERN if len(sample) < _GUESSABLE else _guess(sample)
    return None if guess is None else data.decode(guess, "replace")


def _guess(sample: bytes) -> str | None:
    """Returns the most likely encoding; among equally likely ones, the most common."""
    matches = from_bytes(sample)
    likely = max(matches, key=lambda match: (-match.chaos, match.coherence, match.encoding == _WESTERN), default=None)
    return None if likely is None else likely.encoding


def normalize(text: str) -> str:
    """Returns a text in normal form: NFC, line feeds, at most one empty line, no invisible characters."""
    text = _BLANKS.sub(" ", _INVISIBLE.sub("", _NEWLINES.sub("\n", text)))
    text = unicodedata.normalize("NFC", text)  # last, as removing characters may join letters and marks
    return _GAP.sub("\n\n", _LINE_END.sub("\n", text)).strip()
