"""Cells that are merged over several rows: each of the rows gets their text, as a row is found and quoted alone.

And pages without the elements that only change how a text looks.
"""

import html
import re
import zipfile
from collections.abc import Sequence, Set
from copy import deepcopy
from dataclasses import dataclass
from io import BytesIO
from typing import Any

_MAX_XML = 64 * 1024**2
"""Bytes of a sheet, unpacked, up to which merged cells are looked for."""
_MAX_SPAN = 1000
_DIGITS = 6
_MAX_COPIES = 20_000
"""Copies of cells that are made for a page."""
_SHEET = re.compile(rb'<(?:\w+:)?sheet\s[^>]*?\bname="([^"]*)"[^>]*?\br:id="([^"]*)"')
_RELATION = re.compile(rb"<(?:\w+:)?Relationship\s[^>]*>")
_ATTRIBUTE = re.compile(rb'\b(Id|Target)="([^"]*)"')
_DIMENSION = re.compile(rb'<(?:\w+:)?dimension\s[^>]*?\bref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?\bref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
_STYLES = "xl/styles.xml"
_FORMAT = re.compile(rb'<(?:\w+:)?numFmt\s[^>]*?\bnumFmtId="(\d+)"[^>]*?\bformatCode="([^"]*)"')
_CELL_STYLES = re.compile(rb"<(?:\w+:)?cellXfs\b(.*?)</(?:\w+:)?cellXfs>", re.DOTALL)
_FORMAT_OF_STYLE = re.compile(rb'<(?:\w+:)?xf\s[^>]*?\bnumFmtId="(\d+)"')
_SHARE_FORMATS = frozenset({b"9", b"10"})
"""Numbers of the formats `0%` and `0.00%`, which workbooks do not state."""
_STYLED = re.compile(rb'<(?:\w+:)?c\s[^>]*?\br="([A-Z]{1,3})(\d{1,7})"[^>]*?\bs="(?P<style>\d+)"')
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d+)?(?:[eE]-?\d{1,3})?")
_HAS_ROWSPAN = re.compile(rb"rowspan\s*=", re.IGNORECASE)
_LOOKS = (
    "b",
    "big",
    "code",
    "del",
    "em",
    "font",
    "i",
    "ins",
    "kbd",
    "mark",
    "s",
    "small",
    "strike",
    "strong",
    "tt",
    "u",
    "var",
)
"""Elements that Markdown has marks for, which would stand between the letters of a text."""
_UNREAD = ("footer", "nav", "script", "style", "svg", "template")


@dataclass(frozen=True, slots=True)
class SheetCells:
    """The merged cells and percentages of a sheet, counted from its first used row and column."""

    rows: int
    """Number of its used rows."""
    columns: int
    """Number of its used columns."""
    ranges: Sequence[tuple[int, int, int]]
    """Column, first and last row of each merged cell."""
    shares: Sequence[tuple[int, int]] = ()
    """Column and row of each cell that is shown in per cent."""


def sheet_cells(data: bytes) -> dict[str, SheetCells]:
    """Returns the cells of a workbook that are merged over rows or shown in per cent, by the name of their sheet.

    Args:
        data: An XLSX file that another library has read.
    """
    found: dict[str, SheetCells] = {}
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            targets = _targets(_part(archive, "xl/_rels/workbook.xml.rels"))
            styles = _share_styles(_part(archive, _STYLES)) if _STYLES in archive.namelist() else frozenset()
            for name, relation in _SHEET.findall(_part(archive, "xl/workbook.xml")):
                target = targets.get(relation, b"").decode("utf-8", "replace").lstrip("/")
                path = target if target.startswith("xl/") else f"xl/{target}"
                if target and (merged := _of_sheet(_part(archive, path), styles)):
                    found[html.unescape(name.decode("utf-8", "replace"))] = merged
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, RuntimeError, EOFError):
        return {}
    return found


def filled(rows: Sequence[Sequence[str]], merged: SheetCells) -> Sequence[Sequence[str]]:
    """Returns the rows of a sheet with the text of merged cells in each of their rows, and percentages as such.

    Args:
        rows: Its used rows.
        merged: Its cells; ignored if they were counted from another cell than the rows begin with.
    """
    if len(rows) != merged.rows or any(len(row) != merged.columns for row in rows):
        return rows
    cells = [list(row) for row in rows]
    for column, row in merged.shares:
        if _NUMBER.fullmatch(cells[row][column]):
            cells[row][column] = f"{100 * float(cells[row][column]):.10g}%"
    for column, first, last in merged.ranges:
        for row in range(first + 1, last + 1):
            cells[row][column] = cells[row][column] or cells[first][column]
    return cells


def expand_spans(page: bytes) -> bytes:
    """Returns a web page in UTF-8 whose cells span no rows: each row that a cell spans has a copy of it."""
    if not _HAS_ROWSPAN.search(page):
        return page
    from lxml import etree  # type: ignore[import-untyped]
    from lxml.html import HTMLParser, document_fromstring, tostring  # type: ignore[import-untyped]

    try:
        root = document_fromstring(page, parser=HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError):
        return page
    copies = _MAX_COPIES
    for table in root.iter("table"):
        copies = _expand(table, copies)
    return bytes(tostring(root, encoding="utf-8"))


def unadorned(page: bytes) -> bytes:
    """Returns a web page in UTF-8 without emphasis, navigation, footers, drawings, scripts and styles."""
    from lxml import etree
    from lxml.html import HTMLParser, document_fromstring, tostring

    try:
        root = document_fromstring(page, parser=HTMLParser(encoding="utf-8"))
    except (etree.LxmlError, ValueError):
        return page
    etree.strip_elements(root, *_UNREAD, with_tail=False)
    etree.strip_tags(root, *_LOOKS)
    return bytes(tostring(root, encoding="utf-8"))


def _part(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _MAX_XML:
        return b""
    with archive.open(name) as source:
        return source.read(_MAX_XML)


def _targets(relations: bytes) -> dict[bytes, bytes]:
    attributes = [dict(_ATTRIBUTE.findall(relation)) for relation in _RELATION.findall(relations)]
    return {each[b"Id"]: each[b"Target"] for each in attributes if b"Id" in each and b"Target" in each}


def _share_styles(xml: bytes) -> frozenset[bytes]:
    """Returns the numbers of the styles of a workbook that show a number in per cent."""
    own = {number for number, code in _FORMAT.findall(xml) if b"%" in code}
    cells = _CELL_STYLES.search(xml)
    formats = _FORMAT_OF_STYLE.findall(cells[1]) if cells else []
    return frozenset(b"%d" % index for index, number in enumerate(formats) if number in own | _SHARE_FORMATS)


def _of_sheet(xml: bytes, styles: Set[bytes]) -> SheetCells | None:
    """Returns the merged cells and percentages of a sheet; None for none, or if its size is not stated."""
    ranges = _MERGED.findall(xml)
    places = [match.groups() for match in _STYLED.finditer(xml) if match["style"] in styles] if styles else []
    dimension = _DIMENSION.search(xml) if ranges or places else None
    if dimension is None:
        return None
    left, top, right, bottom = _numbers(*dimension.groups())
    found = []
    for each in ranges:
        column, first, _, last = _numbers(*each)
        if left <= column <= right and top <= first < last <= min(bottom, first + _MAX_SPAN):
            found.append((column - left, first - top, last - top))
    shares = [
        (column - left, row - top)
        for column, row in ((_column(letters), int(number)) for letters, number, _ in places)
        if left <= column <= right and top <= row <= bottom
    ]
    return SheetCells(bottom - top + 1, right - left + 1, found, shares) if found or shares else None


def _numbers(left: bytes, top: bytes, right: bytes, bottom: bytes) -> tuple[int, int, int, int]:
    """Returns a range of cells such as `A1:C4` as numbers from 1: left column, top row, right column, bottom row."""
    return _column(left), int(top), _column(right), int(bottom)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters[:4]:
        number = 26 * number + letter - ord("A") + 1
    return number


def _span(cell: Any, name: str) -> int:
    """Returns over how many rows or columns a cell spans, 1 if it does not say."""
    given = cell.get(name, "").strip()
    return min(max(int(given), 1), _MAX_SPAN) if given.isascii() and given.isdigit() and len(given) < _DIGITS else 1


def _expand(table: Any, copies: int) -> int:
    """Copies the cells of a table that span rows into each of these rows, and removes their attribute.

    Args:
        table: The table, which is changed.
        copies: How many copies may be made.

    Returns:
        How many more copies may be made.
    """
    spanning: dict[int, tuple[Any, int]] = {}  # by column: the cell, and in how many more rows it is
    for row in table.iter("tr"):
        if next(row.iterancestors("table")) is not table:
            continue  # a row of a table within a cell
        column = 0
        own = [cell for cell in row if cell.tag in {"td", "th"}]
        below: dict[int, tuple[Any, int]] = {}
        while own or column in spanning:
            if column in spanning and copies:
                cell, left = spanning.pop(column)
                copy = deepcopy(cell)
                copy.tail = None
                row.insert(row.index(own[0]) if own else len(row), copy)
                copies -= 1
            else:
                if not own:
                    break
                cell = own.pop(0)
                left = _span(cell, "rowspan")
                cell.attrib.pop("rowspan", None)
            if left > 1:
                below[column] = cell, left - 1
            column += _span(cell, "colspan")
        spanning = below
    return copies
