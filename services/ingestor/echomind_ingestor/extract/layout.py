"""The layout of a PDF's pages: tables, headings, and pages that are only images."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from echomind_ingestor.extract.geometry import Box, Row, find_tables, lines_of
from echomind_ingestor.extract.headings import plain

_MAX_PAGES = 3000
"""Pages whose layout is read; it takes 2 to 5 ms each."""
_SCAN_LETTERS = 20
"""Letters below which a page"""
_SCAN_IMAGE = 0.5
"""with images on more than this share of its area is a scan."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a page."""

    rows: list[Row]
    has_header: bool = False
    """Whether the first row is known to be its header."""


@dataclass(frozen=True, slots=True)
class PageLayout:
    """The layout of a page."""

    number: int
    tables: list[Table] = field(default_factory=list)
    """Its tables; a table may occur twice, read in two ways, the likelier first."""
    headings: list[tuple[int, str]] = field(default_factory=list)
    """Level and text of its headings, in order."""
    is_scan: bool = False
    """Whether the page is an image without text."""


def read_layouts(data: bytes) -> dict[int, PageLayout]:
    """Returns the layouts of a PDF's pages by page number; empty if they cannot be read.

    Args:
        data: The PDF, without a password.
    """
    import liteparse

    # Its own text recognition is off: it would need data that is not installed.
    parser = liteparse.LiteParse(
        ocr_enabled=False,
        quiet=True,
        num_workers=1,
        max_pages=_MAX_PAGES,
        output_format="markdown",
        extract_blocks=True,
        emit_word_boxes=True,
        include_complexity=True,
        keep_headers_footers=True,  # else the first rows of a table that continues on a page are left out
        continue_on_page_error=True,
    )
    try:
        return {page.page_num: _layout(page) for page in parser.parse(data).pages}
    except (liteparse.ParseError, OSError, ValueError, RuntimeError):
        return {}  # the text is read by another library, which reports what is wrong with the file


def render(data: bytes, page: int, *, dpi: int) -> bytes:
    """Returns a page of a PDF as a PNG image.

    Raises:
        ValueError: The page cannot be rendered.
    """
    import liteparse

    parser = liteparse.LiteParse(
        ocr_enabled=False, quiet=True, num_workers=1, dpi=dpi, extract_screenshots=True, target_pages=str(page)
    )
    try:
        images = parser.parse(data).screenshots
    except (liteparse.ParseError, OSError, RuntimeError) as error:
        raise ValueError(f"page {page} cannot be rendered") from error
    if not images:
        raise ValueError(f"the file has no page {page}")
    return bytes(images[0].image_bytes)


def _layout(page: Any) -> PageLayout:
    blocks = page.blocks or ()
    ruled = [_table(block) for block in blocks if block.kind == "table" and block.rows]
    headings = [(block.level or 1, plain(block.text)) for block in blocks if block.kind == "heading" and block.text]
    tables = sorted([*ruled, *_tables_by_words(page.text_items)], key=_emptiness)
    return PageLayout(page.page_num, tables, headings, _is_scan(page))


def _emptiness(table: Table) -> float:
    """Returns the share of cells without text: of two readings of a table, the one that splits it wrongly has more.

    Rows with one cell do not count, as they are headings of sections.
    """
    cells = [cell for row in table.rows if sum(map(bool, row)) > 1 for cell in row]
    return cells.count("") / len(cells) if cells else 1.0


def _is_scan(page: Any) -> bool:
    letters = sum(letter.isalpha() for letter in page.text)
    images = page.complexity
    return letters < _SCAN_LETTERS and bool(images and (images.full_page_image or images.image_coverage > _SCAN_IMAGE))


def _table(block: Any) -> Table:
    header = [] if block.header is None else [_row(block.header)]
    return Table([*header, *(_row(row) for row in block.rows)], has_header=bool(header))


def _row(cells: Sequence[Any]) -> Row:
    return tuple(" ".join(cell.text.split()) for cell in cells)


def _tables_by_words(items: Sequence[Any]) -> Iterator[Table]:
    boxes = [
        Box(word.text, word.x, word.y, word.x + word.width, word.y + word.height)
        for item in items
        if not item.rotation
        for word in item.words
    ]
    yield from (Table(rows) for _, _, rows in find_tables(lines_of(boxes)))
