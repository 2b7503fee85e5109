"""Pages of web sites: their main text with its headings, and all of it where that would be too little."""

from echomind_ingestor.extract.read import read

NAVIGATION = "<nav>" + "".join(f'<a href="/{word}">Menu {word}</a> ' for word in ("one", "two", "three")) + "</nav>"
PARAGRAPH = "<p>Employees who have worked for a year may take thirty days of leave, as the works council agreed.</p>"


def page(body: str) -> bytes:
    head = "<head><title>Leave policy</title></head>"
    return f"<!DOCTYPE html><html>{head}<body>{NAVIGATION}{body}<footer>Imprint</footer></body></html>".encode()


def test_navigation_is_left_out_and_headings_stay() -> None:
    body = f"<main><article><h1>Leave</h1>{PARAGRAPH * 5}<h2>Parents</h2>{PARAGRAPH * 5}</article></main>"
    found = read(page(body), "Leave policy 2.0", "text/html", is_page=True)
    assert "thirty days of leave" in found.text
    assert "Menu two" not in found.text
    assert "Imprint" not in found.text
    assert [heading.title for heading in found.headings] == ["Leave", "Parents"]
    assert (found.title, found.content_type) == ("Leave policy", "text/html")


def test_a_short_page_is_read_as_it_is() -> None:
    rows = "".join(f"<li><a href='/{number}'>Office {number}: opens at {number}</a></li>" for number in range(20))
    found = read(page(f"<ul>{rows}</ul>"), "offices", "text/html", is_page=True)
    assert "Office 19: opens at 19" in found.text
