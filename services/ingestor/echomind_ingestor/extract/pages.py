"""Joins the lines of PDF pages into running text."""

import re
from collections import Counter
from collections.abc import Sequence

from echomind_ingestor.extract.decode import normalize
from echomind_ingestor.extract.result import Page

_EDGE = 2
"""Number of lines at the top and bottom of a page that may be running heads."""
_SHORT = 3 * _EDGE
"""Pages with at most this number of lines are kept whole."""
_FEWEST_PAGES = 3
_NUMBER = re.compile(
    r"\W*(?:page|seite|p\.)?\s*(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:/|of|von|de|sur|di)\s*\d{1,4})?\W*", re.IGNORECASE
)
_BULLET = re.compile(r"\s*(?:[•◦▪–—*·]|-\s|\(?\w{1,2}[.)]\s)")
_HYPHENATED = re.compile(r"[^\W\d_]-$")
_FULL = 0.75
"""Minimum share of a page's line length for a line that continues on the next; shorter ones end a paragraph."""


def join_pages(pages: Sequence[str]) -> tuple[str, tuple[Page, ...]]:
    """Joins pages into one running text.

    Repeated lines at the edges of most pages, and page numbers, are removed.

    Args:
        pages: The text of each page, in order.
    """
    split = [[line.rstrip() for line in normalize(page).split("\n")] for page in pages]
    repeated = _running_heads(split)
    parts: list[str] = []
    starts: list[Page] = []
    length = 0
    for number, lines in enumerate(split, start=1):
        text = reflow(_without_edges(lines, repeated))
        if not text:
            continue
        starts.append(Page(number, length))
        parts.append(text)
        length += len(text) + 2
    return "\n\n".join(parts), tuple(starts)


def reflow(lines: Sequence[str]) -> str:
    """Joins lines and words that were broken at the page width."""
    lengths = sorted(len(line) for line in lines if line)
    if not lengths:
        return ""
    full = _FULL * lengths[int(0.9 * (len(lengths) - 1))]
    text, whole = "", "\n".join(lines)
    open_line = False
    for line in lines:
        stripped = line.strip()
        if not stripped:
            text, open_line = text.rstrip("\n") + "\n\n", False
            continue
        if open_line and not _BULLET.match(line):
            text = _joined(text, stripped, whole)
        else:
            text += ("" if not text or text.endswith("\n") else "\n") + stripped
        open_line = len(line) >= full
    return text.strip()


def _joined(text: str, line: str, whole: str) -> str:
    """Returns a text joined with its continuation line; a hyphen from a line break is removed."""
    if not _HYPHENATED.search(text) or not line[0].islower():
        return f"{text} {line}"
    compound = text.rsplit(None, 1)[-1] + line.split(None, 1)[0]
    # A word that has its hyphen elsewhere on the page, too, is a compound; otherwise the hyphen is from a line break.
    return text + line if compound in whole else text[:-1] + line


def _running_heads(pages: Sequence[Sequence[str]]) -> frozenset[str]:
    counts: Counter[str] = Counter()
    for lines in pages:
        written = [line.strip() for line in lines if line.strip()]
        counts.update({*written[:_EDGE], *written[-_EDGE:]})
    fewest = max(_FEWEST_PAGES, len(pages) / 2)
    return frozenset(line for line, count in counts.items() if count >= fewest)


def _without_edges(lines: Sequence[str], repeated: frozenset[str]) -> list[str]:
    """Returns a page's lines without running heads and page numbers at its edges."""
    written = [index for index, line in enumerate(lines) if line.strip()]
    if len(written) <= _SHORT:
        return list(lines)
    dropped = set()
    for edge in (written[:_EDGE], written[: -_EDGE - 1 : -1]):
        for index in edge:
            line = lines[index].strip()
            if line not in repeated and not _NUMBER.fullmatch(line):
                break
            dropped.add(index)
    return [line for index, line in enumerate(lines) if index not in dropped]
