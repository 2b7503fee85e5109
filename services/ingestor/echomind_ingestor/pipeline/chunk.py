"""Cuts a text into passages that the embedder takes whole, at the best places.

Passages do not overlap: each cut is at a paragraph, line or sentence wherever there is one.
"""

import math
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from tokenizers import Tokenizer

from echomind_ingestor.extract.result import Extracted, Heading

CHUNKER_ID = "sections-200"
"""Names this way of cutting; a change of it makes another index."""

MAX_TOKENS = 200
"""Most tokens of a passage. With title and headings in front it stays below the 256 that the embedder reads."""

_SMALL = 50
"""Tokens below which a section goes together with the next: alone it says too little."""
_BLOCK = 20_000
"""Characters that are tokenized together: the encoding of a whole book would take gigabytes."""
_LONGEST_TOKEN = 20
"""Characters. A longer one is not a word but an address or data, which the model reads as one unknown token."""
_LONGEST_WORD = 100
"""Characters. The model reads a longer word as one unknown token; a shorter piece may have a token a character."""
_DATA_TOKEN = 4
"""Characters that count as a token in the middle of data, where each piece is longer than `_LONGEST_WORD`."""

_CUTS = (
    (0.0, re.compile(r"\n[ \t]*\n\s*")),
    (0.2, re.compile(r"\n\s*")),
    (0.35, re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|(?<=[。！？；])[”’」』）]*\s*")),
    (0.6, re.compile(r"\s+")),
)
"""Where to cut, the best first, by the end of a match: the figure is how far off the ideal length, as a share of it, a
better place may be."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage."""

    position: int
    """Place in the document, from 0."""
    text: str
    """The document's text from `start` to `end`."""
    start: int
    """Code point where it begins."""
    end: int
    """Code point where it ends, exclusive."""
    heading: tuple[str, ...]
    """The headings that it stands under, outermost first, its own first line included when that is one."""
    context: tuple[str, ...]
    """Those of `heading` that are not part of `text`."""
    page: int | None
    """Its page, from 1; None where there are none."""


def chunk(document: Extracted, tokenizer: Tokenizer) -> list[Chunk]:
    """Cuts a document.

    Together the passages hold all of the text but white space, in order; none has more than `MAX_TOKENS`.

    Args:
        document: The extracted document.
        tokenizer: The embedder's, neither padding nor cutting.
    """
    text = document.text
    tokens = _token_starts(text, tokenizer)
    cuts = [(penalty, _ends(pattern, text)) for penalty, pattern in _CUTS]
    starts = [0, *(heading.start for heading in document.headings if heading.start > 0)]
    pages = [page.start for page in document.pages]
    headings = _Headings(document.headings)
    chunks: list[Chunk] = []
    for first, last in _sections(starts, tokens, len(text)):
        for begin, stop in _pieces(first, last, tokens, cuts):
            start, end = _trim(text, begin, stop)
            if start >= end:
                continue
            path = headings.above(start)
            page = document.pages[bisect_right(pages, start) - 1].number if pages and pages[0] <= start else None
            chunks.append(
                Chunk(
                    position=len(chunks),
                    text=text[start:end],
                    start=start,
                    end=end,
                    heading=tuple(heading.title for heading in path),
                    context=tuple(heading.title for heading in path if heading.start < start),
                    page=page,
                )
            )
    return chunks


class _Headings:
    """The headings above a position."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self._starts = [heading.start for heading in headings]
        self._paths: list[tuple[Heading, ...]] = []
        path: tuple[Heading, ...] = ()
        for heading in headings:
            path = (*(outer for outer in path if outer.level < heading.level), heading)
            self._paths.append(path)

    def above(self, place: int) -> tuple[Heading, ...]:
        """Returns the headings above a code point, one that begins there included, outermost first."""
        index = bisect_right(self._starts, place) - 1
        return self._paths[index] if index >= 0 else ()


def _token_starts(text: str, tokenizer: Tokenizer) -> Sequence[int]:
    """Code points where tokens begin, ascending."""
    starts = array("q")
    block = 0
    while block < len(text):
        end = _block_end(text, block)
        for start, stop in tokenizer.encode(text[block:end], add_special_tokens=False).offsets:
            if stop - start > _LONGEST_TOKEN:
                starts.extend(_data_starts(block + start, block + stop))
            else:
                starts.append(block + start)
        block = end
    return starts


def _data_starts(start: int, stop: int) -> Iterator[int]:
    """Places in data that count as tokens: every character near its ends, where a cut leaves a short piece."""
    middle = min(start + _LONGEST_WORD, stop)
    tail = max(middle, stop - _LONGEST_WORD)
    return chain(range(start, middle), range(middle, tail, _DATA_TOKEN), range(tail, stop))


def _block_end(text: str, start: int) -> int:
    """Returns the end of a block that begins at `start`, where no token is torn if that can be helped."""
    limit = start + _BLOCK
    if limit >= len(text):
        return len(text)
    for mark in ("\n", " "):
        found = text.rfind(mark, start + 1, limit)
        if found > start:
            return found
    return limit


def _ends(pattern: re.Pattern[str], text: str) -> Sequence[int]:
    """Returns the ends of a pattern's matches, where the next part starts."""
    return array("q", (match.end() for match in pattern.finditer(text)))


def _sections(starts: Sequence[int], tokens: Sequence[int], length: int) -> Iterator[tuple[int, int]]:
    """Sections from heading to heading, small ones together with the next, as code points."""
    begin = starts[0]
    for start in starts[1:]:
        if _count(tokens, begin, start) >= _SMALL:
            yield begin, start
            begin = start
    yield begin, length


def _pieces(
    begin: int, stop: int, tokens: Sequence[int], cuts: Sequence[tuple[float, Sequence[int]]]
) -> Iterator[tuple[int, int]]:
    """Pieces of a section of about equal length, each within the limit, as code points."""
    first, last = bisect_left(tokens, begin), bisect_left(tokens, stop)
    while last - first > MAX_TOKENS:
        left = last - first
        ideal = left / -(-left // MAX_TOKENS)
        place = _cut(first, ideal, tokens, cuts)
        yield begin, place
        begin, first = place, bisect_left(tokens, place)
    yield begin, stop


def _cut(first: int, ideal: float, tokens: Sequence[int], cuts: Sequence[tuple[float, Sequence[int]]]) -> int:
    """Returns the best place to cut after token `first`: half the ideal length at least, the limit at most."""
    earliest, wanted = tokens[first + int(ideal / 2)], tokens[first + int(ideal)]
    latest = tokens[first + MAX_TOKENS]  # the first token beyond the limit
    best, best_cost = latest, math.inf
    for penalty, places in cuts:
        low, high = bisect_left(places, earliest), bisect_right(places, latest)
        nearest = bisect_left(places, wanted, low, high)
        for index in (nearest - 1, nearest):
            if low <= index < high:
                place = places[index]
                cost = penalty + abs(bisect_left(tokens, place) - first - ideal) / ideal
                if cost < best_cost:
                    best, best_cost = place, cost
    return best


def _count(tokens: Sequence[int], start: int, stop: int) -> int:
    return bisect_left(tokens, stop) - bisect_left(tokens, start)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the range without white space at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
