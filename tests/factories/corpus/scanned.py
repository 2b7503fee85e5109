"""Scans: pages that are images, alone and beside pages of text."""

import io
from collections.abc import Iterator

from reportlab.lib.utils import ImageReader  # type: ignore[import-untyped]
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from tests.factories.corpus import Document, labelled
from tests.factories.scans import image_file, scanned_page

_TABLE = (
    ("Reading", "Date", "Value"),
    ("Meter A", "3 May", "1204"),
    ("Meter B", "4 May", "877"),
    ("Meter C", "5 May", "3310"),
)
_COLUMNS = (40, 340, 620)
_TEXT = ("Meter readings of the north wing", "All values are in kilowatt hours.")


def scanned() -> Iterator[Document]:
    """Yields scans."""
    rows = labelled(*_TABLE)
    order = ("Meter readings", "Meter A", "Meter C")
    question = [("What is the value of Meter B?", "877")]
    table = scanned_page(_TEXT, _TABLE, columns=_COLUMNS)
    askew = scanned_page(_TEXT, _TABLE, columns=_COLUMNS, angle=0.4)
    second = scanned_page(("The wing is heated by gas.", "The boiler is from 1996."))
    yield Document(
        "scan.png", image_file([table], "PNG"), "a scanned table", rows, order, questions=question, scans=(1,)
    )
    yield Document(
        "scan-askew.jpg",
        image_file([askew], "JPEG"),
        "a scan that lies askew",
        rows,
        order,
        questions=question,
        scans=(1,),
    )
    yield Document(
        "scan-two-pages.tiff",
        image_file([table, second], "TIFF"),
        "a scan of two pages",
        rows,
        ("Meter readings", "Meter C", "heated by gas"),
        pages=((1, "Meter B"), (2, "heated by gas")),
        scans=(1, 2),
    )
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(table.width / 2, table.height / 2), invariant=1)
    canvas.drawImage(ImageReader(table), 0, 0, table.width / 2, table.height / 2)
    canvas.showPage()
    canvas.drawString(40, 120, "The readings were taken by the caretaker of the house.")
    canvas.save()
    yield Document(
        "scan-and-text.pdf",
        buffer.getvalue(),
        "a scanned page before a page of text",
        rows,
        ("Meter readings", "Meter C", "taken by the caretaker"),
        pages=((1, "Meter B"), (2, "taken by the caretaker")),
        questions=question,
        scans=(1,),
    )
