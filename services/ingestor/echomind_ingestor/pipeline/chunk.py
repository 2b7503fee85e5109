"""Splits a text into passages that fit the embedder's window, at the best boundaries.

Passages do not overlap: they are split at paragraphs, lines or sentences where possible.
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
"""Id of this chunker; a change of it requires a new index."""

MAX_TOKENS = 200
"""Maximum tokens of a passage. With its title and headings it stays below the embedder's limit of 256."""

FREE_PASSAGES = 10_000
"""Number of passages that any document may have: those of about 3,000 pages."""
TEXT_OF_PASSAGE = 800
"""Bytes of text for each passage beyond those. Sentences have more in 200 tokens; tables of single letters or numbers
have down to a quarter, and would take hours and the room of thousands of documents for little to find."""

_SMALL = 50
"""Sections with fewer tokens are merged with the next one."""
_BLOCK = 20_000
"""Characters to tokenize at once, as the encoding of a whole book would take gigabytes."""
_LONGEST_TOKEN = 20
"""Characters. Longer tokens are not words but addresses or data, which the model reads as one unknown token."""
_LONGEST_WORD = 100
"""Characters. The model reads a longer word as one unknown token; a shorter piece may have one token per character."""
_DATA_TOKEN = 4
"""Characters that count as one token within data, where each piece is longer than `_LONGEST_WORD`."""

_CUTS = (
    (0.0, re.compile(r"\n[ \t]*\n\s*")),
    (0.2, re.compile(r"\n\s*")),
    (0.35, re.compile(r"(?<=[.!?…])[\"'”’»)\]]*\s+|(?<=[。！？；])[”’」』）]*\s*")),
    (0.6, re.compile(r"\s+")),
)
"""Boundaries to split at, best first, by the end of a match: the figure is the tolerated distance from the ideal
length, as a share of it."""

_FENCE = re.compile(r"^[ \t]*(?:>[ \t]?)*[ \t]*(```+(?=[^`\n]*$)|~~~+)(.*)$", re.MULTILINE)
"""A line that may begin or end a block of code: https://spec.commonmark.org/0.31.2/#fenced-code-blocks."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage."""

    position: int
    """Position in the document, from 0."""
    text: str
    """The document's text from `start` to `end`."""
    start: int
    """Offset of its start."""
    end: int
    """Offset of its end, exclusive."""
    heading: tuple[str, ...]
    """Its headings, outermost first, including its own first line if that is one."""
    page: int | None
    """The page that it begins on, from 1; None if there are none."""
    in_code: bool = False
    """Whether it begins inside a fenced block of code, which its text alone does not show."""
    later_pages: tuple[tuple[int, int], ...] = ()
    """The pages that begin within it: the offset in the document's text, and the number."""
    later_sections: tuple[tuple[int, tuple[str, ...]], ...] = ()
    """The sections that begin within it: the offset in the document's text, and the headings, outermost first."""


def chunk(document: Extracted, tokenizer: Tokenizer) -> list[Chunk]:
    """Splits a document into passages.

    The passages contain the whole text except white space, in order; none has more than `MAX_TOKENS`. The end of a text
    with more than `max_passages` is left out: see `share_left_out`.

    Args:
        document: The extracted document.
        tokenizer: The embedder's tokenizer, without padding or truncation.
    """
    text = document.text
    tokens = _token_starts(text, tokenizer)
    cuts = [(penalty, _ends(pattern, text)) for penalty, pattern in _CUTS]
    starts = [0, *(heading.start for heading in document.headings if heading.start > 0)]
    pages = [page.start for page in document.pages]
    headings = _Headings(document.headings)
    code = _code(text)
    code_starts = [begin for begin, _ in code]
    chunks: list[Chunk] = []
    maximum = max_passages(text)
    for first, last in _sections(starts, tokens, len(text)):
        for begin, stop in _pieces(first, last, tokens, cuts):
            start, end = _trim(text, begin, stop)
            if start >= end:
                continue
            if len(chunks) == maximum:
                return chunks
            path = headings.above(start)
            page = document.pages[bisect_right(pages, start) - 1].number if pages and pages[0] <= start else None
            block = bisect_right(code_starts, start) - 1
            chunks.append(
                Chunk(
                    position=len(chunks),
                    text=text[start:end],
                    start=start,
                    end=end,
                    heading=tuple(heading.title for heading in path),
                    page=page,
                    in_code=block >= 0 and start <= code[block][1],
                    later_pages=tuple(
                        (begun.start, begun.number)
                        for begun in document.pages[bisect_right(pages, start) : bisect_left(pages, end)]
                    ),
                    later_sections=headings.within(start, end),
                )
            )
    return chunks


def max_passages(text: str) -> int:
    """Returns the maximum number of passages of a text."""
    return max(FREE_PASSAGES, len(text.encode()) // TEXT_OF_PASSAGE)


def share_left_out(text: str, chunks: Sequence[Chunk]) -> float:
    """Returns the share of a text after its last passage, from 0 to 1; white space does not count."""
    whole = len(text.rstrip())
    return 1 - chunks[-1].end / whole if chunks and whole else 0.0


def _code(text: str) -> list[tuple[int, int]]:
    """Returns the insides of fenced blocks of code, from the line after the fence to the closing one, inclusive.

    A fence that nothing closes begins none: it is a line of a drawing, or the rest of the text would be code.
    """
    found: list[tuple[int, int]] = []
    fence, begin = "", 0
    for match in _FENCE.finditer(text):
        if not fence:
            fence, begin = match[1], match.end() + 1
        elif match[1].startswith(fence) and not match[2].strip():
            found.append((begin, match.start()))
            fence = ""
    return found


class _Headings:
    """The headings above a position."""

    def __init__(self, headings: Sequence[Heading]) -> None:
        self._starts = [heading.start for heading in headings]
        self._paths: list[tuple[Heading, ...]] = []
        path: tuple[Heading, ...] = ()
        for heading in headings:
            path = (*(outer for outer in path if outer.level < heading.level), heading)
            self._paths.append(path)

    def above(self, offset: int) -> tuple[Heading, ...]:
        """Returns the headings above an offset, including one that begins there, outermost first."""
        index = bisect_right(self._starts, offset) - 1
        return self._paths[index] if index >= 0 else ()

    def within(self, start: int, end: int) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Returns the offsets of the headings that begin after `start` and before `end`, with those above each."""
        found = range(bisect_right(self._starts, start), bisect_left(self._starts, end))
        return tuple((self._starts[index], tuple(each.title for each in self._paths[index])) for index in found)


def _token_starts(text: str, tokenizer: Tokenizer) -> Sequence[int]:
    """Returns the offsets of tokens, in ascending order."""
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
    """Yields offsets in data that count as tokens: all characters near its ends, where a split leaves a short piece."""
    middle = min(start + _LONGEST_WORD, stop)
    tail = max(middle, stop - _LONGEST_WORD)
    return chain(range(start, middle), range(middle, tail, _DATA_TOKEN), range(tail, stop))


def _block_end(text: str, start: int) -> int:
    """Returns the end of a block that begins at `start`, without splitting a token if possible."""
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
    """Yields sections from heading to heading as offsets; small ones are merged with the next."""
    begin = starts[0]
    for start in starts[1:]:
        if _count(tokens, begin, start) >= _SMALL:
            yield begin, start
            begin = start
    yield begin, length


def _pieces(
    begin: int, stop: int, tokens: Sequence[int], cuts: Sequence[tuple[float, Sequence[int]]]
) -> Iterator[tuple[int, int]]:
    """Yields pieces of a section as offsets, of about equal length and within the limit."""
    first, last = bisect_left(tokens, begin), bisect_left(tokens, stop)
    while last - first > MAX_TOKENS:
        left = last - first
        ideal = left / -(-left // MAX_TOKENS)
        cut = _cut(first, ideal, tokens, cuts)
        yield begin, cut
        begin, first = cut, bisect_left(tokens, cut)
    yield begin, stop


def _cut(first: int, ideal: float, tokens: Sequence[int], cuts: Sequence[tuple[float, Sequence[int]]]) -> int:
    """Returns the best split after token `first`: at least half the ideal length, at most the limit."""
    earliest, target = tokens[first + int(ideal / 2)], tokens[first + int(ideal)]
    latest = tokens[first + MAX_TOKENS]  # the first token beyond the limit
    best, best_cost = latest, math.inf
    for penalty, places in cuts:
        low, high = bisect_left(places, earliest), bisect_right(places, latest)
        nearest = bisect_left(places, target, low, high)
        for index in (nearest - 1, nearest):
            if low <= index < high:
                offset = places[index]
                cost = penalty + abs(bisect_left(tokens, offset) - first - ideal) / ideal
                if cost < best_cost:
                    best, best_cost = offset, cost
    return best


def _count(tokens: Sequence[int], start: int, stop: int) -> int:
    return bisect_left(tokens, stop) - bisect_left(tokens, start)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Returns the range without surrounding white space."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
