"""Blocks, sentences and citation markers."""

import sys
from types import FrameType
from typing import SupportsIndex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.text.sentences import MARKER, blocks, sentences
from tests.drivers.tables import for_each

_ANY = st.text(
    alphabet=st.one_of(
        st.sampled_from(list(" \n\t.!?。！？,;:()[]【】［］0123456789-*#|`>~_\"'“”«»…")),
        st.characters(codec=None),
    ),
    max_size=120,
)


def _sentences(text: str, language: str = "en") -> list[str]:
    return [text[span.start : span.end] for span in sentences(text, language)]


@for_each(
    ("text", "expected"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("Dr. Smith paid 3.50 on p. 4. He left.", ["Dr. Smith paid 3.50 on p. 4.", "He left."]),
        ("It is so. [1] And so.[2][3] Also 【4】. End", ["It is so. [1]", "And so.[2][3]", "Also 【4】.", "End"]),
        ("**Bold.** Next _it._ [1] Last.", ["**Bold.**", "Next _it._ [1]", "Last."]),
        ("[1] First here. [2] Second here.", ["[1] First here.", "[2] Second here."]),
        ("“Wait!” he said. (So he did.) Fine.", ["“Wait!” he said.", "(So he did.) Fine."]),
        ("Version 2. Next", ["Version 2.", "Next"]),
        ("Hard wrapped text that goes on\nin the next line. And ends.", 2),
        ("# Title\n\nText.", ["Title", "Text."]),
        (
            "- one [1]\n- two. More.\n  goes on\n1. first\n2) second",
            ["one [1]", "two.", "More.", "goes on", "first", "second"],
        ),
        ("| a | b |\n|---|---|\n| 1. x | y. z [1] |", ["| a | b |", "| 1. x | y. z [1] |"]),
        ("Before.\n```\ncode. here\n```\nAfter.", ["Before.", "After."]),
        ("Name: Foo\nPhone: 123", ["Name: Foo", "Phone: 123"]),
        ("", []),
        (" \n\t", []),
        ("***", []),
    ],
)
def test_sentences(text: str, expected: list[str] | int) -> None:
    found = _sentences(text)
    if isinstance(expected, int):
        assert len(found) == expected
    else:
        assert found[: len(expected)] == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("zh", "他有11次。[1]他说！好", ["他有11次。[1]", "他说！", "好"]),
        ("ja", "これはペンです。[1] そうです。", ["これはペンです。[1]", "そうです。"]),
        ("de", "Am Ende des 19. Jahrhunderts. Am 3. Mai z. B. nicht.", 2),
        ("xx", "An unknown language. Works too.", 2),
    ],
)
def test_sentences_by_language(language: str, text: str, expected: list[str] | int) -> None:
    found = _sentences(text, language)
    assert (len(found) if isinstance(expected, int) else found) == expected


@for_each(
    ("text", "numbers"),
    [
        ("[1]", ["1"]),
        ("[1, 3]", ["1, 3"]),
        ("[1-3]", ["1-3"]),
        ("[1][2]", ["1", "2"]),
        ("[^1]", ["1"]),
        ("[Source 2]", ["2"]),
        ("【3】", ["3"]),
        ("【3†source】", ["3"]),
        ("［４］", ["４"]),
        ("[1 and 2]", ["1 and 2"]),
        ("[see](1)", []),
        ("[1](https://example.com)", []),
        ("[x]", []),
        ("[12345]", []),
        ("[1.5]", []),
        ("[]", []),
    ],
)
def test_markers(text: str, numbers: list[str]) -> None:
    assert [marker["numbers"] for marker in MARKER.finditer(text)] == numbers


def test_block_kinds() -> None:
    text = "## Head\nText\n> Quoted\n- [x] item\n1. one\n| row |\n~~~\ncode\n~~~\n---\n"
    found = [(block.kind, text[block.start : block.end], block.mark) for block in blocks(text)]
    assert found == [
        ("heading", "Head", "##"),
        ("text", "Text", ""),
        ("text", "Quoted", ""),
        ("item", "item", "- [x]"),
        ("item", "one", "1."),
        ("row", "| row |", ""),
        ("code", "code", ""),
    ]


def test_code_that_is_not_closed_is_code_to_the_end() -> None:
    assert [block.kind for block in blocks("```\na [1]\n\nb")] == ["code"]


@given(_ANY, st.sampled_from(["en", "de", "zh", "ja", "xx"]))
def test_spans_are_in_order_and_hold_no_white_space_around_them(text: str, language: str) -> None:
    end = 0
    for span in sentences(text, language):
        assert end <= span.start < span.end <= len(text)
        piece = text[span.start : span.end]
        assert piece == piece.strip()
        end = span.end


@given(_ANY)
def test_blocks_are_in_order_and_hold_all_letters(text: str) -> None:
    end = 0
    kept = ""
    for block in blocks(text):
        assert end <= block.start < block.end <= len(text)
        kept += text[block.start : block.end]
        end = block.end
    if not any(mark in text for mark in ("```", "~~~")):
        letters = [letter for letter in text if letter.isalpha()]
        kept_letters = [letter for letter in kept if letter.isalpha()]
        # A list's mark may be a letter: "a) first".
        assert len(letters) - len(kept_letters) <= text.count(")")


class Counted(str):
    """A text that counts the characters that are taken out of it, and out of what was taken."""

    __slots__ = ("counts",)
    counts: list[int]

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        piece = Counted(str.__getitem__(self, key))
        piece.counts = self.counts
        self.counts.append(len(piece))
        return piece


def work_of(text: str) -> int:
    """Returns how much is done for the sentences of a text: characters that are copied, and calls."""
    counted = Counted(text)
    counted.counts = [len(text)]

    def count(_frame: FrameType, _event: str, _argument: object) -> None:
        counted.counts.append(1)

    sys.setprofile(count)
    try:
        sentences(counted, "de")
    finally:
        sys.setprofile(None)
    return sum(counted.counts)


@for_each(
    "piece",
    [
        *["| ", "- ", "[1]", "`", "a. ", "-", "> ", "? ", "1. ", "1. 2. [1] ", "[1. ", "([1]", "a [1] ", "**[1] "],
        *["1. Hi. ", "- a\n", "a\n", "A: b; ", "a.\n[1]\n"],
    ],
)
def test_work_grows_as_hostile_text_does(piece: str) -> None:
    text = piece * 2_000
    assert work_of(text * 2) < 3 * work_of(text)
