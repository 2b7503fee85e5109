"""PDFs: tables of every form, columns, pages turned and running from the right."""

import io
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reportlab.lib import colors  # type: ignore[import-untyped]
from reportlab.lib.pagesizes import A4, landscape  # type: ignore[import-untyped]
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]
from reportlab.platypus import (  # type: ignore[import-untyped]
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    PageBreak,
    PageTemplate,
    Paragraph,
    Spacer,
    Table,
)

from tests.factories.corpus import Document, labelled
from tests.factories.pdf_tables import RULED, samples

_FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
"""A font with Hebrew and Arabic letters; a subset of it is in the files."""
_STYLES = getSampleStyleSheet()
_PROSE = tuple(
    f"Remark {number}: the harbour office keeps the berths in the order in which the ships arrive, day and night."
    for number in range(14)
)


def pdfs() -> Iterator[Document]:
    """Yields the PDFs of the corpus."""
    yield from _plain_tables()
    yield from _merged()
    yield from _several_tables()
    yield from _figures()
    yield from _over_pages()
    yield from _without_header()
    yield from _columns()
    yield from _turned()
    yield from _from_the_right()


def _h1(text: str) -> Paragraph:
    return Paragraph(text, _STYLES["Heading1"])


def _h2(text: str) -> Paragraph:
    return Paragraph(text, _STYLES["Heading2"])


def _p(text: str) -> Paragraph:
    return Paragraph(text, _STYLES["BodyText"])


def _build(
    story: Sequence[Flowable],
    *,
    size: tuple[float, float] = A4,
    frames: Sequence[Frame] = (),
    on_page: Callable[[Any, Any], None] | None = None,
) -> bytes:
    buffer = io.BytesIO()
    document = BaseDocTemplate(buffer, pagesize=size, invariant=1)
    whole = Frame(60, 60, size[0] - 120, size[1] - 120)
    document.addPageTemplates(PageTemplate(frames=list(frames) or [whole], onPage=on_page or _nothing))
    document.build(list(story))
    return buffer.getvalue()


def _nothing(canvas: Any, document: Any) -> None:
    """Draws nothing around the text of a page."""


def _plain_tables() -> Iterator[Document]:
    """Yields the tables of `pdf_tables`: rules, wrapped and empty cells, columns, page breaks."""
    for name, sample in samples().items():
        rows = labelled(sample.header, *sample.rows)
        city, limit = sample.rows[3][0], sample.rows[3][1]
        asked = [(f"What is the limit in {city}?", limit)] if city.startswith("Town") else []
        file = "".join(letter if letter.isalnum() else "-" for letter in name).replace("--", "-")
        yield Document(f"table-{file}.pdf", sample.data, name, rows, sample.order, sample.headings, questions=asked)


def _merged() -> Iterator[Document]:
    header = ("Region", "Harbour", "Depth", "Berths")
    cells = [
        ("North", "Aalborg", "9.1 m", "14"),
        ("", "Skagen", "7.5 m", "22"),
        ("South", "Genoa", "15.0 m", "61"),
        ("", "Bari", "12.4 m", "35"),
        ("", "Naples", "13.8 m", "48"),
    ]
    full = [("North" if index < 2 else "South", *row[1:]) for index, row in enumerate(cells)]
    style = [*RULED, ("SPAN", (0, 1), (0, 2)), ("SPAN", (0, 3), (0, 5)), ("VALIGN", (0, 0), (-1, -1), "TOP")]
    yield Document(
        "merged-rows.pdf",
        _build([_h1("Harbours"), _p("Depths are measured at low water."), Table([header, *cells], style=style)]),
        "cells merged over several rows",
        labelled(header, *full),
        ("Harbours", "low water", "Aalborg", "Skagen", "Genoa", "Naples"),
        ("Harbours",),
        questions=[("How many berths are there in Naples?", "48"), ("How deep is the water in Genoa?", "15.0 m")],
    )
    years = ["", "2024", "", "2025", ""]
    names = ["Quarter", "Plan", "Result", "Plan", "Result"]
    quarters = [[f"Q{number}", *(f"{base + number}" for base in (110, 120, 130, 140))] for number in range(1, 5)]
    style = [*RULED, ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0)), ("ALIGN", (1, 0), (-1, 0), "CENTER")]
    joined = ("Quarter", "2024 Plan", "2024 Result", "2025 Plan", "2025 Result")
    yield Document(
        "merged-header.pdf",
        _build([_h1("Sales"), _p("In thousand euro."), Table([years, names, *quarters], style=style)]),
        "a header of two rows with merged cells",
        labelled(joined, *quarters),
        ("Sales", "In thousand euro", "Q1", "Q2", "Q4"),
        ("Sales",),
    )
    tariff_header = ("Tariff", "Monthly fee\n(net)", "Calls abroad\n(per minute)")
    tariffs = [["Basic", "9 EUR", "0.30 EUR"], ["Comfort", "19 EUR", "0.15 EUR"], ["Premium", "39 EUR", "free"]]
    yield Document(
        "header-of-two-lines.pdf",
        _build([_h1("Tariffs"), _p("All tariffs run for one year."), Table([tariff_header, *tariffs], style=RULED)]),
        "header cells of two lines",
        labelled([name.replace("\n", " ") for name in tariff_header], *tariffs),
        ("Tariffs", "one year", "Basic", "Comfort", "Premium"),
        ("Tariffs",),
        questions=[("What is the monthly fee of the Comfort tariff?", "19 EUR")],
    )


def _several_tables() -> Iterator[Document]:
    first = (("Tool", "Weight"), ("Hammer", "800 g"), ("Saw", "450 g"), ("Plane", "1,900 g"))
    second = (
        ("Wood", "Density", "Price", "Origin"),
        ("Oak", "0.71", "48 EUR", "Poland"),
        ("Beech", "0.72", "39 EUR", "Germany"),
        ("Larch", "0.59", "31 EUR", "Austria"),
    )
    story = [
        _h1("Workshop"),
        _h2("Tools"),
        Table(first, style=RULED),
        Spacer(1, 12),
        _p("Tools are returned in the evening, wood is taken from the store with a slip."),
        _h2("Wood"),
        Table(second, style=RULED),
    ]
    yield Document(
        "two-tables.pdf",
        _build(story),
        "two tables of different width on a page",
        [*labelled(*first), *labelled(*second)],
        ("Workshop", "Hammer", "returned in the evening", "Oak", "Larch"),
        ("Workshop", "Tools", "Wood"),
        questions=[("Where does oak come from?", "Poland"), ("How heavy is the plane?", "1,900 g")],
    )
    table = (
        ("Vaccine", "Doses", "Interval"),
        ("Tetanus", "3", "10 years"),
        ("Rabies", "4", "2 years"),
        ("Typhoid", "1", "3 years"),
    )
    story = [
        _h1("Vaccinations"),
        _p("Staff who travel abroad are vaccinated by the company physician."),
        Table(table, style=RULED),
        Paragraph("Table 3: Vaccinations before a journey", _STYLES["Italic"]),
        _p("The costs are borne by the company."),
    ]
    yield Document(
        "caption-below.pdf",
        _build(story),
        "a caption below its table",
        labelled(*table),
        ("Vaccinations", "company physician", "Tetanus", "Typhoid", "Table 3", "borne by the company"),
        ("Vaccinations",),
        questions=[("How many doses does rabies need?", "4")],
    )
    table = (
        ("Substance", "Limit", "Method"),
        ("Benzene", "0.5 ppm 1", "GC"),
        ("Toluene", "50 ppm", "GC"),
        ("Lead", "0.15 mg 2", "AAS"),
    )
    story = [
        _h1("Limits at the workplace"),
        Table(table, style=RULED),
        Spacer(1, 8),
        Paragraph("1 Mean of eight hours.", _STYLES["Italic"]),
        Paragraph("2 In a cubic metre of air.", _STYLES["Italic"]),
    ]
    yield Document(
        "footnotes.pdf",
        _build(story),
        "footnotes below a table",
        labelled(*table),
        ("Limits at the workplace", "Benzene", "Lead", "Mean of eight hours", "In a cubic metre"),
        ("Limits at the workplace",),
    )


def _figures() -> Iterator[Document]:
    header = ("Account", "2024", "2025", "Change")
    rows = [
        ("Revenue", "12,450,300", "13,120,900", "5.4 %"),
        ("Cost of sales", "-8,300,120", "-8,910,440", "-7.4 %"),
        ("Staff", "-2,110,000", "-2,204,500", "-4.5 %"),
        ("Total", "2,040,180", "2,005,960", "-1.7 %"),
    ]
    style = [("LINEABOVE", (0, -1), (-1, -1), 1, colors.black), ("ALIGN", (1, 0), (-1, -1), "RIGHT")]
    yield Document(
        "accounts.pdf",
        _build([_h1("Income statement"), _p("In euro."), Table([header, *rows], style=style, colWidths=90)]),
        "figures aligned right, with a total",
        labelled(header, *rows),
        ("Income statement", "In euro", "Revenue", "Staff", "Total"),
        ("Income statement",),
        questions=[("What was the revenue in 2025?", "13,120,900")],
    )
    header = ("Größe", "Länge", "Gewicht", "Preis")
    rows = [
        ("Klein", "1,20 m", "3,5 kg", "49,90 €"),
        ("Mittel", "1,55 m", "4,8 kg", "64,90 €"),
        ("Groß", "1,95 m", "6,1 kg", "79,90 €"),
    ]
    pdfmetrics.registerFont(TTFont("DejaVu", _FONT))
    german = ParagraphStyle("german", fontName="DejaVu", fontSize=10, leading=14)
    title = ParagraphStyle("title", fontName="DejaVu", fontSize=18, leading=26)
    table = Table([header, *rows], style=[*RULED, ("FONT", (0, 0), (-1, -1), "DejaVu", 10)])
    yield Document(
        "german.pdf",
        _build([Paragraph("Übersicht der Zelte", title), Paragraph("Preise gelten bis März.", german), table]),
        "German words and decimal commas",
        labelled(header, *rows),
        ("Übersicht der Zelte", "März", "Klein", "Mittel", "Groß"),
        ("Übersicht der Zelte",),
        questions=[("Was wiegt das Zelt in der Größe Mittel?", "4,8 kg")],
    )
    header = ("Day", "Opens", "Closes", "Remark")
    days = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
    rows = [
        (day, f"0{7 + number % 3}:30", f"1{6 + number % 4}:00", f"gate {number}") for number, day in enumerate(days)
    ]
    shaded = [("BACKGROUND", (0, number), (-1, number), colors.lightgrey) for number in (0, 2, 4, 6)]
    yield Document(
        "shaded-rows.pdf",
        _build([_h1("Opening hours"), Table([header, *rows], style=shaded, colWidths=80)]),
        "shaded rows without rules",
        labelled(header, *rows),
        ("Opening hours", *days),
        questions=[("When does the gate close on Friday?", "16:00")],
    )


def _over_pages() -> Iterator[Document]:
    header = ("Part", "Store", "Stock")
    rows = [
        (f"Bolt M{number}", f"Shelf {number % 7}-{number % 5}", f"{number * 13} pieces") for number in range(3, 120)
    ]

    def running(canvas: Any, document: Any) -> None:
        canvas.drawString(60, 800, "Warehouse list of the Bergen plant")
        canvas.drawCentredString(300, 30, f"Page {document.page} of 4")

    story = [_h1("Stock"), _p("Counted on the last day of June."), Table([header, *rows], style=RULED, repeatRows=1)]
    yield Document(
        "over-pages.pdf",
        _build([*story, _p("Signed by the store keeper.")], on_page=running),
        "a table over several pages, below running heads",
        labelled(header, *rows),
        ("Stock", "Counted on", "Bolt M3", "Bolt M60", "Bolt M119", "Signed by"),
        ("Stock",),
        pages=((1, "Bolt M3;"), (2, "Bolt M60;"), (3, "Bolt M110;")),
        absent=("Warehouse list", "Page 2"),
        questions=[("Where is the bolt M77 stored?", "Shelf 0-2")],
    )
    chapters = [
        part
        for number in range(1, 6)
        for part in (
            _h1(f"Chapter {number}"),
            _p(f"The rule of chapter {number} holds for the whole year."),
            PageBreak(),
        )
    ]
    yield Document(
        "chapters.pdf",
        _build(chapters, on_page=running),
        "a chapter on each page",
        order=[f"The rule of chapter {number}" for number in range(1, 6)],
        headings=[f"Chapter {number}" for number in range(1, 6)],
        pages=[(number, f"The rule of chapter {number}") for number in range(1, 6)],
    )


def _without_header() -> Iterator[Document]:
    rows: list[tuple[str, ...]] = [
        ("10115", "Berlin", "030"),
        ("20095", "Hamburg", "040"),
        ("80331", "Munich", "089"),
        ("50667", "Cologne", "0221"),
    ]
    yield Document(
        "without-header.pdf",
        _build([_h1("Dialling codes"), _p("By postal code:"), Table(rows, style=RULED)]),
        "a table without a header",
        [" | ".join(row) for row in rows],
        ("Dialling codes", "By postal code", "Berlin", "Cologne"),
        ("Dialling codes",),
    )
    rows = [("Name", "Ingrid Dahl"), ("Department", "Purchasing"), ("Room", "B 214"), ("Telephone", "5521")]
    yield Document(
        "form.pdf",
        _build([_h1("Data sheet"), Table(rows, style=RULED, colWidths=[90, 200])]),
        "a form of names and values",
        [" | ".join(row) for row in rows],
        ("Data sheet", "Ingrid Dahl", "Purchasing", "B 214", "5521"),
        ("Data sheet",),
        questions=[("What is the number of the room?", "B 214")],
    )
    header = ("Step", "What to do", "Who")
    rows = [
        ("First", "Close the valve.\nWait a minute.", "Operator"),
        ("Second", "Open the lid.\nTake the filter out.", "Operator"),
        ("Third", "Write the date\ninto the log.", "Shift leader"),
    ]
    yield Document(
        "lines-in-cells.pdf",
        _build([_h1("Filter change"), Table([header, *rows], style=RULED)]),
        "line breaks within cells",
        labelled(header, *([cell.replace("\n", " ") for cell in row] for row in rows)),
        ("Filter change", "Close the valve", "Take the filter out", "Write the date"),
        ("Filter change",),
        questions=[("Who writes the date into the log?", "Shift leader")],
    )


def _columns() -> Iterator[Document]:
    width = (A4[0] - 80) / 2
    frames = [Frame(40 + index * width, 60, width - 12, A4[1] - 120) for index in range(2)]
    table = (("Ship", "Length", "Berth"), ("Anna", "31 m", "4"), ("Bertha", "56 m", "9"), ("Clara", "78 m", "12"))
    remarks = [_p(text) for text in _PROSE]
    story = [_h1("Arrivals"), *remarks[:4], Table(table, style=RULED), Spacer(1, 10), *remarks[4:8], FrameBreak()]
    yield Document(
        "table-in-left-column.pdf",
        _build([*story, *remarks[8:]], frames=frames),
        "a table in the left of two columns",
        labelled(*table),
        (
            "Arrivals",
            *(f"Remark {number}:" for number in range(4)),
            "Anna",
            "Clara",
            "Remark 5:",
            "Remark 9:",
            "Remark 13:",
        ),
        ("Arrivals",),
        questions=[("At which berth is the Bertha?", "9")],
    )
    size = landscape(A4)
    width = (size[0] - 80) / 3
    frames = [Frame(40 + index * width, 60, width - 12, size[1] - 120) for index in range(3)]
    story = [_h1("News"), *remarks[:5], FrameBreak(), *remarks[5:10], FrameBreak(), *remarks[10:]]
    yield Document(
        "three-columns.pdf",
        _build(story, size=size, frames=frames),
        "three columns of running text",
        order=("News", *(f"Remark {number}:" for number in range(14))),
        headings=("News",),
    )


def _turned() -> Iterator[Document]:
    header = ("Machine", "Power", "Year", "Hall")
    rows = [
        ("Lathe", "7 kW", "2011", "A"),
        ("Mill", "11 kW", "2017", "B"),
        ("Press", "22 kW", "2004", "A"),
        ("Saw", "3 kW", "2020", "C"),
    ]
    story = [_h1("Machines"), _p("Serviced each spring."), Table([header, *rows], style=RULED)]

    def turned(canvas: Any, document: Any) -> None:
        canvas.setPageRotation(90)
        canvas.translate(A4[0], 0)
        canvas.rotate(90)

    def sideways(canvas: Any, document: Any) -> None:
        canvas.translate(A4[0], 0)
        canvas.rotate(90)

    frame = Frame(60, 60, A4[1] - 120, A4[0] - 120)
    for file, on_page, title in (
        ("turned-page.pdf", turned, "a page that is turned for reading"),
        ("sideways.pdf", sideways, "a table that stands sideways on its page"),
    ):
        yield Document(
            file,
            _build(story, frames=[frame], on_page=on_page),
            title,
            labelled(header, *rows),
            ("Machines", "Serviced each spring", "Lathe", "Press", "Saw"),
            ("Machines",),
            questions=[("How much power has the press?", "22 kW")],
        )


def _from_the_right() -> Iterator[Document]:
    pdfmetrics.registerFont(TTFont("DejaVu", _FONT))
    hebrew = (("עיר", "מחיר", "שנה"), ("חיפה", "120", "2021"), ("אילת", "340", "2022"), ("יפו", "95", "2023"))
    arabic = (("مدينة", "سعر", "سنة"), ("دار", "120", "2021"), ("رزق", "340", "2022"), ("ورد", "95", "2023"))
    for file, table, heading in (("hebrew.pdf", hebrew, "מחירים"), ("arabic.pdf", arabic, "اوراد")):
        drawn = [[cell if cell.isdigit() else cell[::-1] for cell in reversed(row)] for row in table]
        style = [*RULED, ("FONT", (0, 0), (-1, -1), "DejaVu", 11), ("ALIGN", (0, 0), (-1, -1), "RIGHT")]
        title = ParagraphStyle("right", fontName="DejaVu", fontSize=18, leading=26, alignment=2)
        yield Document(
            file,
            _build([Paragraph(heading[::-1], title), Table(drawn, style=style, colWidths=80)]),
            "text and columns from right to left",
            labelled(*table),
            (heading, table[1][0], table[3][0]),
        )
