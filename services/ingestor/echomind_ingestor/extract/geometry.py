"""Lines, tables and reading order of a page, from the positions of its words.

The same rules serve the words of PDFs and the lines that recognition finds in images.
"""

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Row = tuple[str, ...]
"""The cells of a table row, from left to right."""

GUTTER = 0.7
"""Minimum width of the space between columns, relative to the height of the words."""
_FEWEST_ROWS = 3
_ROW_GAP = 2.5
"""Maximum distance of two rows' middles, relative to the height of the words."""
_WRAPPED_GAP = 1.4
"""The same for the continuation of a wrapped cell."""
_PROSE_WORDS = 7
"""Cells with at least this many words in the middle are columns of running text, not of a table."""
_ENUMERATED = re.compile(r"[•◦▪–—*·-]|\(?\w{1,3}[.)]")
"""A cell that only numbers the one beside it."""
_COLUMN_LINES = 4
"""Minimum lines on each side of a space that divides a page into columns of running text,"""
_RUNNING = 20
"""each of at least this many characters."""
_CROSSING = 0.1
"""Maximum share of lines that cross it, such as titles."""
_OUTER = 0.2
"""Share of the width at each edge in which it is not looked for."""


@dataclass(frozen=True, slots=True)
class Box:
    """A word, or several, with its rectangle; y grows downwards."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def height(self) -> float:
        """Returns its height."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Returns the y of its middle."""
        return (self.top + self.bottom) / 2


Line = list[Box]
"""Boxes on a line, from left to right; never empty."""


def lines_of(boxes: Sequence[Box]) -> list[Line]:
    """Returns boxes grouped into lines, from top to bottom: their middles differ by less than half their height."""
    lines: list[Line] = []
    for box in sorted(boxes, key=lambda each: each.middle):
        if not box.text.strip() or box.height <= 0:
            continue
        line = lines[-1] if lines else None
        if line is not None and abs(box.middle - _middle(line)) < 0.5 * min(box.height, _height(line)):
            line.append(box)
        else:
            lines.append([box])
    return [sorted(line, key=lambda box: box.left) for line in lines]


def text_of(line: Sequence[Box]) -> str:
    """Returns the text of a line."""
    return " ".join(box.text.strip() for box in line)


def find_tables(lines: Sequence[Line], gutter: float = GUTTER) -> Iterator[tuple[int, int, list[Row]]]:
    """Yields tables: the index of their first line, the index after their last one, and their rows.

    A table has columns: spaces that are free of words in all of its lines.

    Args:
        lines: The lines, from top to bottom.
        gutter: Minimum width of such a space, relative to the height of the words.
    """
    start = 0
    while start < len(lines):
        end, gutters = _extent(lines, start, gutter)
        rows = _rows(lines[start:end], gutters)
        if len(rows) >= _FEWEST_ROWS and not _is_prose(rows):
            yield start, end, rows
            start = end
        else:
            start += 1


def reading_order(boxes: Sequence[Box]) -> list[list[Line]]:
    """Returns the blocks of a page in reading order: one of all its lines, or one for each column of running text.

    Lines above and below the columns, which cross the space between them, are blocks of their own.
    """
    position = _column_space(boxes)
    if position is None:
        return [lines] if (lines := lines_of(boxes)) else []
    blocks: list[list[Line]] = []
    columns: list[Box] = []

    def close() -> None:
        for side in _sides(columns, position):
            blocks.extend(reading_order(side))
        columns.clear()

    for line in lines_of(boxes):
        if any(box.left < position < box.right for box in line):
            close()
            blocks.append([line])
        else:
            columns += line
    close()
    return blocks


def _extent(lines: Sequence[Line], start: int, gutter: float) -> tuple[int, list[tuple[float, float]]]:
    """Returns the end of the lines from `start` that share columns, and the spaces between these."""
    gutters = _gaps(lines[start], gutter)
    end, previous = start + 1, lines[start]
    while gutters and end < len(lines):
        line = lines[end]
        height = min(_height(previous), _height(line))
        shared = _shared(gutters, _gaps(line, gutter, outer=True), gutter * height)
        limit = _ROW_GAP if len(_cells(line, shared)) > 1 else _WRAPPED_GAP
        if not shared or _middle(line) - _middle(previous) > limit * height:
            break
        gutters, previous, end = shared, line, end + 1
    return end, gutters


def _rows(lines: Sequence[Line], gutters: Sequence[tuple[float, float]]) -> list[Row]:
    """Returns the rows of a table; a line with a single cell, not the first, continues the cell above it."""
    rows: list[list[str]] = []
    for line in lines:
        cells = _cells(line, gutters)
        if len(cells) == 1 and rows and (column := next(iter(cells))) > 0:
            rows[-1][column] = f"{rows[-1][column]} {cells[column]}".strip()
        else:
            rows.append([cells.get(column, "") for column in range(len(gutters) + 1)])
    return [tuple(row) for row in rows]


def _cells(line: Line, gutters: Sequence[tuple[float, float]]) -> dict[int, str]:
    """Returns the texts of the columns in which a line has words."""
    columns: dict[int, list[Box]] = {}
    for box in line:
        column = sum(box.left >= (left + right) / 2 for left, right in gutters)
        columns.setdefault(column, []).append(box)
    return {column: text_of(boxes) for column, boxes in columns.items()}


def _gaps(line: Line, gutter: float, *, outer: bool = False) -> list[tuple[float, float]]:
    """Returns the spaces of a line that are wide enough to divide columns; with `outer` also those around it."""
    threshold = gutter * _height(line)
    gaps, right = [], line[0].right
    for box in line[1:]:
        if box.left - right >= threshold:
            gaps.append((right, box.left))
        right = max(right, box.right)
    return [(float("-inf"), line[0].left), *gaps, (right, float("inf"))] if outer else gaps


def _shared(
    first: Sequence[tuple[float, float]], second: Sequence[tuple[float, float]], threshold: float
) -> list[tuple[float, float]]:
    """Returns the intersections that are wide enough."""
    found = ((max(a, c), min(b, d)) for a, b in first for c, d in second)
    return [(left, right) for left, right in found if right - left >= threshold]


def _is_prose(rows: Sequence[Row]) -> bool:
    """Returns whether the cells are columns of running text, or the numbers and texts of a list."""
    if len(rows[0]) == 2 and all(_ENUMERATED.fullmatch(row[0]) for row in rows if row[0]):
        return True
    cells = [len(cell.split()) for row in rows for cell in row if cell]
    return statistics.median(cells) >= _PROSE_WORDS


def _column_space(boxes: Sequence[Box]) -> float | None:
    """Returns the x of the space between two columns of running text that the fewest lines cross; None for none."""
    if len(boxes) < 2 * _COLUMN_LINES:
        return None
    left, right = min(box.left for box in boxes), max(box.right for box in boxes)
    inner = (left + _OUTER * (right - left), right - _OUTER * (right - left))
    candidates = {box.left - 1 for box in boxes if inner[0] < box.left < inner[1]}
    if not candidates:
        return None
    position = min(candidates, key=lambda x: (sum(box.left < x < box.right for box in boxes), x))
    crossing = sum(box.left < position < box.right for box in boxes)
    running = [sum(len(box.text) >= _RUNNING for box in side) for side in _sides(boxes, position)]
    return position if crossing <= _CROSSING * len(boxes) and min(running) >= _COLUMN_LINES else None


def _sides(boxes: Sequence[Box], position: float) -> tuple[list[Box], list[Box]]:
    """Returns the boxes on the left and on the right of a position."""
    return [box for box in boxes if box.right <= position], [box for box in boxes if box.left >= position]


def _middle(line: Line) -> float:
    return statistics.fmean(box.middle for box in line)


def _height(line: Line) -> float:
    return statistics.median(box.height for box in line)
