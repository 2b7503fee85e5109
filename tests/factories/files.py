"""Documents of every kind that is read, made here.

The libraries are imported where they are used: most workers that collect these tests make no document.
"""

import io
import zipfile
from collections.abc import Callable
from email.message import EmailMessage

import pytest

HANDBOOK = (
    "# Leave\n\n"
    + "Employees receive twenty-eight days of paid leave each year. " * 30
    + ("\n\n# Parking\n\nThe garage opens at six in the morning; a badge is needed.\n" * 4)
)
"""A handbook of two chapters, of several passages."""

SENTENCES = (
    "Employees receive twenty-eight days of paid leave each year.",
    "Requests go to the line manager at least two weeks before the first day.",
    "Unused days may be carried over until the end of March of the following year.",
)

MakePdf = Callable[..., bytes]


@pytest.fixture
def make_pdf() -> MakePdf:
    """Makes a PDF of chapters, one a page, with the same line at the foot of each."""
    from reportlab.lib import pdfencrypt  # type: ignore[import-untyped]
    from reportlab.lib.styles import getSampleStyleSheet  # type: ignore[import-untyped]
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate  # type: ignore[import-untyped]

    def make(pages: int = 4, *, title: str = "Staff Handbook", password: str | None = None, foot: str = "") -> bytes:
        style = getSampleStyleSheet()
        story = []
        for number in range(1, pages + 1):
            story.append(Paragraph(f"Chapter {number}: Leave", style["Heading1"]))
            story += [
                Paragraph(f"{number}. " + f"{sentence} " * 4 + f"See {number}.", style["BodyText"])
                for sentence in SENTENCES
            ]
            if foot:
                story.append(Paragraph(foot, style["BodyText"]))
            story.append(PageBreak())
        buffer = io.BytesIO()
        encrypt = pdfencrypt.StandardEncryption(password) if password else None
        SimpleDocTemplate(buffer, title=title, encrypt=encrypt).build(story)
        return buffer.getvalue()

    return make


@pytest.fixture
def word_document() -> bytes:
    import docx

    document = docx.Document()
    document.core_properties.title = "Travel Policy"
    document.add_heading("Hotels", 1)
    document.add_paragraph("Up to 150 euro a night.")
    document.add_heading("Abroad", 2)
    table = document.add_table(2, 2)
    for row, cells in enumerate([("City", "Limit"), ("Oslo", "200")]):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


@pytest.fixture
def slides() -> bytes:
    import pptx

    deck = pptx.Presentation()
    for number in range(1, 4):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = f"Goal {number}"
        slide.placeholders[1].text = f"Reach target {number}"
        slide.notes_slide.notes_text_frame.text = f"Say more about {number}"
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


@pytest.fixture
def workbook() -> bytes:
    import openpyxl  # type: ignore[import-untyped]

    book = openpyxl.Workbook()
    prices = book.active
    prices.title = "Prices"
    for row in (("Item", "Cost"), ("Desk", 100), ("Chair", 45.5)):
        prices.append(row)
    people = book.create_sheet("Notes")
    people.append(("Ordered in May", None))
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


@pytest.fixture
def email() -> bytes:
    message = EmailMessage()
    message["Subject"] = "Office move"
    message["From"] = "ada@example.com"
    message["To"] = "all@example.com"
    message.set_content("We move on Friday.\n\nBring boxes.")
    message.add_attachment(b"Two lorries, nine o'clock.", maintype="text", subtype="plain", filename="plan.txt")
    return bytes(message)


def zip_of(files: dict[str, str | bytes]) -> bytes:
    """Returns a ZIP archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture
def open_document() -> bytes:
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    text = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    return zip_of(
        {
            "mimetype": "application/vnd.oasis.opendocument.text",
            "content.xml": f'<office:document-content xmlns:office="{office}" xmlns:text="{text}">'
            "<office:body><office:text>"
            '<text:h text:outline-level="1">Canteen</text:h><text:p>Open from eleven.</text:p>'
            "</office:text></office:body></office:document-content>",
            "META-INF/manifest.xml": "<manifest/>",
        }
    )


@pytest.fixture
def book() -> bytes:
    return zip_of(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="c.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
            "c.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0">'
            '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Garden Book</dc:title></metadata>'
            '<manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></package>',
            "a.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><body><h1>Roses</h1>'
            "<p>Cut them in <b>March</b>.</p></body></html>",
        }
    )
