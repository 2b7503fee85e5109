"""Citations are numbered in the order in which they appear."""

from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.evidence.numbering import CitationNumbers
from tests.drivers.tables import for_each


def shown(*pieces: str, sources: int = 9) -> tuple[str, list[int]]:
    numbers = CitationNumbers(lambda number: 1 <= number <= sources)
    text = "".join([*map(numbers.feed, pieces), numbers.end()])
    return text, numbers.sources


@for_each(
    ("text", "expected", "order"),
    [
        ("A. [4] B. [2] C. [4]", "A. [1] B. [2] C. [1]", [4, 2]),
        ("A [7, 3] and [3-5].", "A [1, 2] and [2, 3, 4].", [7, 3, 4, 5]),
        ("A [Source 8] 【6†page】 [^8]", "A [Source 1] 【2†page】 [^1]", [8, 6]),
        ("Unknown [99], known [9].", "Unknown, known [1].", [9]),
        ("Both [99, 9] and none \t[10]. [11]", "Both [1] and none.", [9]),
        ("`a[99]` [link](http://a/) [99](http://b)", "`a[99]` [link](http://a/) [99](http://b)", []),
        ("`a[5]` and ``b`[6]`` and [7]", "`a[5]` and ``b`[6]`` and [1]", [7]),
        ("```\nx[5]\n```\nThen [6].", "```\nx[5]\n```\nThen [1].", [6]),
        (
            "A [link](http://a/[3]) and [3](http://b) and [4]",
            "A [link](http://a/[1]) and [3](http://b) and [2]",
            [3, 4],
        ),
        ("An open `tick\nends with its line [5]", "An open `tick\nends with its line [1]", [5]),
        ("no citation", "no citation", []),
    ],
)
def test_numbers_follow_the_order_of_appearance(text: str, expected: str, order: list[int]) -> None:
    assert shown(text) == (expected, order)
    assert shown(*text) == (expected, order)


def test_text_that_is_no_citation_is_shown_immediately() -> None:
    numbers = CitationNumbers(lambda _: True)
    assert numbers.feed("A sentence. [") == "A sentence."
    assert numbers.feed("3") == ""
    assert numbers.feed("] More") == " [1] More"
    assert numbers.feed(" [x") == ""
    assert numbers.feed("] y") == " [x] y"
    assert numbers.feed(" [" + "long " * 40) == (" [" + "long " * 40).rstrip()


@given(
    st.lists(st.sampled_from(["[1]", "[2]", "[3, 1]", "[12]", "a", " ", "\n", "`", "```", "(", ")", "[", "]", "."])),
    st.data(),
)
def test_the_pieces_of_a_stream_do_not_matter(parts: list[str], data: st.DataObject) -> None:
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert shown(*pieces) == shown(text)
    _, order = shown(text)
    assert len(set(order)) == len(order)
