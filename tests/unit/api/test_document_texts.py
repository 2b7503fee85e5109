"""Parts of a document's Markdown."""

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from echomind_api.sources import document_texts
from echomind_api.sources.document_texts import markdown_part

TABLE = "Limits:\n\n| City | Limit |\n| --- | ---: |\n" + "".join(f"| City {n} | {n} |\n" for n in range(300))
HEAD = "| City | Limit |\n| --- | ---: |"


@given(st.text(st.sampled_from("ab|-\n "), max_size=300), st.integers(5, 40))
def test_parts_one_after_the_other_have_the_whole_text(text: str, size: int) -> None:
    with patch.object(document_texts, "MAX_MOVED", 5):
        assert_whole(text, size)


def assert_whole(text: str, size: int) -> None:
    found, position = "", 0
    while position < len(text):
        part = markdown_part(text, position, min(position + size, len(text)))
        assert part.start == position < part.end
        found += text[part.start : part.end]
        position = part.end
    assert found == text


def test_a_part_begins_and_ends_between_blocks() -> None:
    text = "First block.\n\nSecond block,\nof two lines.\n\nThird block."
    part = markdown_part(text, text.index("two"), text.index("hird"))
    assert text[part.start : part.end] == "Second block,\nof two lines.\n\n"


def test_a_part_of_a_table_comes_with_the_head_of_the_table() -> None:
    part = markdown_part(TABLE, 2500, 3000)
    assert TABLE[part.start : part.end].startswith("| City ")
    assert part.table_head == HEAD
    assert markdown_part(TABLE, TABLE.index("|"), 500).table_head == ""
    assert markdown_part(TABLE, 0, 500).table_head == ""
    assert markdown_part("|a|\n|b|", 4, 7).table_head == ""
