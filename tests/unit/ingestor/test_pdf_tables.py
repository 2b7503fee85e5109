"""Tables of PDFs: each row is whole and labelled, the text around it stays in order, headings are found."""

from echomind_ingestor.extract.layout import PageLayout, Table
from echomind_ingestor.extract.page_tables import structured
from echomind_ingestor.extract.read import read
from tests.drivers.tables import for_each
from tests.factories.pdf_tables import EXCEPTIONS, INTRODUCTION, LEFT, ROWS, Sample, samples, table_pdf

SAMPLES = samples()


def line_of(header: tuple[str, ...], row: tuple[str, ...]) -> str:
    return "- " + "; ".join(f"{name}: {cell}" for name, cell in zip(header, row, strict=True) if cell)


@for_each("name", SAMPLES)
def test_rows_are_whole_and_labelled(name: str) -> None:
    """Peers merge rows, split them, or lose columns."""
    sample: Sample = SAMPLES[name]
    lines = read(sample.data, "limits.pdf", "").text.split("\n")
    missing = [row for row in sample.rows if line_of(tuple(sample.header), tuple(row)) not in lines]
    assert missing == []


@for_each("name", SAMPLES)
def test_text_around_a_table_stays_in_order(name: str) -> None:
    """Peers mix columns, and cut tables off from the text that describes them."""
    sample = SAMPLES[name]
    found = read(sample.data, "limits.pdf", "")
    positions = [found.text.find(mark) for mark in sample.order]
    assert -1 not in positions
    assert positions == sorted(positions)
    assert [heading.title for heading in found.headings] == list(sample.headings)


@for_each("name", SAMPLES)
def test_no_word_is_lost_or_doubled(name: str) -> None:
    text = read(SAMPLES[name].data, "limits.pdf", "").text
    for row in SAMPLES[name].rows:
        figure = next(cell for cell in row if "EUR" in cell or cell.startswith("b"))
        assert text.count(figure) == 1, figure
    assert EXCEPTIONS in text
    assert INTRODUCTION in text


def test_columns_of_running_text_are_no_table() -> None:
    text = read(table_pdf(columns=2), "rules.pdf", "").text
    assert LEFT[3] in text
    assert " | " not in text


def test_the_caption_stands_above_its_table() -> None:
    text = read(table_pdf(columns=2), "rules.pdf", "").text
    assert "Table 1: Limits per night\n\n- City: Town 1" in text


def test_a_table_that_the_text_does_not_confirm_is_ignored() -> None:
    content = "City Limit\nOslo 200\nRome 180\nThe end."
    wrong = PageLayout(1, [Table([("City", "Limit"), ("Oslo", "180"), ("Rome", "200")])])
    assert structured(content, wrong)[0] == content
    right = PageLayout(1, [Table([("City", "Limit"), ("Oslo", "200"), ("Rome", "180")])])
    assert "| Oslo | 200 |" in structured(content, right)[0]


def test_a_continued_table_takes_the_header_of_the_page_before() -> None:
    first = PageLayout(1, [Table([("City", "Limit"), *((city, limit) for city, limit, _ in ROWS[:3])])])
    content, header = structured("City Limit\nTown 1 101 EUR\nTown 2 102 EUR\nTown 3 103 EUR", first)
    assert header == ("City", "Limit")
    second = PageLayout(2, [Table([(city, limit) for city, limit, _ in ROWS[3:6]])])
    content, _ = structured("Town 4 104 EUR\nTown 5 105 EUR\nTown 6 106 EUR\nThe end.", second, header)
    assert content.lstrip().startswith("| City | Limit |")
    apart, _ = structured("More.\nTown 4 104 EUR\nTown 5 105 EUR\nTown 6 106 EUR", second, header)
    assert "- Town 4 | 104 EUR" in apart
