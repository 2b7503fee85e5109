"""Passages: all of the text, exact offsets, the limit kept, cut at good places."""

import re
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from echomind_ingestor.extract.result import Extracted, Heading, Page
from echomind_ingestor.pipeline import chunk as chunking
from echomind_ingestor.pipeline.chunk import MAX_TOKENS, Chunk, chunk
from echomind_ingestor.pipeline.passages import passage_text
from echomind_lib.embeddings.tokenizer import minilm_tokenizer


@cache
def tokenizer() -> Tokenizer:
    return minilm_tokenizer()


def cut(text: str, headings: tuple[Heading, ...] = (), pages: tuple[Page, ...] = ()) -> list[Chunk]:
    return chunk(Extracted(text, "", "text/plain", "en", headings, pages), tokenizer())


def tokens(text: str) -> int:
    return len(tokenizer().encode(text, add_special_tokens=False).ids)


WORDS = st.sampled_from(
    [
        "leave",
        "policy",
        "naïve",
        "München",
        "antidisestablishmentarianism",
        "3.14",
        "e.g.",
        "北京大学",
        "です。",
        "😀",
        "x" * 70,
    ]
)
SPACES = st.sampled_from([" ", " ", " ", "\n", "\n\n", ". ", "。", "  \n \n", "! ", ""])


@st.composite
def texts(draw: st.DrawFn) -> str:
    pieces = draw(st.lists(st.tuples(WORDS, SPACES, st.integers(1, 60)), max_size=12))
    return "".join((word + space) * times for word, space, times in pieces)


@given(texts(), st.lists(st.floats(0, 1), max_size=6))
def test_passages_hold_all_of_the_text_within_the_limit(text: str, places: list[float]) -> None:
    lines = [0, *(match.end() for match in re.finditer(r"\n", text))]
    starts = sorted({lines[int(share * (len(lines) - 1))] for share in places})
    headings = tuple(Heading(1 + number % 3, f"H{number}", start) for number, start in enumerate(starts))
    chunks = cut(text, headings)
    assert [piece.position for piece in chunks] == list(range(len(chunks)))
    assert all(text[piece.start : piece.end] == piece.text != "" for piece in chunks)
    assert all(first.end <= second.start for first, second in pairwise(chunks))
    assert "".join("".join(piece.text for piece in chunks).split()) == "".join(text.split())
    assert all(tokens(piece.text) <= MAX_TOKENS for piece in chunks)


def test_data_cut_within_a_word_stays_within_the_limit() -> None:
    chunks = cut("leave " * 73 + "x" * 560 + (" " + "x" * 70) * 20)
    assert len(chunks) > 1
    assert max(tokens(piece.text) for piece in chunks) <= MAX_TOKENS


@given(st.text(max_size=3000))
def test_any_text_is_cut(text: str) -> None:
    chunks = cut(text)
    assert all(text[piece.start : piece.end] == piece.text for piece in chunks)
    assert "".join("".join(piece.text for piece in chunks).split()) == "".join(text.split())


def test_a_table_of_single_letters_has_a_limit_by_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunking, "FREE_PASSAGES", 3)
    letters, sentences = "x\n" * 4_000, "Employees receive twenty-eight days of additional paid parental leave. " * 400
    chunks = cut(letters)
    assert len(chunks) == chunking.max_passages(letters) == len(letters) // chunking.TEXT_OF_PASSAGE
    assert 0.3 < chunking.share_left_out(letters, chunks) < 0.7
    assert chunking.share_left_out(f"{sentences}\n\n", cut(sentences)) == 0, "a long text of sentences has none"
    assert chunking.share_left_out("", []) == 0


def test_empty_text_has_no_chunks() -> None:
    assert cut("") == []
    assert cut(" \n\n ") == []


def test_short_text_is_one_passage() -> None:
    assert [piece.text for piece in cut("  One line. Another line.\n")] == ["One line. Another line."]


def test_pieces_of_a_long_text_are_alike_in_length() -> None:
    text = "The garage opens at six in the morning. " * 90
    lengths = [tokens(piece.text) for piece in cut(text)]
    assert max(lengths) <= MAX_TOKENS
    assert max(lengths) - min(lengths) <= 20


def test_cuts_are_at_paragraphs_before_lines_before_sentences() -> None:
    sentence = "The garage opens at six in the morning. "
    paragraphs = [sentence * 14, sentence * 12, sentence * 14]
    assert [piece.text for piece in cut("\n\n".join(paragraphs))] == [text.strip() for text in paragraphs]
    assert all(piece.text.endswith(".") for piece in cut(sentence * 200))
    assert all(piece.text.endswith("。") for piece in cut("车库早上六点开门。" * 100))


def test_passages_know_that_they_begin_in_code() -> None:
    code = "approve(leave, days=30)  # by the team lead\n" * 60
    text = f"Run this:\n\n```python\n{code}```\n\n" + "The garage opens at six in the morning. " * 40
    pieces = cut(text)
    inside = range(text.index(code), text.index("```\n\nThe") + 1)
    assert [piece.in_code for piece in pieces] == [piece.start in inside for piece in pieces]
    assert 1 < sum(piece.in_code for piece in pieces) < len(pieces) - 1
    assert all(piece.in_code for piece in cut(f"~~~\n```\n{code}~~~")[1:])


def test_lines_that_look_like_fences_begin_no_code() -> None:
    prose = "The garage opens at six in the morning. " * 60
    for text in (
        f"Opening\n~~~~~~~\n{prose}\n\nClosing\n~~~~~~~ at ten\n",
        f"```pip install x``` installs it.\n{prose}```\n{prose}",
    ):
        assert not any(piece.in_code for piece in cut(text))


def test_long_data_without_blanks_is_cut() -> None:
    chunks = cut("QUJD" * 5000)
    assert len(chunks) > 3
    assert max(len(piece.text) for piece in chunks) <= MAX_TOKENS * 4


def test_very_long_texts_are_tokenized_in_parts() -> None:
    text = "\n".join(f"Paragraph {number} says that the answer is {number * 7}." for number in range(5000))
    chunks = cut(text)
    assert max(tokens(piece.text) for piece in chunks) <= MAX_TOKENS
    assert all(piece.text.startswith("Paragraph") for piece in chunks)


@pytest.fixture
def handbook() -> tuple[str, tuple[Heading, ...]]:
    body = "Employees receive paid leave and must ask for it in time. " * 8
    parts, headings, length = [], [], 0
    for level, title in [(1, "Leave"), (2, "Paid"), (2, "Sick"), (1, "Travel"), (3, "Hotels")]:
        headings.append(Heading(level, title, length))
        part = f"{title}\n\n{body}\n\n"
        parts.append(part)
        length += len(part)
    return "".join(parts), tuple(headings)


def test_passages_know_the_headings_above_them(handbook: tuple[str, tuple[Heading, ...]]) -> None:
    chunks = cut(*handbook)
    assert [piece.heading for piece in chunks] == [
        ("Leave",),
        ("Leave", "Paid"),
        ("Leave", "Sick"),
        ("Travel",),
        ("Travel", "Hotels"),
    ]
    assert [passage_text("Handbook", piece.heading, piece.text).split("\n")[:-1][:2] for piece in chunks] == [
        ["Handbook", piece.text.split("\n")[0]] if len(piece.heading) == 1 else ["Handbook", piece.heading[0]]
        for piece in chunks
    ]


def test_small_sections_go_together() -> None:
    lines = [f"Question {number}\n\nA short answer.\n\n" for number in range(12)]
    headings, length = [], 0
    for number, line in enumerate(lines):
        headings.append(Heading(2, f"Question {number}", length))
        length += len(line)
    chunks = cut("".join(lines), tuple(headings))
    assert 1 < len(chunks) < 12
    assert chunks[1].heading == (chunks[1].text.split("\n")[0],)


def test_passages_know_their_page() -> None:
    page = "Employees receive paid leave and must ask for it in time. " * 20
    text = page * 3
    pages = tuple(Page(number + 1, number * len(page)) for number in range(3))
    for piece in cut(text, pages=pages):
        assert piece.page == piece.start // len(page) + 1
    assert [piece.page for piece in cut("No pages.")] == [None]


def test_passages_know_the_sections_that_begin_within_them() -> None:
    text = "Hours\nWork begins at 8.\nProbation\nIt lasts six months.\nNotice\nTwo weeks."
    starts = [text.index(title) for title in ("Hours", "Probation", "Notice")]
    (piece,) = cut(text, (Heading(1, "Hours", 0), Heading(1, "Probation", starts[1]), Heading(2, "Notice", starts[2])))
    assert piece.heading == ("Hours",)
    assert piece.later_sections == ((starts[1], ("Probation",)), (starts[2], ("Probation", "Notice")))


def test_passages_know_the_pages_that_begin_within_them() -> None:
    text = "Leave is paid.\n\nHotels are booked early.\n\nTrains are preferred."
    starts = [text.index(begin) for begin in ("Leave", "Hotels", "Trains")]
    (piece,) = cut(text, pages=tuple(Page(number, start) for number, start in enumerate(starts, start=1)))
    assert piece.page == 1
    assert piece.later_pages == ((starts[1], 2), (starts[2], 3))
