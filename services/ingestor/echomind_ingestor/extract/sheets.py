"""Spreadsheets as text: every row has cell labels, as a passage may start far below the heading row."""

import re
from collections.abc import Sequence
from itertools import dropwhile, groupby

from echomind_ingestor.extract.decode import normalize
from echomind_ingestor.extract.result import Heading
from echomind_lib.text import HEADING_CHARACTERS, NAME_CHARACTERS, single_line

_DATE = re.compile(r"(?P<date>\d{4}-\d\d-\d\d) 00:00:00")
_TIME = re.compile(r"1899-12-3[01] (?P<time>\d\d:\d\d:\d\d)")
"""A time of day, which workbooks store as a part of their day zero."""
_LONG_FRACTION = re.compile(r"-?\d+\.\d{15,}")


def sheets_text(sheets: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> tuple[str, tuple[Heading, ...]]:
    """Returns a workbook as text, one row per line, each sheet under its name.

    Args:
        sheets: Name and rows of cells of each sheet.
    """
    text = ""
    headings = []
    for stated, rows in sheets:
        lines = rows_text(rows)
        if not lines:
            continue
        name = single_line(stated, NAME_CHARACTERS)
        text += "\n\n" if text else ""
        headings.append(Heading(1, single_line(name, HEADING_CHARACTERS), len(text)))
        text += f"{name}\n\n{lines}"
    return text, tuple(headings)


def rows_text(rows: Sequence[Sequence[str]]) -> str:
    """Returns rows as lines: `Name: Ada; Role: Engineer` under a heading row, otherwise `Ada | Engineer`.

    Rows of a single cell above the heading row are titles. A heading row after an empty one begins another table.
    """
    cleaned = [[shown(" ".join(normalize(cell).split())) for cell in row] for row in rows]
    tables: list[list[list[str]]] = []
    for is_filled, group in groupby(cleaned, key=any):
        if is_filled:
            block = list(group)
            if tables and not _begins_table(block):
                tables[-1] += block
            else:
                tables.append(block)
    return "\n\n".join(map(_table_text, tables))


def shown(cell: str) -> str:
    """Returns a cell as people read it: a date without midnight, a time without the day zero, no binary fractions."""
    if date := _DATE.fullmatch(cell):
        return date["date"]
    if time := _TIME.fullmatch(cell):
        return time["time"]
    return f"{float(cell):.15g}" if _LONG_FRACTION.fullmatch(cell) else cell


def _table_text(rows: Sequence[Sequence[str]]) -> str:
    head = next((index for index, row in enumerate(rows) if sum(map(bool, row)) > 1), 0)
    titles, body = rows[:head], rows[head:]
    if len(body) > 1 and _is_heading_row(body[0]):
        names = body[0]
        lines = [
            "; ".join(f"{name}: {cell}" for name, cell in zip(names, row, strict=False) if cell) for row in body[1:]
        ]
    else:
        lines = [" | ".join(cell for cell in row if cell) for row in body]
    return "\n".join([*(next(filter(None, row)) for row in titles), *lines])


def _begins_table(rows: Sequence[Sequence[str]]) -> bool:
    """Returns whether rows after an empty one have names of columns: words above something that has no letters."""
    body = list(dropwhile(lambda row: sum(map(bool, row)) < 2, rows))
    names = [cell for cell in body[0] if cell] if body else []
    return _is_heading_row(names) and any(
        cell and name and not any(letter.isalpha() for letter in cell)
        for row in body[1:2]
        for name, cell in zip(body[0], row, strict=False)
    )


def _is_heading_row(row: Sequence[str]) -> bool:
    return len(set(row)) == len(row) and all(any(letter.isalpha() for letter in cell) for cell in row)
