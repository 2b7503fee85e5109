"""Puts the tables and headings of a page's layout into its running text."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from echomind_ingestor.extract.geometry import Row
from echomind_ingestor.extract.layout import PageLayout, Table

_CAPTION = re.compile(r"(?i)(tab(le|elle|leau|la|ela)?|fig(ure|ur|ura)?|abb(ildung)?)\b\.? ?\d")
_MAX_WRAPPED = 12
"""Maximum lines of a row with wrapped cells."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A table in the place of the lines that it was read from."""

    text: str
    header: Row
    """Empty if it has none."""


def structured(content: str, layout: PageLayout, header: Row = ()) -> tuple[str, Row]:
    """Returns a page's text with its tables as Markdown tables and its headings as paragraphs of their own.

    Only what the text confirms is used: the words of each row stand together in it, row after row. So no word is lost
    or doubled, and columns of running text are never taken for a table.

    Args:
        content: The page's text, line by line in reading order.
        layout: Its layout.
        header: The header of a table that ends the page before.

    Returns:
        The text, and the header of a table that ends the page; empty for none.
    """
    text = [line.strip() for line in content.replace("\r\n", "\n").split("\n")]
    lines: list[str | _Placed] = list(_with_headings(text, [title for _, title in layout.headings]))
    for table in layout.tables:
        lines = _with_table(lines, table, header)
    last = next((line for line in reversed(lines) if line), "")
    return "\n".join(line.text if isinstance(line, _Placed) else line for line in lines), (
        last.header if isinstance(last, _Placed) else ()
    )


def table_text(rows: Sequence[Row]) -> str:
    """Returns a table as Markdown, or as a list of rows if its first row does not name its columns."""
    return _placed(rows, (), has_header=False).text


def _with_headings(lines: list[str], titles: Sequence[str]) -> list[str]:
    """Returns the lines with empty lines around headings, which else would be joined with the text around them."""
    found = list(lines)
    position = 0
    for title in titles:
        words = " ".join(title.split())
        for index in range(position, len(found)):
            if " ".join(found[index].split()) == words:
                found[index : index + 1] = ["", found[index], ""]
                position = index + 3
                break
    return found


def _with_table(lines: list[str | _Placed], table: Table, header: Row) -> list[str | _Placed]:
    """Returns the lines with a table instead of those that hold its rows; unchanged if none do."""
    rows = [row for row in table.rows if any(row)]
    has_header = table.has_header
    while rows and _CAPTION.match(" ".join(filter(None, rows[0]))) and sum(map(bool, rows[0])) < len(rows[0]):
        rows, has_header = rows[1:], False  # a caption was taken for the first row
    if len(rows) < 2 or max(map(len, rows)) < 2:
        return lines
    for start in range(len(lines)):
        if (end := _end(lines, start, rows)) is not None:
            is_continued = not any(lines[:start]) and len(header) == len(rows[0]) and rows[0] != header
            placed = _placed(rows, header if is_continued else (), has_header=has_header)
            return [*lines[:start], "", placed, "", *lines[end:]]
    return lines


def _end(lines: Sequence[str | _Placed], start: int, rows: Sequence[Row]) -> int | None:
    """Returns the index after the last line of a table that begins at `start`; None if none does."""
    position = start
    for row in rows:
        missing = Counter(" ".join(row).split())
        for _ in range(_MAX_WRAPPED):
            while position < len(lines) and not lines[position] and position > start:
                position += 1
            line = lines[position] if position < len(lines) else ""
            if isinstance(line, _Placed):
                return None
            words = Counter(line.split())
            if not words or words - missing:
                return None
            missing -= words
            position += 1
            if not missing:
                break
        if missing:
            return None
    return position


def _placed(rows: Sequence[Row], above: Row, *, has_header: bool) -> _Placed:
    """Returns a table as Markdown, or as a list of rows if it has no header.

    Args:
        rows: Its rows.
        above: The header of the page before, if the table continues there.
        has_header: Whether the first row is known to be a header.
    """
    if above:
        header = above
    elif has_header or _is_header(rows):
        header, rows = rows[0], rows[1:]
    else:
        return _Placed("\n".join("- " + " | ".join(filter(None, row)) for row in rows), ())
    lines = [_line(header), "|" + " --- |" * len(header), *map(_line, rows)]
    return _Placed("\n".join(lines), header)


def _line(row: Row) -> str:
    cells = (cell.replace("|", "\\|") for cell in row)
    return f"| {' | '.join(cells)} |"


def _is_header(rows: Sequence[Row]) -> bool:
    """Returns whether the first row names columns: words without figures above a column of figures, or three words."""
    first, others = rows[0], rows[1:]
    if not all(first) or len(set(first)) < len(first) or any(letter.isdigit() for cell in first for letter in cell):
        return False
    columns = zip(*(row for row in others if len(row) == len(first)), strict=True)
    has_figures = any(2 * sum(any(map(str.isdigit, cell)) for cell in column) > len(column) for column in columns)
    return has_figures or len(first) > 2
