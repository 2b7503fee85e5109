"""Puts the tables and headings of a page's layout into its running text."""

import re
import unicodedata
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
    read = [pair for pair in zip(table.rows, table.filled or table.rows, strict=True) if any(pair[0])]
    has_header = table.has_header
    while read and _CAPTION.match(" ".join(filter(None, read[0][0]))) and sum(map(bool, read[0][0])) < len(read[0][0]):
        read, has_header = read[1:], False  # a caption was taken for the first row
    rows = [row for row, _ in read]
    if len(rows) < 2 or max(map(len, rows)) < 2:
        return lines
    for start in range(len(lines)):
        if (end := _end(lines, start, rows)) is not None:
            filled = _in_reading_order([row for _, row in read])
            is_repeated = header in {filled[0], _joined_header(filled)}
            is_continued = not any(lines[:start]) and len(header) == len(rows[0]) and not is_repeated
            placed = _placed(filled, header if is_continued else (), has_header=has_header)
            return [*lines[:start], "", placed, "", *lines[end:]]
    return lines


def _in_reading_order(rows: Sequence[Row]) -> Sequence[Row]:
    """Returns rows from left to right as a person reads them: those of a script that runs from the right reversed."""
    letters = [unicodedata.bidirectional(letter) for row in rows for cell in row for letter in cell if letter.isalpha()]
    from_right = sum(kind in {"R", "AL"} for kind in letters)
    return [row[::-1] for row in rows] if 2 * from_right > len(letters) else rows


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
    elif joined := _joined_header(rows):
        header, rows = joined, rows[2:]
    elif has_header or _is_header(rows):
        header, rows = rows[0], rows[1:]
    else:
        return _Placed("\n".join("- " + " | ".join(filter(None, row)) for row in rows), ())
    lines = [_line(header), "|" + " --- |" * len(header), *map(_line, rows)]
    return _Placed("\n".join(lines), header)


def _line(row: Row) -> str:
    cells = (cell.replace("|", "\\|") for cell in row)
    return f"| {' | '.join(cells)} |"


def _joined_header(rows: Sequence[Row]) -> Row:
    """Returns the header of a table whose first row groups the columns that the second one names; empty for others.

    The groups have the same columns, such as plan and result of two years, which only the first row tells apart.
    """
    if len(rows) < 3 or not all(rows[1]) or all(rows[0]) or any(map(str.isdigit, "".join(rows[1]))):
        return ()
    groups = [cell for cell in rows[0] if cell]
    repeated = [column for column, name in enumerate(rows[1]) if rows[1].count(name) > 1]
    if len(groups) < 2 or not repeated or len(repeated) % len(groups):
        return ()
    size = len(repeated) // len(groups)
    names = list(rows[1])
    for number, column in enumerate(repeated):
        names[column] = f"{groups[number // size]} {names[column]}"
    return tuple(names) if len(set(names)) == len(names) else ()


def _is_header(rows: Sequence[Row]) -> bool:
    """Returns whether the first row names columns: words without figures above a column of figures, or three words."""
    first, others = rows[0], rows[1:]
    if not all(first) or len(set(first)) < len(first) or any(letter.isdigit() for cell in first for letter in cell):
        return False
    if len(first) > 2:
        return True
    # With two columns the rows may be names and values, of which some have figures.
    columns = zip(*(row for row in others if len(row) == len(first)), strict=True)
    return any(any(column) and all(any(map(str.isdigit, cell)) for cell in column if cell) for column in columns)
