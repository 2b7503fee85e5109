"""Office files: texts, slides and sheets, whose archives have no times."""

import io
import zipfile
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from tests.factories.corpus import Document, labelled
from tests.factories.files import zip_of

_DATE = (2025, 1, 1, 0, 0, 0)


def office_files() -> Iterator[Document]:
    """Yields texts, slides and sheets."""
    yield from _texts()
    yield from _changed()
    yield from _slides()
    yield from _sheets()
    yield from _open_documents()


def untimed(data: bytes) -> bytes:
    """Returns an archive whose entries all have the same date, so that it is the same each time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(buffer, "w") as target:
        for entry in source.infolist():
            target.writestr(zipfile.ZipInfo(entry.filename, _DATE), source.read(entry), zipfile.ZIP_DEFLATED, 9)
    return buffer.getvalue()


def _saved(file: Any) -> bytes:
    buffer = io.BytesIO()
    file.save(buffer)
    return untimed(buffer.getvalue())


def _fill(table: Any, rows: Sequence[Sequence[str]]) -> None:
    for index, row in enumerate(rows):
        for column, text in enumerate(row):
            table.cell(index, column).text = text


def _texts() -> Iterator[Document]:
    import docx

    allowances = (("Country", "Day", "Night"), ("Norway", "75 EUR", "181 EUR"), ("Spain", "42 EUR", "103 EUR"))
    text = docx.Document()
    text.add_heading("Journeys", 1)
    text.add_paragraph("Allowances are paid from the eighth hour.")
    _fill(text.add_table(3, 3), allowances)
    text.add_paragraph("Receipts are handed in within a month.")
    text.add_heading("By car", 2)
    text.add_paragraph("The company pays 30 cents a kilometre.")
    yield Document(
        "table-between-paragraphs.docx",
        _saved(text),
        "a table between paragraphs",
        labelled(*allowances),
        ("Journeys", "eighth hour", "Norway", "Spain", "Receipts", "By car", "30 cents"),
        ("Journeys", "By car"),
        questions=[("What is paid for a night in Norway?", "181 EUR")],
    )
    merged = docx.Document()
    merged.add_heading("Shifts", 1)
    table = merged.add_table(4, 3)
    _fill(table, (("Hall", "Shift", "Leader"), ("A", "early", "Olsen"), ("", "late", "Berg"), ("B", "night", "Lund")))
    table.cell(1, 0).merge(table.cell(2, 0)).text = "A"
    yield Document(
        "merged-cells.docx",
        _saved(merged),
        "a cell merged over two rows",
        labelled(("Hall", "Shift", "Leader"), ("A", "early", "Olsen"), ("A", "late", "Berg"), ("B", "night", "Lund")),
        ("Shifts", "Olsen", "Berg", "Lund"),
        ("Shifts",),
        questions=[("Who leads the late shift in hall A?", "Berg")],
    )
    captioned = docx.Document()
    captioned.add_heading("Findings", 1)
    captioned.add_paragraph("Table 1: Samples of May", style="Caption")
    samples = (("Sample", "Iron"), ("W-1", "0.2 mg"), ("W-2", "0.9 mg"), ("W-3", "0.4 mg"))
    _fill(captioned.add_table(4, 2), samples)
    for item in ("Boil the water.", "Filter it.", "Store it cold."):
        captioned.add_paragraph(item, style="List Number")
    yield Document(
        "caption-and-list.docx",
        _saved(captioned),
        "a caption above a table, and a numbered list",
        labelled(*samples),
        ("Findings", "Table 1: Samples of May", "W-1", "W-3", "Boil the water", "Filter it", "Store it cold"),
        ("Findings",),
        questions=[("How much iron has the sample W-2?", "0.9 mg")],
    )


_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_BY = 'w:id="1" w:author="Ann" w:date="2026-01-01T00:00:00Z"'
_FOOTNOTES = (
    f'<w:footnotes {_WORD}><w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>The bill is sent in March.'
    "</w:t></w:r></w:p></w:footnote></w:footnotes>"
)
_PARTS = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _changed() -> Iterator[Document]:
    import docx
    from docx.oxml import parse_xml

    text = docx.Document()
    text.add_heading("Agreement", 1)
    changed = text.add_paragraph("The notice period is ")
    changed._p.append(parse_xml(f"<w:del {_WORD} {_BY}><w:r><w:delText>four weeks</w:delText></w:r></w:del>"))
    changed._p.append(parse_xml(f"<w:ins {_WORD} {_BY}><w:r><w:t>six weeks</w:t></w:r></w:ins>"))
    changed.add_run(" to the end of a month.")
    noted = text.add_paragraph("Heating is billed once a year.")
    noted._p.append(parse_xml(f'<w:r {_WORD}><w:footnoteReference w:id="2"/></w:r>'))
    files: dict[str, str | bytes] = {}
    with zipfile.ZipFile(io.BytesIO(_saved(text))) as archive:
        files |= {name: archive.read(name) for name in archive.namelist()}
    types, relations = "[Content_Types].xml", "word/_rels/document.xml.rels"
    kind = f'<Override PartName="/word/footnotes.xml" ContentType="{_PARTS}.footnotes+xml"/></Types>'
    files[types] = bytes(files[types]).replace(b"</Types>", kind.encode())  # type: ignore[arg-type]
    target = f'<Relationship Id="rId99" Type="{_RELATIONS}/footnotes" Target="footnotes.xml"/></Relationships>'
    files[relations] = bytes(files[relations]).replace(b"</Relationships>", target.encode())  # type: ignore[arg-type]
    files["word/footnotes.xml"] = _FOOTNOTES
    yield Document(
        "changes-and-footnote.docx",
        untimed(zip_of(files)),
        "tracked changes and a footnote",
        order=(
            "The notice period is six weeks to the end of a month.",
            "Heating is billed once a year.",
            "The bill is sent in March.",
        ),
        headings=("Agreement",),
        absent=("four weeks", "[^"),
        questions=[("When is the bill sent?", "in March")],
    )


def _slides() -> Iterator[Document]:
    import pptx
    from pptx.util import Inches

    deck = pptx.Presentation()
    for number, (title, body, note) in enumerate(
        (
            ("Goals", "Open three shops", "Mention Oslo"),
            ("Budget", "Two million euro", "Say that the board agreed"),
            ("Dates", "Opening in May", "Ask for questions"),
        )
    ):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = body
        slide.notes_slide.notes_text_frame.text = f"{note} on slide {number + 1}."
    yield Document(
        "notes.pptx",
        _saved(deck),
        "slides with notes",
        order=("Goals", "Open three shops", "Mention Oslo", "Budget", "Two million", "board agreed", "Dates"),
        headings=("Goals", "Budget", "Dates"),
        pages=((1, "Open three shops"), (2, "Two million euro"), (3, "Opening in May")),
    )
    yield from _moved(deck)
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Branches"
    branches = (("Branch", "Staff", "Opened"), ("Turku", "12", "1998"), ("Pori", "7", "2006"), ("Vaasa", "21", "2015"))
    frame = slide.shapes.add_table(4, 3, Inches(1), Inches(2), Inches(6), Inches(2))
    _fill(frame.table, branches)
    yield Document(
        "table-on-slide.pptx",
        _saved(deck),
        "a table on a slide",
        labelled(*branches),
        ("Branches", "Turku", "Vaasa"),
        ("Branches",),
        pages=((1, "Turku"),),
        questions=[("How many staff are there in Vaasa?", "21")],
    )


def _workbook(fill: Any) -> bytes:
    import xlsxwriter  # type: ignore[import-untyped]

    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True})
    book.set_properties({"created": datetime(2025, 1, 1, tzinfo=UTC).replace(tzinfo=None)})
    fill(book)
    book.close()
    return untimed(buffer.getvalue())


def _moved(deck: Any) -> Iterator[Document]:
    """Yields slides of which the last was moved to the front, where a diagram was added."""
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    order = deck.slides._sldIdLst
    order.insert(0, order[-1])
    visitors: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    visitors.categories = ["2024", "2025"]
    visitors.add_series("Visitors", (1200, 1850))
    place = (Inches(1), Inches(4), Inches(4), Inches(3))
    deck.slides[0].shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *place, visitors)
    # The workbook in the diagram has the time of its making.
    chart = deck.slides[0].shapes[-1].chart.part
    chart.drop_rel(chart._element.xpath("c:externalData/@r:id")[0])
    chart._element.remove(chart._element.xpath("c:externalData")[0])
    yield Document(
        "moved-slide-with-diagram.pptx",
        _saved(deck),
        "slides in another order than their files, with a diagram",
        ["Category: 2024; Visitors: 1200", "Category: 2025; Visitors: 1850"],
        ("Opening in May", "Category: 2025", "Open three shops", "Two million euro"),
        ("Dates", "Goals", "Budget"),
        pages=((1, "Visitors: 1850"), (2, "Open three shops"), (3, "Two million euro")),
        questions=[("How many visitors were there in 2025?", "1850")],
    )


def _sheets() -> Iterator[Document]:
    def formulas(book: Any) -> None:
        sheet = book.add_worksheet("Orders")
        for index, row in enumerate((("Item", "Price", "Number", "Sum"), ("Desk", 250, 4), ("Chair", 99.5, 8))):
            sheet.write_row(index, 0, row)
        sheet.write_formula("D2", "=B2*C2", None, 1000)
        sheet.write_formula("D3", "=B3*C3", None, 796)
        sheet.write_row(3, 0, ("Total", "", ""))
        sheet.write_formula("D4", "=SUM(D2:D3)", None, 1796)

    header = ("Item", "Price", "Number", "Sum")
    yield Document(
        "formulas.xlsx",
        _workbook(formulas),
        "formulas with their results",
        labelled(header, ("Desk", "250", "4", "1000"), ("Chair", "99.5", "8", "796"), ("Total", "", "", "1796")),
        ("Orders", "Desk", "Chair", "Total"),
        ("Orders",),
        absent=("=B2*C2", "SUM("),
        questions=[("What is the sum of the chairs?", "796")],
    )

    def merged(book: Any) -> None:
        sheet = book.add_worksheet("Rota")
        sheet.write_row(0, 0, ("Team", "Day", "Person"))
        sheet.merge_range(1, 0, 2, 0, "Red")
        sheet.write_row(1, 1, ("Monday", "Eva"))
        sheet.write_row(2, 1, ("Tuesday", "Jan"))
        sheet.write_row(3, 0, ("Blue", "Monday", "Kim"))

    yield Document(
        "merged-cells.xlsx",
        _workbook(merged),
        "a cell merged over two rows",
        labelled(
            ("Team", "Day", "Person"), ("Red", "Monday", "Eva"), ("Red", "Tuesday", "Jan"), ("Blue", "Monday", "Kim")
        ),
        ("Rota", "Eva", "Jan", "Kim"),
        ("Rota",),
        questions=[("Who of the team Red works on Tuesday?", "Jan")],
    )

    def titled(book: Any) -> None:
        sheet = book.add_worksheet("Prices")
        sheet.merge_range(0, 0, 0, 2, "Price list of spring 2025")
        sheet.write_row(2, 0, ("Plant", "Pot", "Price"))
        sheet.write_row(3, 0, ("Rose", "2 l", "8 EUR"))
        sheet.write_row(4, 0, ("Thyme", "1 l", "3 EUR"))
        notes = book.add_worksheet("Notes")
        notes.write(0, 0, "Prices hold until August.")
        book.add_worksheet("Empty")

    yield Document(
        "title-above-table.xlsx",
        _workbook(titled),
        "a title above a table, and several sheets",
        labelled(("Plant", "Pot", "Price"), ("Rose", "2 l", "8 EUR"), ("Thyme", "1 l", "3 EUR")),
        ("Prices", "Price list of spring 2025", "Rose", "Thyme", "Notes", "Prices hold until August."),
        ("Prices", "Notes"),
        questions=[("What does a rose cost?", "8 EUR")],
    )

    def dates(book: Any) -> None:
        sheet = book.add_worksheet("Contracts")
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        share = book.add_format({"num_format": "0.0%"})
        sheet.write_row(0, 0, ("Contract", "Ends", "Discount"))
        for index, (name, end, discount) in enumerate((("Cleaning", 45_838, 0.05), ("Guard", 46_203, 0.125)), start=1):
            sheet.write(index, 0, name)
            sheet.write_number(index, 1, end, day)
            sheet.write_number(index, 2, discount, share)

    yield Document(
        "dates-and-shares.xlsx",
        _workbook(dates),
        "dates and percentages",
        [
            "Contract: Cleaning; Ends: 2025-06-30; Discount: 5%",
            "Contract: Guard; Ends: 2026-06-30; Discount: 12.5%",
        ],
        order=("Contracts", "Cleaning", "2025-06-30", "Guard", "2026-06-30"),
        headings=("Contracts",),
        questions=[("When does the contract Guard end?", "2026-06-30")],
    )

    def two(book: Any) -> None:
        sheet = book.add_worksheet("Stock")
        for number, row in enumerate((("Fruit", "Kilo"), ("Apple", 3), (), ("City", "Zip"), ("Bonn", "53111"))):
            sheet.write_row(number, 0, row)

    yield Document(
        "two-tables.xlsx",
        _workbook(two),
        "two tables in one sheet",
        ["Fruit: Apple; Kilo: 3", "City: Bonn; Zip: 53111"],
        headings=("Stock",),
    )


def _open_documents() -> Iterator[Document]:
    spaces = "".join(
        f' xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table")
    )

    def packed(kind: str, body: str) -> bytes:
        content = f"<office:document-content{spaces}><office:body>{body}</office:body></office:document-content>"
        files: dict[str, str | bytes] = {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": content,
            "META-INF/manifest.xml": "<manifest/>",
        }
        return untimed(zip_of(files))

    def table(rows: Sequence[Sequence[str]]) -> str:
        lines = "".join(
            "<table:table-row>"
            + "".join(
                f'<table:table-cell office:value-type="string"><text:p>{cell}</text:p></table:table-cell>'
                for cell in row
            )
            + "</table:table-row>"
            for row in rows
        )
        return f'<table:table table:name="Courses">{lines}</table:table>'

    courses = (("Course", "Room", "Start"), ("Welding", "W3", "9 May"), ("Painting", "P1", "4 June"))
    heading = '<text:h text:outline-level="1">Training</text:h><text:p>Courses are free for staff.</text:p>'
    yield Document(
        "table.odt",
        packed("text", f"<office:text>{heading}{table(courses)}</office:text>"),
        "a table in an OpenDocument text",
        labelled(*courses),
        ("Training", "free for staff", "Welding", "Painting"),
        ("Training",),
        questions=[("In which room is the course Painting?", "P1")],
    )
    yield Document(
        "sheet.ods",
        packed("spreadsheet", f"<office:spreadsheet>{table(courses)}</office:spreadsheet>"),
        "an OpenDocument sheet",
        labelled(*courses),
        ("Courses", "Welding", "Painting"),
        questions=[("When does the course Welding start?", "9 May")],
    )
