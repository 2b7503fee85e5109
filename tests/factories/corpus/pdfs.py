"""PDFs: tables of every form, columns, pages turned and running from the right."""

from collections.abc import Iterator
from typing import Any

from reportlab.lib import colors  # type: ignore[import-untyped]
from reportlab.lib.styles import ParagraphStyle  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]
from reportlab.platypus import (  # type: ignore[import-untyped]
    PageBreak,
    Paragraph,
    Spacer,
    Table,
)

from tests.factories.corpus import Document, labelled
from tests.factories.corpus.pdf_pages import columns, from_the_right, turned
from tests.factories.corpus.pdf_parts import FONT, STYLES, build, h1, h2, p
from tests.factories.pdf_tables import RULED, samples


def pdfs() -> Iterator[Document]:
    """Yields the PDFs of the corpus."""
    yield from _plain_tables()
    yield from _merged()
    yield from _several_tables()
    yield from _figures()
    yield from _over_pages()
    yield from _without_header()
    yield from columns()
    yield from turned()
    yield from from_the_right()


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
        build([h1("Harbours"), p("Depths are measured at low water."), Table([header, *cells], style=style)]),
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
        build([h1("Sales"), p("In thousand euro."), Table([years, names, *quarters], style=style)]),
        "a header of two rows with merged cells",
        labelled(joined, *quarters),
        ("Sales", "In thousand euro", "Q1", "Q2", "Q4"),
        ("Sales",),
    )
    tariff_header = ("Tariff", "Monthly fee\n(net)", "Calls abroad\n(per minute)")
    tariffs = [["Basic", "9 EUR", "0.30 EUR"], ["Comfort", "19 EUR", "0.15 EUR"], ["Premium", "39 EUR", "free"]]
    yield Document(
        "header-of-two-lines.pdf",
        build([h1("Tariffs"), p("All tariffs run for one year."), Table([tariff_header, *tariffs], style=RULED)]),
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
        h1("Workshop"),
        h2("Tools"),
        Table(first, style=RULED),
        Spacer(1, 12),
        p("Tools are returned in the evening, wood is taken from the store with a slip."),
        h2("Wood"),
        Table(second, style=RULED),
    ]
    yield Document(
        "two-tables.pdf",
        build(story),
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
        h1("Vaccinations"),
        p("Staff who travel abroad are vaccinated by the company physician."),
        Table(table, style=RULED),
        Paragraph("Table 3: Vaccinations before a journey", STYLES["Italic"]),
        p("The costs are borne by the company."),
    ]
    yield Document(
        "caption-below.pdf",
        build(story),
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
        h1("Limits at the workplace"),
        Table(table, style=RULED),
        Spacer(1, 8),
        Paragraph("1 Mean of eight hours.", STYLES["Italic"]),
        Paragraph("2 In a cubic metre of air.", STYLES["Italic"]),
    ]
    yield Document(
        "footnotes.pdf",
        build(story),
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
        build([h1("Income statement"), p("In euro."), Table([header, *rows], style=style, colWidths=90)]),
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
    pdfmetrics.registerFont(TTFont("DejaVu", FONT))
    german = ParagraphStyle("german", fontName="DejaVu", fontSize=10, leading=14)
    title = ParagraphStyle("title", fontName="DejaVu", fontSize=18, leading=26)
    table = Table([header, *rows], style=[*RULED, ("FONT", (0, 0), (-1, -1), "DejaVu", 10)])
    yield Document(
        "german.pdf",
        build([Paragraph("Übersicht der Zelte", title), Paragraph("Preise gelten bis März.", german), table]),
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
        build([h1("Opening hours"), Table([header, *rows], style=shaded, colWidths=80)]),
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

    story = [h1("Stock"), p("Counted on the last day of June."), Table([header, *rows], style=RULED, repeatRows=1)]
    yield Document(
        "over-pages.pdf",
        build([*story, p("Signed by the store keeper.")], on_page=running),
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
            h1(f"Chapter {number}"),
            p(f"The rule of chapter {number} holds for the whole year."),
            PageBreak(),
        )
    ]
    yield Document(
        "chapters.pdf",
        build(chapters, on_page=running),
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
        build([h1("Dialling codes"), p("By postal code:"), Table(rows, style=RULED)]),
        "a table without a header",
        [" | ".join(row) for row in rows],
        ("Dialling codes", "By postal code", "Berlin", "Cologne"),
        ("Dialling codes",),
    )
    rows = [("Name", "Ingrid Dahl"), ("Department", "Purchasing"), ("Room", "B 214"), ("Telephone", "5521")]
    yield Document(
        "form.pdf",
        build([h1("Data sheet"), Table(rows, style=RULED, colWidths=[90, 200])]),
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
        build([h1("Filter change"), Table([header, *rows], style=RULED)]),
        "line breaks within cells",
        labelled(header, *([cell.replace("\n", " ") for cell in row] for row in rows)),
        ("Filter change", "Close the valve", "Take the filter out", "Write the date"),
        ("Filter change",),
        questions=[("Who writes the date into the log?", "Shift leader")],
    )
