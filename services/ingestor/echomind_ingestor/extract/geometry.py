"""Lines, tables and reading order of a page, from the positions of its words.

The same rules serve the words of PDFs and the lines that recognition finds in images.
"""

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Row = tuple[str, ...]
"""The cells of a table row, from left to right."""

_GUTTER = 0.7
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
_COLUMN_LINES = 5
"""Minimum lines on each side of a space that divides a page into columns of running text."""


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


def find_tables(lines: Sequence[Line]) -> Iterator[tuple[int, int, list[Row]]]:
    """Yields tables: the index of their first line, the index after their last one, and their rows.

    A table has columns: spaces that are free of words in all of its lines.
    """
    start = 0
    while start < len(lines):
        end, gutters = _extent(lines, start)
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
    lines = lines_of(boxes)
    position = _column_space(lines)
    if position is None:
        return [lines] if lines else []
    blocks: list[list[Line]] = []
    left: list[Box] = []
    right: list[Box] = []

    def close() -> None:
        for side in (left, right):
            if side:
                blocks.append(lines_of(side))
                side.clear()

    for line in lines:
        if any(box.left < position < box.right for box in line):
            close()
            blocks.append([line])
        else:
            left += [box for box in line if box.right <= position]
            right += [box for box in line if box.left >= position]
    close()
    return blocks


def _extent(lines: Sequence[Line], start: int) -> tuple[int, list[tuple[float, float]]]:
    """Returns the end of the lines from `start` that share columns, and the spaces between these."""
    gutters = _gaps(lines[start])
    end, previous = start + 1, lines[start]
    while gutters and end < len(lines):
        line = lines[end]
        height = min(_height(previous), _height(line))
        shared = _shared(gutters, _gaps(line, outer=True), _GUTTER * height)
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


def _gaps(line: Line, *, outer: bool = False) -> list[tuple[float, float]]:
    """Returns the spaces of a line that are wide enough to divide columns; with `outer` also those around it."""
    threshold = _GUTTER * _height(line)
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


def _column_space(lines: Sequence[Line]) -> float | None:
    """Returns the x of the space that divides most lines into two columns of running text; None for no columns."""
    split = [(line, gap) for line in lines for gap in _gaps(line)]
    if len(split) < _COLUMN_LINES:
        return None
    position = statistics.median((left + right) / 2 for _, (left, right) in split)
    sides: tuple[list[str], list[str]] = ([], [])
    crossing = 0
    for line in lines:
        if any(box.left < position < box.right for box in line):
            crossing += 1
        for side, boxes in (
            (sides[0], [box for box in line if box.right <= position]),
            (sides[1], [box for box in line if box.left >= position]),
        ):
            if boxes:
                side.append(text_of(boxes))
    if min(map(len, sides)) < max(_COLUMN_LINES, crossing):
        return None
    is_running = all(statistics.median(len(text) for text in side) >= 20 for side in sides)
    return position if is_running else None


def _middle(line: Line) -> float:
    return statistics.fmean(box.middle for box in line)


def _height(line: Line) -> float:
    return statistics.median(box.height for box in line)
