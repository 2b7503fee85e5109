"""The text of a page from recognised lines: in reading order, with tables."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from echomind_ingestor.extract.geometry import Box, Line, find_tables, reading_order, text_of
from echomind_ingestor.extract.page_tables import table_text

_GUTTER = 0.25
"""Minimum space between columns relative to the height of a line; less than between words, as cells are separate."""
_PARAGRAPH = 1.9
"""Distance of two lines' middles, relative to their height, from which on they are separate paragraphs."""


def page_text(boxes: Sequence[Box]) -> str:
    """Returns the text of a page, with tables as Markdown.

    Args:
        boxes: Lines, or parts of lines, as recognised.
    """
    return "\n\n".join(_block(lines) for lines in reading_order(boxes))


def _block(lines: Sequence[Line]) -> str:
    parts: list[str] = []
    position = 0
    for start, end, rows in find_tables(lines, _GUTTER):
        parts += [*_paragraphs(lines[position:start]), table_text(rows)]
        position = end
    return "\n\n".join([*parts, *_paragraphs(lines[position:])])


def _paragraphs(lines: Sequence[Line]) -> Iterator[str]:
    if not lines:
        return
    paragraph = [text_of(lines[0])]
    for above, line in pairwise(lines):
        height = min(max(box.height for box in each) for each in (above, line))
        if line[0].middle - above[0].middle > _PARAGRAPH * height:
            yield "\n".join(paragraph)
            paragraph = []
        paragraph.append(text_of(line))
    yield "\n".join(paragraph)
