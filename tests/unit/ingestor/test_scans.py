"""Scanned pages and images: which are recognised, how recognised lines become text, what users are told."""

import pytest
from PIL import Image

from echomind_ingestor.extract.geometry import Box
from echomind_ingestor.extract.read import read
from echomind_ingestor.extract.recognition.images import UnreadableImageError, page_image
from echomind_ingestor.extract.recognition.page import page_text
from echomind_ingestor.extract.result import ScansFoundError, UnreadableError
from tests.factories.files import MakePdf
from tests.factories.scans import image_file, scanned_page

PAGE = scanned_page(["Leave is granted by the manager."])


def boxes(rows: list[list[str]], lefts: list[int], *, top: int = 100, step: int = 30) -> list[Box]:
    """Returns recognised cells, 20 pixels high, 10 pixels a letter."""
    return [
        Box(text, left, top + step * number, left + 10 * len(text), top + step * number + 20)
        for number, row in enumerate(rows)
        for left, text in zip(lefts, row, strict=True)
        if text
    ]


def test_rows_of_a_scanned_table_are_whole() -> None:
    rows = [["City", "Limit", "From"], ["Oslo", "200", "May"], ["Rome", "180", "June"], ["Bern", "", "July"]]
    text = page_text(boxes(rows, [100, 160, 220]))
    assert text.split("\n") == [
        "| City | Limit | From |",
        "| --- | --- | --- |",
        "| Oslo | 200 | May |",
        "| Rome | 180 | June |",
        "| Bern |  | July |",
    ]


def test_lines_that_lie_askew_stay_lines() -> None:
    rows = [["City", "Limit"], ["Oslo", "200"], ["Rome", "180"]]
    straight = boxes(rows, [100, 400])
    askew = [Box(each.text, each.left, each.top + 6, each.right, each.bottom + 6) for each in straight[1::2]]
    assert "| Rome | 180 |" in page_text([*straight[::2], *askew])


def test_columns_of_a_scan_are_read_one_after_the_other() -> None:
    left = [[f"Left line {number} is about the harbour"] for number in range(8)]
    right = [[f"Right line {number} is about the hills"] for number in range(8)]
    title = [Box("A title that stands above both of the columns of the page", 100, 40, 800, 60)]
    text = page_text([*title, *boxes(left, [100]), *boxes(right, [480], top=107)])
    words = [text.find(mark) for mark in ("A title", "Left line 0", "Left line 7", "Right line 0", "Right line 7")]
    assert words == sorted(words)
    assert -1 not in words


def test_paragraphs_of_a_scan_are_kept_apart() -> None:
    above = boxes([["First paragraph,"], ["second line."]], [100])
    below = boxes([["Next paragraph."]], [100], top=260)
    assert page_text([*above, *below]) == "First paragraph,\nsecond line.\n\nNext paragraph."


@pytest.mark.parametrize(("kind", "pages"), [("PNG", (1,)), ("JPEG", (1,)), ("TIFF", (1, 2)), ("PDF", (1, 2))])
def test_scans_are_recognised_before_they_are_read(kind: str, pages: tuple[int, ...]) -> None:
    """A peer stores PDFs without text as empty documents."""
    data = image_file([PAGE] * len(pages), kind)
    with pytest.raises(ScansFoundError) as raised:
        read(data, "scan", "")
    assert (raised.value.pages, raised.value.is_pdf) == (pages, kind == "PDF")
    found = read(data, "scan", "", recognized={number: f"Page {number}: leave." for number in pages})
    assert "Page 1: leave." in found.text
    assert [page.number for page in found.pages] == (list(pages) if len(pages) > 1 else [])


def test_pages_with_text_are_not_recognised(make_pdf: MakePdf) -> None:
    assert "Chapter 2" in read(make_pdf(2), "handbook.pdf", "").text


def test_a_table_of_a_scan_has_labelled_rows() -> None:
    table = "| City | Limit |\n| --- | --- |\n| Oslo | 200 |"
    assert read(image_file([PAGE], "PDF"), "scan.pdf", "", recognized={1: table}).text == "- City: Oslo; Limit: 200"


@pytest.mark.parametrize("kind", ["PNG", "PDF"])
@pytest.mark.parametrize(("recognized", "said"), [({}, "could not be recognised"), ({1: ""}, "No text was recognised")])
def test_a_scan_without_text_says_what_to_do(kind: str, recognized: dict[int, str], said: str) -> None:
    with pytest.raises(UnreadableError, match=f"{said}.*150 to 300 dpi"):
        read(image_file([PAGE], kind), "scan", "", recognized=recognized)


def test_pages_that_failed_are_named() -> None:
    found = read(image_file([PAGE] * 3, "PDF"), "scan.pdf", "", recognized={2: "Only this."})
    assert found.text == "Only this."
    assert found.warnings == ("Scanned pages that could not be recognised: 1, 3. Scan them again and upload them.",)


@pytest.mark.parametrize("data", [b"\x89PNG\r\n\x1a\n cut off", b"\xff\xd8\xff\xe0\0\x10JFIF", b"II*\0\x08\0\0\0"])
def test_damaged_images(data: bytes) -> None:
    with pytest.raises(UnreadableError, match="damaged or too large"):
        read(data, "scan", "")


def test_a_page_is_brought_to_a_size_that_can_be_recognised() -> None:
    wide = image_file([Image.new("L", (5000, 1000), 255)], "PNG")
    assert page_image(wide, 1, is_pdf=False).shape == (400, 2000, 3)
    assert page_image(image_file([PAGE], "PDF"), 1, is_pdf=True).shape[2] == 3
    with pytest.raises(UnreadableImageError):
        page_image(image_file([PAGE], "PDF"), 2, is_pdf=True)


def test_an_image_that_unpacks_to_too_much_is_refused() -> None:
    bomb = image_file([Image.new("1", (20_000, 20_000), 1)], "PNG")
    assert len(bomb) < 100_000
    with pytest.raises(UnreadableImageError):
        page_image(bomb, 1, is_pdf=False)


def test_transparent_pixels_are_white() -> None:
    clear = Image.new("RGBA", (60, 60), (0, 0, 0, 0))
    assert page_image(image_file([clear], "PNG"), 1, is_pdf=False).min() == 255
