"""The layout of a PDF's pages: tables, headings, and pages that are only images."""

from collections import Counter
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


_NARROW = 1.5
"""Maximum distance in points of a rule from the edge of a cell."""
_SPARSE = 0.2
"""Share of empty cells above which a reading of a table has divided it wrongly."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a page."""

    rows: list[Row]
    """As the words stand on the page: of cells that are merged over rows, one has their text."""
    has_header: bool = False
    """Whether the first row is known to be its header."""
    filled: list[Row] = field(default_factory=list)
    """The rows with the text of merged cells in each of them; empty if none are merged."""


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
    text: str = ""
    """Its text, line by line, if the page is turned; else another library reads it."""


def read_layouts(data: bytes) -> dict[int, PageLayout]:
    """Returns the layouts of a PDF's pages by page number; empty if they cannot be read.

    Args:
        data: The PDF, without a password.
    """
    import liteparse

    try:
        pages = {page.page_num: page for page in _parser().parse(data).pages}
        turned = [(number, angle) for number, page in pages.items() if (angle := _angle(page))]
        if turned:
            corrected = _parser(
                target_pages=",".join(str(number) for number, _ in turned), page_orientation_corrections=turned
            )
            pages |= {page.page_num: page for page in corrected.parse(data).pages}
    except (liteparse.ParseError, OSError, ValueError, RuntimeError):
        return {}  # the text is read by another library, which reports what is wrong with the file
    turned_pages = {number for number, _ in turned}
    return {number: _layout(page, is_turned=number in turned_pages) for number, page in pages.items()}


def _parser(**options: Any) -> Any:
    import liteparse

    # Its own text recognition is off: it would need data that is not installed.
    return liteparse.LiteParse(
        ocr_enabled=False,
        quiet=True,
        num_workers=1,
        max_pages=_MAX_PAGES,
        output_format="markdown",
        extract_blocks=True,
        extract_vector_graphics=True,
        emit_word_boxes=True,
        include_complexity=True,
        keep_headers_footers=True,  # else the first rows of a table that continues on a page are left out
        continue_on_page_error=True,
        **options,
    )


def _angle(page: Any) -> int:
    """Returns the degrees by which most of a page's letters are turned: 0, 90, 180 or 270."""
    letters: Counter[int] = Counter()
    for item in page.text_items:
        letters[round(item.rotation / 90) % 4 * 90] += len(item.text)
    return letters.most_common(1)[0][0] if letters else 0


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


def _layout(page: Any, *, is_turned: bool) -> PageLayout:
    blocks = page.blocks or ()
    ruled = [_table(block, page) for block in blocks if block.kind == "table" and block.rows]
    headings = [(block.level or 1, plain(block.text)) for block in blocks if block.kind == "heading" and block.text]
    tables = sorted([*ruled, *_tables_by_words(page.text_items)], key=_unlikeliness)
    text = "\n".join(" ".join(line.split()) for line in page.text.split("\n")) if is_turned else ""
    return PageLayout(page.page_num, tables, headings, _is_scan(page), text)


def _unlikeliness(table: Table) -> tuple[bool, int, float]:
    """Returns a key that is lower for the likelier of two readings of a table.

    One that splits it wrongly has more cells without text; among the others, the one with fewer columns has joined
    some. Rows with one cell do not count, as they are headings of sections.
    """
    cells = [cell for row in table.rows if sum(map(bool, row)) > 1 for cell in row]
    emptiness = cells.count("") / len(cells) if cells else 1.0
    return emptiness > _SPARSE, -max(map(len, table.rows)), emptiness


def _is_scan(page: Any) -> bool:
    letters = sum(letter.isalpha() for letter in page.text)
    images = page.complexity
    return letters < _SCAN_LETTERS and bool(images and (images.full_page_image or images.image_coverage > _SCAN_IMAGE))


def _table(block: Any, page: Any) -> Table:
    header = [] if block.header is None else [block.header]
    cells = [*header, *block.rows]
    rows = [_row(row) for row in cells]
    return Table(rows, has_header=bool(header), filled=_filled(rows, cells, page.vector_graphics))


def _filled(rows: Sequence[Row], cells: Sequence[Sequence[Any]], drawn: Any) -> list[Row]:
    """Returns the rows with the text of merged cells in each of them; empty if no cells are merged.

    Cells below each other are merged if no rule is between them, though there is one between other cells of these rows.
    """
    level = [] if drawn is None else [line for line in drawn.lines if abs(line.y1 - line.y2) < _NARROW]
    if not level or any(len(row) != len(rows[0]) for row in rows):
        return []

    def is_open(cell: Any) -> bool:
        middle, top = cell.bbox.x + cell.bbox.width / 2, cell.bbox.y
        return not any(
            abs(line.y1 - top) < _NARROW and min(line.x1, line.x2) < middle < max(line.x1, line.x2) for line in level
        )

    opened = [[is_open(cell) for cell in row] for row in cells]
    filled = [list(row) for row in rows]
    for column in range(len(rows[0])):
        start = 0
        for end in range(1, len(rows) + 1):
            if end < len(rows) and opened[end][column] and not all(opened[end]):
                continue
            texts = [rows[index][column] for index in range(start, end) if rows[index][column]]
            if len(texts) == 1:
                for index in range(start, end):
                    filled[index][column] = texts[0]
            start = end
    return [] if (found := [tuple(row) for row in filled]) == list(rows) else found


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
