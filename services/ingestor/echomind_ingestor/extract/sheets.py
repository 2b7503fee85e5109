"""Spreadsheets as text: every row has cell labels, as a passage may start far below the heading row."""

from collections.abc import Sequence

from echomind_ingestor.extract.decode import normalize
from echomind_ingestor.extract.result import Heading
from echomind_lib.text import HEADING_CHARACTERS, NAME_CHARACTERS, single_line


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

    Rows of a single cell above the heading row are titles.
    """
    cleaned = [[" ".join(normalize(cell).split()) for cell in row] for row in rows]
    cleaned = [row for row in cleaned if any(row)]
    head = next((index for index, row in enumerate(cleaned) if sum(map(bool, row)) > 1), 0)
    titles, body = cleaned[:head], cleaned[head:]
    if len(body) > 1 and _is_heading_row(body[0]):
        names = body[0]
        lines = [
            "; ".join(f"{name}: {cell}" for name, cell in zip(names, row, strict=False) if cell) for row in body[1:]
        ]
    else:
        lines = [" | ".join(cell for cell in row if cell) for row in body]
    return "\n".join([*(next(filter(None, row)) for row in titles), *lines])


def _is_heading_row(row: Sequence[str]) -> bool:
    return len(set(row)) == len(row) and all(any(letter.isalpha() for letter in cell) for cell in row)
