"""Files of every kind: text, headings, pages, titles."""

import io

import pytest
from reportlab.pdfgen.canvas import Canvas  # type: ignore[import-untyped]

from echomind_ingestor.extract.read import read
from echomind_ingestor.extract.result import Extracted, UnreadableError
from tests.drivers.tables import for_each
from tests.factories.files import SENTENCES, MakePdf


def titles(found: Extracted) -> list[tuple[int, str]]:
    """Headings; each must begin a line of the text."""
    for heading in found.headings:
        assert heading.start == 0 or found.text[heading.start - 1] == "\n"
        assert found.text[heading.start :].lstrip("# ").startswith(heading.title.split()[0])
    return [(heading.level, heading.title) for heading in found.headings]


def test_pdf_has_headings_pages_and_unbroken_sentences(make_pdf: MakePdf) -> None:
    found = read(make_pdf(4, foot="Confidential, for staff only"), "handbook.pdf", "")
    assert titles(found) == [(1, f"Chapter {number}: Leave") for number in range(1, 5)]
    assert [page.number for page in found.pages] == [1, 2, 3, 4]
    assert all(found.text[page.start :].startswith(f"Chapter {page.number}") for page in found.pages)
    assert all(found.text.count(sentence) == 16 for sentence in SENTENCES)
    assert "Confidential" not in found.text
    assert found.title == "Staff Handbook"
    assert found.content_type == "application/pdf"


@for_each(
    "title",
    [
        "untitled",
        "Microsoft Word - plan.docx",
        "(unspecified)",
        "plan.pdf",
        "PowerPoint Presentation",
        "PowerPoint-Präsentation",
        "Invoice Template",
        "Vorlage Protokoll",
        "Tabelle1",
        "Office Theme",
    ],
)
def test_useless_titles_are_left_out(make_pdf: MakePdf, title: str) -> None:
    assert read(make_pdf(1, title=title), "a.pdf", "").title == ""


@pytest.mark.parametrize("title", ["Table of fees", "Presentation of the harbour", "Contemplation", "Book of hours"])
def test_titles_that_begin_like_useless_ones_are_kept(make_pdf: MakePdf, title: str) -> None:
    assert read(make_pdf(1, title=title), "a.pdf", "").title == title


def test_word_document(word_document: bytes) -> None:
    found = read(word_document, "policy.docx", "")
    assert titles(found) == [(1, "Hotels"), (2, "Abroad")]
    assert "Up to 150 euro a night." in found.text
    assert "City: Oslo; Limit: 200" in found.text
    assert found.title == "Travel Policy"


def test_slides_are_pages_with_notes(slides: bytes) -> None:
    found = read(slides, "goals.pptx", "")
    assert [title for _, title in titles(found)] == ["Goal 1", "Goal 2", "Goal 3"]
    assert [page.number for page in found.pages] == [1, 2, 3]
    assert found.text[found.pages[1].start :].startswith("Goal 2")
    assert "Say more about 3" in found.text


def test_workbook(workbook: bytes) -> None:
    found = read(workbook, "prices.xlsx", "")
    assert titles(found) == [(1, "Prices"), (1, "Notes")]
    assert "Item: Desk; Cost: 100\nItem: Chair; Cost: 45.5" in found.text
    assert "Ordered in May" in found.text


def test_mail_with_attachment(email: bytes) -> None:
    found = read(email, "move.eml", "")
    assert found.title == "Office move"
    assert "We move on Friday." in found.text
    assert [(member.name, member.data) for member in found.members] == [("plan.txt", b"Two lorries, nine o'clock.")]


def test_open_document_and_book(open_document: bytes, book: bytes) -> None:
    assert titles(read(open_document, "a.odt", "")) == [(1, "Canteen")]
    found = read(book, "a.epub", "")
    assert (found.title, titles(found)) == ("Garden Book", [(1, "Roses")])
    assert "Cut them in March." in found.text


def test_html_reads_as_people_see_it() -> None:
    html = (
        "<html><head><title>Parking &amp; bikes</title><script>var secret=1</script><style>p{}</style></head><body>"
        "<h1>Parking</h1><p>The garage opens at 6 &mdash; bring a <a href='http://example.com/x'>badge</a>.</p>"
        "<h2>Bikes</h2><ul><li>Racks</li></ul></body></html>"
    )
    found = read(html.encode("utf-16"), "page.html", "")
    assert titles(found) == [(1, "Parking"), (2, "Bikes")]
    assert "The garage opens at 6 — bring a badge." in found.text
    assert found.title == "Parking & bikes"
    assert "secret" not in found.text


def test_markdown_is_kept_as_it_is() -> None:
    text = "---\ntitle: Guide\n---\n# Set up\n\nUse `pip`.\n\n## More"
    found = read(text.encode(), "guide.md", "")
    assert (found.text, found.title, titles(found)) == (text, "Guide", [(1, "Set up"), (2, "More")])


def test_tables_of_values() -> None:
    assert "Cost: 100" in read(b"Item,Cost\nDesk,100\n", "a.csv", "").text


def test_rich_text() -> None:
    assert read(rb"{\rtf1\ansi Plain \b bold\b0 .}", "a.rtf", "").text == "Plain bold."


def blank_pdf() -> bytes:
    """Returns a page with a drawing."""
    buffer = io.BytesIO()
    page = Canvas(buffer)
    page.rect(100, 100, 200, 200, fill=1)
    page.showPage()
    page.save()
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "said"),
    [("locked.pdf", "password-protected: remove the password"), ("cut.pdf", "damaged"), ("blank.pdf", "scan it again")],
)
def test_unreadable_pdfs(make_pdf: MakePdf, name: str, said: str) -> None:
    data = {"locked.pdf": make_pdf(1, password="secret"), "cut.pdf": make_pdf(1)[:900], "blank.pdf": blank_pdf()}[name]
    with pytest.raises(UnreadableError, match=said):
        read(data, name, "", recognized={1: ""})


def test_damaged_word_document(word_document: bytes) -> None:
    damaged = word_document.replace(b"word/document.xml", b"word/documend.xml")
    with pytest.raises(UnreadableError):
        read(damaged, "a.docx", "")


def test_page_without_text() -> None:
    with pytest.raises(UnreadableError, match="No text was found"):
        read(b"<html><script>1</script></html>", "a.html", "")
