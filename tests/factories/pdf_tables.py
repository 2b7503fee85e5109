"""PDFs with tables of every form, made here: small, and with all that a reader must keep named beside them."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reportlab.lib import colors  # type: ignore[import-untyped]
from reportlab.lib.pagesizes import A4, landscape  # type: ignore[import-untyped]
from reportlab.lib.styles import getSampleStyleSheet  # type: ignore[import-untyped]
from reportlab.platypus import (  # type: ignore[import-untyped]
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    PageTemplate,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
)

HEADER = ("City", "Limit", "Valid from")
ROWS = tuple((f"Town {number}", f"{100 + number} EUR", f"2026-0{number}-01") for number in range(1, 10))
RULED = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
UNDERLINED = [("LINEBELOW", (0, 0), (-1, 0), 1, colors.black)]
INTRODUCTION = "These limits hold for every trip that an employee makes within the country, and the board reviews them."
EXCEPTIONS = "Who stays longer than ten nights asks the travel office first and gets a written answer in two days."
LEFT = tuple(f"Sentence {number} of the left column tells about the weather in the harbour." for number in range(18))


@dataclass(frozen=True)
class Sample:
    """A PDF, and what it says."""

    data: bytes
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    order: Sequence[str]
    """Texts in the order in which a person reads them."""
    headings: Sequence[str] = ("Travel rules", "Hotel limits", "Exceptions")


def table_pdf(
    style: Sequence[Any] = (),
    *,
    rows: Sequence[Sequence[Any]] = ROWS,
    header: Sequence[Any] = HEADER,
    columns: int = 1,
    repeated: bool = False,
    widths: Sequence[float] | None = None,
    size: tuple[float, float] = A4,
) -> bytes:
    """Returns a PDF with text, a captioned table, and text below it; with 2 or 3 columns of text, in the last one."""
    styles = getSampleStyleSheet()
    cells = [header, *rows] if header else list(rows)
    story: list[Flowable] = [
        Paragraph("Travel rules", styles["Heading1"]),
        Paragraph(INTRODUCTION, styles["BodyText"]),
        Paragraph("Hotel limits", styles["Heading2"]),
        Paragraph("Table 1: Limits per night", styles["Italic"]),
        Table(cells, style=list(style), repeatRows=int(repeated), colWidths=widths),
        Spacer(1, 12),
        Paragraph("Exceptions", styles["Heading2"]),
        Paragraph(EXCEPTIONS, styles["BodyText"]),
    ]
    buffer = io.BytesIO()
    if columns == 1:
        SimpleDocTemplate(buffer, pagesize=size, invariant=1).build(story)
        return buffer.getvalue()
    width = (size[0] - 60) / columns
    frames = [Frame(30 + index * width, 40, width - 10, size[1] - 80) for index in range(columns)]
    document = BaseDocTemplate(buffer, pagesize=size, invariant=1)
    document.addPageTemplates(PageTemplate(frames=frames))
    before: list[Flowable] = []
    for _ in range(columns - 1):
        before += [*(Paragraph(text, styles["BodyText"]) for text in LEFT), FrameBreak()]
    document.build([*before, *story])
    return buffer.getvalue()


def _sample(data: bytes, rows: Sequence[Sequence[str]] = ROWS, header: Sequence[str] = HEADER) -> Sample:
    order = ("Travel rules", INTRODUCTION[:30], "Table 1", rows[0][0], "Exceptions", "Who stays")
    return Sample(data, header, rows, order)


def samples() -> dict[str, Sample]:
    """Returns PDFs with tables, by what is special about them."""
    body = getSampleStyleSheet()["BodyText"]
    long = tuple((f"Place {number}", f"{500 + number} EUR", f"2027-01-{number % 28 + 1:02}") for number in range(60))
    wrapped = tuple((city, limit, f"{date}, unless the office in {city} closes before") for city, limit, date in ROWS)
    flowing = [(city, limit, Paragraph(text, body)) for city, limit, text in wrapped]
    sparse = tuple((city, limit, date if index % 2 else "") for index, (city, limit, date) in enumerate(ROWS))
    pairs = tuple((city, limit) for city, limit, _ in ROWS)
    wide = tuple(tuple(f"{column}{row}" for column in "abcdefgh") for row in range(1, 8))
    names = tuple(f"Column {letter}" for letter in "ABCDEFGH")
    merged = (("Domestic", "", ""), *ROWS[:4], ("Abroad", "", ""), *ROWS[4:])
    spans = [*RULED, ("SPAN", (0, 1), (-1, 1)), ("SPAN", (0, 6), (-1, 6))]
    hebrew = tuple((date, limit, city) for city, limit, date in ROWS)
    return {
        "ruled": _sample(table_pdf(RULED)),
        "without rules": _sample(table_pdf()),
        "a rule below the header": _sample(table_pdf(UNDERLINED)),
        "two columns": _sample(table_pdf(columns=2)),
        "two columns, ruled": _sample(table_pdf(RULED, columns=2)),
        "three columns": _sample(table_pdf(columns=3, size=landscape(A4))),
        "over two pages, header repeated": _sample(table_pdf(RULED, rows=long, repeated=True), long),
        "over two pages, header once": _sample(table_pdf(RULED, rows=long), long),
        "over two pages, without rules": _sample(table_pdf(rows=long), long),
        "wrapped cells": _sample(table_pdf(RULED, rows=flowing, widths=[60, 60, 120]), wrapped),
        "empty cells": _sample(table_pdf(RULED, rows=sparse), sparse),
        "two columns of a table": _sample(table_pdf(rows=pairs, header=HEADER[:2]), pairs, HEADER[:2]),
        "eight columns": _sample(table_pdf(RULED, rows=wide, header=names), wide, names),
        "sections in merged cells": _sample(table_pdf(spans, rows=merged), ROWS),
        "columns from the right": _sample(table_pdf(RULED, rows=hebrew, header=HEADER[::-1]), hebrew, HEADER[::-1]),
        "landscape": _sample(table_pdf(RULED, size=landscape(A4))),
    }
