"""PDFs whose pages are unusual: columns, turned pages, scripts from the right."""

from collections.abc import Iterator
from typing import Any

from reportlab.lib.pagesizes import A4, landscape  # type: ignore[import-untyped]
from reportlab.lib.styles import ParagraphStyle  # type: ignore[import-untyped]
from reportlab.pdfbase import pdfmetrics  # type: ignore[import-untyped]
from reportlab.pdfbase.ttfonts import TTFont  # type: ignore[import-untyped]
from reportlab.platypus import (  # type: ignore[import-untyped]
    Frame,
    FrameBreak,
    Paragraph,
    Spacer,
    Table,
)

from tests.factories.corpus import Document, labelled
from tests.factories.corpus.pdf_parts import FONT, PROSE, build, h1, p
from tests.factories.pdf_tables import RULED


def columns() -> Iterator[Document]:
    width = (A4[0] - 80) / 2
    frames = [Frame(40 + index * width, 60, width - 12, A4[1] - 120) for index in range(2)]
    table = (("Ship", "Length", "Berth"), ("Anna", "31 m", "4"), ("Bertha", "56 m", "9"), ("Clara", "78 m", "12"))
    remarks = [p(text) for text in PROSE]
    story = [h1("Arrivals"), *remarks[:4], Table(table, style=RULED), Spacer(1, 10), *remarks[4:8], FrameBreak()]
    yield Document(
        "table-in-left-column.pdf",
        build([*story, *remarks[8:]], frames=frames),
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
    story = [h1("News"), *remarks[:5], FrameBreak(), *remarks[5:10], FrameBreak(), *remarks[10:]]
    yield Document(
        "three-columns.pdf",
        build(story, size=size, frames=frames),
        "three columns of running text",
        order=("News", *(f"Remark {number}:" for number in range(14))),
        headings=("News",),
    )


def turned() -> Iterator[Document]:
    header = ("Machine", "Power", "Year", "Hall")
    rows = [
        ("Lathe", "7 kW", "2011", "A"),
        ("Mill", "11 kW", "2017", "B"),
        ("Press", "22 kW", "2004", "A"),
        ("Saw", "3 kW", "2020", "C"),
    ]
    story = [h1("Machines"), p("Serviced each spring."), Table([header, *rows], style=RULED)]

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
            build(story, frames=[frame], on_page=on_page),
            title,
            labelled(header, *rows),
            ("Machines", "Serviced each spring", "Lathe", "Press", "Saw"),
            ("Machines",),
            questions=[("How much power has the press?", "22 kW")],
        )


def from_the_right() -> Iterator[Document]:
    pdfmetrics.registerFont(TTFont("DejaVu", FONT))
    hebrew = (("עיר", "מחיר", "שנה"), ("חיפה", "120", "2021"), ("אילת", "340", "2022"), ("יפו", "95", "2023"))
    arabic = (("مدينة", "سعر", "سنة"), ("دار", "120", "2021"), ("رزق", "340", "2022"), ("ورد", "95", "2023"))
    for file, table, heading in (("hebrew.pdf", hebrew, "מחירים"), ("arabic.pdf", arabic, "اوراد")):
        drawn = [[cell if cell.isdigit() else cell[::-1] for cell in reversed(row)] for row in table]
        style = [*RULED, ("FONT", (0, 0), (-1, -1), "DejaVu", 11), ("ALIGN", (0, 0), (-1, -1), "RIGHT")]
        title = ParagraphStyle("right", fontName="DejaVu", fontSize=18, leading=26, alignment=2)
        yield Document(
            file,
            build([Paragraph(heading[::-1], title), Table(drawn, style=style, colWidths=80)]),
            "text and columns from right to left",
            labelled(*table),
            (heading, table[1][0], table[3][0]),
        )
