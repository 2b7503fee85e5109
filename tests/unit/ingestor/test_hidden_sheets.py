"""Hidden sheets of workbooks are left out, and named."""

import io
import struct
import zipfile

import pytest

from echomind_ingestor.extract import kinds
from echomind_ingestor.extract.hidden import hidden_sheets, note_of
from echomind_ingestor.extract.read import read
from echomind_ingestor.extract.result import UnreadableError
from tests.factories.compound import compound
from tests.paths import ROOT

FOLDER = ROOT / "tests" / "data" / "documents"
XLS = "application/vnd.ms-excel"


def record(kind: int, body: bytes) -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def sheet(name: str, state: int) -> bytes:
    """Returns the record of a sheet ([MS-XLS] 2.4.28)."""
    is_wide = not name.isascii()
    written = name.encode("utf-16-le" if is_wide else "latin-1")
    return record(0x85, struct.pack("<IBBBB", 0, state, 0, len(name), is_wide) + written)


@pytest.mark.parametrize(
    ("name", "named"), [("hidden-sheets.xlsx", "Draft & old, Secret"), ("hidden-sheet.ods", "Salaries")]
)
def test_the_status_names_hidden_sheets(name: str, named: str) -> None:
    found = read((FOLDER / name).read_bytes(), name, "")
    assert found.warnings == (
        f"Hidden sheets were left out: {named}. Unhide them and upload the file again to search them.",
    )
    assert named.split(", ", maxsplit=1)[0] not in found.markdown


def test_hidden_sheets_of_old_workbooks_are_known() -> None:
    records = record(0x809, bytes(16)) + sheet("Rates", 0) + sheet("Draft", 1) + sheet("Löhne", 2) + record(0x0A, b"")
    assert hidden_sheets(compound({"Workbook": records + sheet("Late", 1)}), XLS) == {"Draft", "Löhne"}
    assert hidden_sheets(compound({"Workbook": records[:30]}), XLS) == frozenset()
    assert hidden_sheets(b"no workbook", XLS) == frozenset()


def test_a_workbook_whose_sheets_are_all_hidden_says_so() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(FOLDER / "hidden-sheets.xlsx") as source, zipfile.ZipFile(buffer, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "xl/workbook.xml":
                data = data.replace(b'<sheet name="Rates"', b'<sheet name="Rates" state="hidden"')
            target.writestr(name, data)
    assert hidden_sheets(buffer.getvalue(), kinds.XLSX) == {"Rates", "Draft & old", "Secret"}
    with pytest.raises(UnreadableError, match="All sheets with text are hidden"):
        read(buffer.getvalue(), "a.xlsx", "")


def test_the_status_names_five_hidden_sheets_at_most() -> None:
    assert note_of([]) == ()
    assert note_of(list("abcdef"))[0].startswith("Hidden sheets were left out: a, b, c, d, e, …. Unhide")
