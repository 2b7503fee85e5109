"""Files as Markdown, for people to read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_ingestor.extract import boundary
from echomind_ingestor.extract.boundary import accept
from echomind_ingestor.extract.formatted import formatted_lines
from echomind_ingestor.extract.read import read
from echomind_ingestor.extract.result import Extracted

PAGE = (
    b"<html><head><title>Rules</title><meta name='description' content='All of them'><style>p { color: red }</style>"
    b"<script>alert(1)</script></head><body><h1>Travel</h1><p>Trains are <b>booked</b> early.</p>"
    b"<table><tr><th>City</th><th>Limit</th></tr><tr><td>Oslo</td><td>200</td></tr></table></body></html>"
)


def test_a_word_document_keeps_headings_and_tables(word_document: bytes) -> None:
    markdown = read(word_document, "policy.docx", "").markdown
    assert markdown.startswith("# Hotels\n\nUp to 150 euro a night.\n\n## Abroad\n\n| City | Limit |")
    assert "| Oslo | 200 |" in markdown


def test_sheets_are_tables_under_their_names(workbook: bytes) -> None:
    markdown = read(workbook, "prices.xlsx", "").markdown
    assert markdown.startswith(
        "## Prices\n\n| Item | Cost |\n| --- | --- |\n| Desk | 100 |\n| Chair | 45.5 |\n\n## Notes"
    )


def test_cells_keep_their_signs() -> None:
    markdown = read(b"a,b\nx|y,c\\d\n", "a.csv", "").markdown
    assert markdown == "| a | b |\n| --- | --- |\n| x\\|y | c\\\\d |"


def test_a_mail_begins_with_its_headers(email: bytes) -> None:
    head, body = read(email, "move.eml", "").markdown.removeprefix("---\n").split("\n---\n")
    assert head.split("\n") == [
        "subject: Office move",
        "from: ada@example.com",
        "to: all@example.com",
        "attachments: plan.txt",
    ]
    assert body == "\nWe move on Friday.\n\nBring boxes."


def test_the_lines_and_quotations_of_a_mail_are_kept() -> None:
    text = (
        b"From: ada@example.com\r\nSubject: Keys\r\nContent-Type: text/plain\r\n\r\n"
        b"The porter has *both*.\r\n- the old one\r\n1. the new one\r\n\r\nOn Monday, Ben wrote:\r\n> Who has\r\n"
        b"> the key?\r\n>> Nobody.\r\nBest\r\n-- \r\nAda\r\n"
    )
    assert read(text, "keys.eml", "").markdown.split("---\n\n")[1].split("\n") == [
        "The porter has \\*both\\*.\\",
        "\\- the old one\\",
        "1\\. the new one",
        "",
        "On Monday, Ben wrote:",
        "",
        "> Who has\\",
        "> the key?",
        "",
        ">> Nobody.",
        "",
        "Best\\",
        "\\--\\",
        "Ada",
    ]


@given(st.text("ab \n>-*_#1.`[]<|\\", max_size=80))
def test_lines_keep_their_letters(text: str) -> None:
    shown = formatted_lines(text)
    assert re.findall("[ab1]", shown) == re.findall("[ab1]", text)
    # A sign of a hard break stands before another line only.
    assert not re.search(r"(?<!\\)(?:\\\\)*\\(?:\n[> ]*(?:\n|\Z)|\Z)", shown)


def test_a_web_page_has_neither_head_nor_scripts() -> None:
    markdown = read(PAGE, "rules.html", "").markdown
    assert markdown.startswith("# Travel\n\nTrains are **booked** early.\n\n| City")
    assert "alert" not in markdown


def test_slides_are_parted_by_rules(slides: bytes) -> None:
    markdown = read(slides, "goals.pptx", "").markdown
    assert markdown.split("\n\n---\n\n") == [f"## Goal {n}\n\nReach target {n}" for n in (1, 2, 3)]


def test_a_markdown_file_keeps_its_tables() -> None:
    text = "# Limits\n\n| City | Limit |\n| --- | --- |\n| Oslo | 200 |"
    found = read(text.encode(), "limits.md", "")
    assert (found.markdown, "City: Oslo; Limit: 200" in found.text) == (text, True)


def test_plain_text_has_none() -> None:
    assert read(b"Plain.", "a.txt", "").markdown == ""


def test_output_of_a_child_process_is_normalized_and_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    assert accept(Extracted("a", "", "text/markdown", "", markdown="a\x00b"))[0].markdown == "ab"
    monkeypatch.setattr(boundary, "MAX_CHARACTERS", 3)
    found, changes = accept(Extracted("a", "", "text/markdown", "", markdown="abcd"))
    assert (found.markdown, changes.dropped) == ("", 1)
