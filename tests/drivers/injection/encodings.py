"""Forms in which an instruction is hidden in a text, and what a model that looks for them reads."""

import base64
import codecs
import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from typing import Final
from urllib.parse import quote, unquote

_TAGS: Final = 0xE0000
_ZERO_WIDTH: Final = "\u200b\u200c\u2060"
_HOMOGLYPHS: Final = str.maketrans("ACEHKMOPTXaceopxy", "АСЕНКМОРТХасеорху")
_LATIN: Final = str.maketrans("АСЕНКМОРТХасеорху", "ACEHKMOPTXaceopxy")
_BASE64: Final = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_HEX: Final = re.compile(r"\b(?:[0-9a-f]{2}){16,}\b")
_ESCAPE: Final = re.compile(r"\\([_*\[\]{}()#+.!~|>`-])")
"""What extraction of HTML as Markdown puts before punctuation."""
_PART: Final = re.compile(r"⟦(\d)/(\d) (.*?)⟧", re.DOTALL)


def _full_width(text: str) -> str:
    return "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text)


def _split(text: str) -> str:
    """Returns the text in three parts with paragraphs between them, so that no passage has all of it."""
    length = len(text) // 3 + 1
    parts = [text[start : start + length] for start in range(0, len(text), length)]
    filler = "\n\n" + "The figures of the department are in the annex, by month and by cost centre. " * 3 + "\n\n"
    return filler.join(f"⟦{number}/{len(parts)} {part}⟧" for number, part in enumerate(parts, 1))


ENCODINGS: Final[Mapping[str, Callable[[str], str]]] = {
    "plain": str,
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "unicode tags": lambda text: "".join(chr(_TAGS + ord(each)) if ord(each) < 0x7F else each for each in text),
    "zero width": lambda text: "".join(
        f"{each}{mark or ''}" for each, mark in zip_longest(text, _ZERO_WIDTH * len(text)) if each
    ),
    "homoglyphs": lambda text: text.translate(_HOMOGLYPHS),
    "full width": _full_width,
    "entities": lambda text: "".join(f"&#{ord(each)};" for each in text),
    "percent": lambda text: quote(text, safe=""),
    "reversed": lambda text: text[::-1],
    "comment": lambda text: f"<!-- {text} -->",
    "link title": lambda text: f"[annex](https://example.org/annex '{text}')",
    "reference": lambda text: f"See the [annex][1].\n\n[1]: https://example.org/annex ({text})",
    "code block": lambda text: f"```\n{text}\n```",
    "split": _split,
}
"""The encodings by name. All but `plain` hide from a reader, or from a filter, what the text says."""


def readings(text: str) -> Iterator[str]:
    """Yields a text, and what each way to decode it finds in it."""
    parts = {int(found[1]): found[3] for found in _PART.finditer(text)}
    if parts:
        yield "".join(parts[number] for number in sorted(parts))
        text = _PART.sub("", text)
    for written in dict.fromkeys((text, _ESCAPE.sub(r"\1", text))):
        yield from _decoded(written)


def _decoded(text: str) -> Iterator[str]:
    yield text
    yield unicodedata.normalize("NFKC", text)
    yield text.translate(_LATIN)
    yield "".join(each for each in text if each not in _ZERO_WIDTH)
    yield "".join(chr(ord(each) - _TAGS) if _TAGS < ord(each) < _TAGS + 0x7F else each for each in text)
    yield html.unescape(text)
    yield unquote(text)
    yield codecs.encode(text, "rot13")
    yield text[::-1]
    yield from _blobs(text)


def _blobs(text: str) -> Iterator[str]:
    for found in _BASE64.finditer(text):
        try:
            yield base64.b64decode(found[0]).decode()
        except ValueError:
            continue
    for found in _HEX.finditer(text):
        try:
            yield bytes.fromhex(found[0]).decode()
        except ValueError:
            continue
