"""Sheets of workbooks that their authors have hidden: whoever opens the workbook does not see them."""

import html
import re
import struct
import zipfile
from collections.abc import Iterator
from io import BytesIO

from echomind_ingestor.extract import kinds
from echomind_lib.text import NAME_CHARACTERS, single_line

_MAX_XML = 64 * 1024**2
"""Bytes of a part, unpacked, up to which hidden sheets are looked for."""
_SHEET = re.compile(rb"<(?:\w+:)?sheet\s[^>]*>")
_NAME = re.compile(rb'\bname="([^"]*)"')
_HIDDEN = re.compile(rb'\bstate="(?:hidden|veryHidden)"')
_STYLE = re.compile(
    rb'<style:style\s[^>]*?\bstyle:name="([^"]*)"[^>]*>(?:(?!</style:style>).)*?table:display="false"', re.DOTALL
)
_TABLE = re.compile(rb"<table:table\s[^>]*>")
_TABLE_NAME = re.compile(rb'\btable:name="([^"]*)"')
_TABLE_STYLE = re.compile(rb'\btable:style-name="([^"]*)"')
_BOUND_SHEET, _END = 0x85, 0x0A
"""Records of an XLS workbook: a sheet ([MS-XLS] 2.4.28), and the end of what stands before the sheets."""
_STREAMS = ("Workbook", "Book")
_MAX_NAMED = 5
"""Hidden sheets that the note names."""


def hidden_sheets(data: bytes, kind: str) -> frozenset[str]:
    """Returns the names of a workbook's hidden sheets; none if they cannot be told.

    Args:
        data: A workbook that another library has read.
        kind: Its MIME type.
    """
    try:
        if kind == kinds.XLSX:
            sheets = _SHEET.findall(_part(data, "xl/workbook.xml"))
            names = [name[1] for sheet in sheets if _HIDDEN.search(sheet) and (name := _NAME.search(sheet))]
        elif kind == kinds.ODS:
            content = _part(data, "content.xml")
            styles = set(_STYLE.findall(content))
            names = [
                name[1]
                for table in _TABLE.findall(content)
                if (style := _TABLE_STYLE.search(table)) and style[1] in styles and (name := _TABLE_NAME.search(table))
            ]
        else:
            return frozenset(_hidden_of_xls(data))
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, RuntimeError, EOFError, IndexError, struct.error):
        return frozenset()
    return frozenset(html.unescape(name.decode("utf-8", "replace")) for name in names)


def note_of(names: list[str]) -> tuple[str, ...]:
    """Returns what a document's status says about its hidden sheets."""
    if not names:
        return ()
    named = ", ".join(single_line(name, NAME_CHARACTERS) for name in names[:_MAX_NAMED])
    if len(names) > _MAX_NAMED:
        named += ", …"
    return (f"Hidden sheets were left out: {named}. Unhide them and upload the file again to search them.",)


def _part(data: bytes, name: str) -> bytes:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        if archive.getinfo(name).file_size > _MAX_XML:
            raise ValueError(name)
        return archive.read(name)


def _hidden_of_xls(data: bytes) -> Iterator[str]:
    import olefile  # type: ignore[import-untyped]

    with olefile.OleFileIO(BytesIO(data)) as document:
        stream = next(name for name in _STREAMS if document.exists(name))
        records = document.openstream(stream).read()
    at = 0
    while at + 4 <= len(records):
        record, length = struct.unpack_from("<HH", records, at)
        body = records[at + 4 : at + 4 + length]
        at += 4 + length
        if record == _END:
            return
        if record == _BOUND_SHEET and body[4] & 0b11:
            yield body[8:].decode("utf-16-le" if body[7] & 1 else "latin-1", "replace")
