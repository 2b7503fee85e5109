"""File types are detected by content; unsupported ones are rejected with advice."""

import io
import zipfile

import pytest

from echomind_ingestor.extract.kinds import DOCX, EMAIL, HTML, MARKDOWN, PDF, TEXT, XLSX, detect
from echomind_ingestor.extract.result import UnreadableError
from tests.drivers.tables import for_each
from tests.factories.compound import compound
from tests.factories.files import MakePdf, zip_of


def zip_that_says(*, entries: int = 1, size: int = 1) -> bytes:
    """Returns an archive whose list says that so many entries unpack to so many bytes each."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("word/document.xml", "x")
        (entry,) = archive.filelist
        entry.file_size = size
        archive.filelist *= entries
    return buffer.getvalue()


@for_each(
    ("data", "name", "stated", "kind"),
    [
        (b"Hello there", "a.txt", "", TEXT),
        (b"# Hello", "a.MD", "application/octet-stream", MARKDOWN),
        (b"Hello", "a", "text/markdown; charset=utf-8", MARKDOWN),
        (b"print('x')", "a.py", "text/markdown", TEXT),
        (b"\xef\xbb\xbf\n<!DOCTYPE HTML><p>x", "page", "", HTML),
        (b"Subject: x\n\ny", "m.eml", "", EMAIL),
        ("Grüße".encode("utf-16"), "a.txt", "", TEXT),
        (b"junk before\n%PDF-1.7 ...", "a.pdf", "", PDF),
        (b"\x89PNG\r\n\x1a\n", "a.pdf", PDF, "image/png"),
        (b"\xff\xd8\xff\xe0", "scan", "", "image/jpeg"),
        (b"\x1f\x8b\x08\0", "a.tar.gz", "", "application/gzip"),
        (zip_of({"a.txt": "x"}), "a.docx", "", "application/zip"),
        (b"II*\0\x08\0\0\0", "fax.tif", "", "image/tiff"),
        (b"RIFF\x24\0\0\0WEBPVP8 ", "a.webp", "", "image/webp"),
        (b"BM is an abbreviation of many things, also in Bern.", "a.txt", "", TEXT),
        (b"{\\rtf1 x}", "a.doc", "", "application/rtf"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"x" * 600, "a.doc", "", "application/msword"),
        (compound({"WordDocument": bytes(12)}), "a.xls", "", "application/msword"),
        (compound({"Workbook": b"x"}), "a", "", "application/vnd.ms-excel"),
        (compound({"PowerPoint Document": b"x", "Current User": bytes(16)}), "a", "", "application/vnd.ms-powerpoint"),
        (compound({"__properties_version1.0": b"x"}), "a", "", "application/vnd.ms-outlook"),
        (b"BEGIN:VCALENDAR", "a.ics", "", "text/calendar"),
        (b"BEGIN:VCARD", "a", "text/vcard", "text/vcard"),
        (b"Berths\n======", "a.rst", "", "text/x-rst"),
        (b"= Berths", "a.ADOC", "text/plain", "text/asciidoc"),
        (b"* Berths", "a.org", "", "text/org"),
        (b"\\section{Berths}", "a", "text/x-tex", "text/x-tex"),
        (zip_of({"xl/workbook.xml": "<x/>"}), "a.docx", DOCX, XLSX),
    ],
)
def test_kind_goes_by_content_then_name(data: bytes, name: str, stated: str, kind: str) -> None:
    assert detect(data, name, stated) == kind


def test_pdf_named_text_is_a_pdf(make_pdf: MakePdf) -> None:
    assert detect(make_pdf(1), "notes.txt", "text/plain") == PDF


@for_each(
    ("data", "name", "text"),
    [
        (b"", "a.txt", "empty"),
        (b" \n\t\n", "a.txt", "empty"),
        (b"\x7fELF\x02\x01", "report.pdf", "This is a program"),
        (b"MZ\x90\0", "report.docx", "This is a program"),
        (b"8BPS\0\1", "a.psd", "This is an image"),
        (b"\0\0\0\x18ftypheic", "a.heic", "Save it as PNG or JPEG"),
        (b"RIFF\0\0\0\0WAVE", "a.wav", "not a document"),
        (b"\0\0\0\x18ftypmp42", "a.mp4", "not a document"),
        (b"7z\xbc\xaf'\x1c", "a.7z", "pack them as ZIP"),
        (b"Rar!\x1a\x07", "a.rar", "pack them as ZIP"),
        (b"PK\x03\x04 cut off", "a.docx", "damaged"),
        (b"SQLite format 3\0", "a.db", "This is a database"),
        (bytes(range(256)) * 4, "a.txt", "Unsupported file type"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.xlsx", "password-protected"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a.dat", "old Office file"),
        (compound({"WordDocument": bytes(11) + b"\1"}), "a.doc", "password-protected"),
        (compound({"EncryptedPackage": b"x"}), "a", "password-protected"),
        (
            compound({"PowerPoint Document": b"x", "Current User": bytes(12) + b"\xdf\xc4\xd1\xf3"}),
            "a.ppt",
            "password-protected",
        ),
        (zip_of({"Index/Document.iwa": "x", "preview.jpg": "x"}), "a.numbers", "export it as PDF"),
        (b"\x78\x9f\x3e\x22\1\0", "winmail.dat", "Ask its sender"),
        (b"PAR1\0", "a.parquet", "Export it as text or CSV"),
        (zip_that_says(size=300_000_000), "bomb.docx", "too much to read"),
        (zip_that_says(entries=20_001), "many.docx", "too much to read"),
    ],
)
def test_refused_with_advice(data: bytes, name: str, text: str) -> None:
    with pytest.raises(UnreadableError, match=text):
        detect(data, name, "")
