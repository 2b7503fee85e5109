"""Tables in files of every type become rows that name their cells."""

import io

import docx
import pytest

from echomind_ingestor.extract.read import read
from echomind_ingestor.extract.tables import label_rows

ROWS = [("City", "Limit", "Contact"), ("Oslo", "200 euro", "Anna Berg"), ("Rome", "150 euro", "Carlo")]
LABELLED = ["City: Oslo; Limit: 200 euro; Contact: Anna Berg", "City: Rome; Limit: 150 euro; Contact: Carlo"]


def word() -> bytes:
    document = docx.Document()
    document.add_paragraph("Limits by city follow.")
    table = document.add_table(3, 3)
    for number, row in enumerate(ROWS):
        for column, text in enumerate(row):
            table.cell(number, column).text = text
    document.add_paragraph("That is all.")
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def html() -> bytes:
    rows = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in ROWS)
    return f"<h1>Hotels</h1><p>Limits follow.</p><table>{rows}</table><p>That is all.</p>".encode()


def markdown() -> bytes:
    head, *rows = ("| " + " | ".join(row) + " |" for row in ROWS)
    return "\n".join(["# Hotels", "", head, "|---|:-:|--|", *rows, "", "That is all."]).encode()


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (word(), "a.docx"),
        (html(), "a.html"),
        (markdown(), "a.md"),
        ("\n".join(",".join(row) for row in ROWS).encode(), "a.csv"),
        ("\n".join("\t".join(row) for row in ROWS).encode(), "a.tsv"),
    ],
)
def test_each_row_repeats_its_header(data: bytes, name: str) -> None:
    found = read(data, name, "")
    lines = [line.removeprefix("- ") for line in found.text.splitlines() if "; " in line]
    assert lines == LABELLED
    assert "City Limit" not in found.text
    assert "That is all." in found.text or name.endswith(("csv", "tsv"))
    for heading in found.headings:
        assert found.text[heading.start :].lstrip("# ").startswith(heading.title)


def test_code_and_what_only_looks_like_a_table_stay() -> None:
    text = "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\na | b\n\nc | d\n---\n| e |\n|---|"
    assert label_rows(text) == text


def test_empty_cells_and_escaped_bars() -> None:
    table = "Model | Power | Note\n--- | --- | ---\nP-1 | | a\\|b\n| | | |\nP-2 | 5 kW"
    assert label_rows(table) == "- Model: P-1; Note: a|b\n- Model: P-2; Power: 5 kW"
