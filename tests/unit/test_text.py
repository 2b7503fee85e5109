"""Text of others as it is stored."""

import json
import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from echomind_lib.text import Changes, line_of_words, normalized, single_line, storable, storable_json, storable_tree
from tests.drivers.tables import for_each

anything = st.text(st.characters(codec=None))


@given(anything)
def test_storable_text_can_be_encoded_and_has_no_nul(text: str) -> None:
    kept = storable(text)
    assert "\x00" not in kept
    kept.encode()
    assert len(kept) == len(text) - text.count("\x00")


@given(anything)
@example("e\x00\u0301")
def test_normalized_text_is_composed_and_stays_itself(text: str) -> None:
    changes = Changes()
    kept = normalized(text, changes)
    assert unicodedata.is_normalized("NFC", kept)
    assert "\x00" not in kept
    kept.encode()
    assert normalized(kept, again := Changes()) == kept
    assert again == Changes()
    assert (changes == Changes()) == (kept == text)


@given(anything, st.integers(1, 40))
@example("e\x01\u0301", 5)
@example("a\u0344" * 30, 3)
def test_single_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    changes = Changes()
    kept = single_line(text, limit, changes)
    assert len(kept) <= limit
    assert kept.splitlines() in ([], [kept])
    assert kept == kept.strip()
    assert unicodedata.is_normalized("NFC", kept)
    assert kept.isprintable() or not any(unicodedata.category(letter) == "Cc" for letter in kept)
    assert single_line(kept, limit) == kept
    assert changes.shortened == (len(single_line(text, None)) > limit)


def test_single_line_reverses_no_direction() -> None:
    assert single_line("invoice\u202efdp.exe\u2066 \u2069", None) == "invoicefdp.exe"
    hebrew_and_arabic = "\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627"
    assert single_line(hebrew_and_arabic, None) == hebrew_and_arabic


def test_title_of_half_a_megabyte_is_shortened_and_counted() -> None:
    changes = Changes()
    assert single_line("word " * 100_000, 300, changes) == f"{('word ' * 60)[:299].rstrip()}…"
    assert changes == Changes(shortened=1)


@given(anything, st.integers(2, 40))
@example("one two three four", 10)
def test_line_of_words_is_one_line_within_its_limit(text: str, limit: int) -> None:
    kept = line_of_words(text, limit)
    assert len(kept) <= limit
    assert kept == " ".join(text.split()) or kept.endswith("…")


@for_each(
    ("text", "limit", "line"),
    [
        ("How many\ndays?", 80, "How many days?"),
        ("How many days of leave do I get?", 20, "How many days of…"),
        ("How many days, please, do I get?", 21, "How many days…"),
        ("Is it Donaudampfschifffahrtsgesellschaft?", 20, "Is it Donaudampfsch…"),
        ("我第一年有几天的年假可以使用呢", 8, "我第一年有几天…"),
        ("", 8, ""),
    ],
)
def test_line_of_words_ends_at_a_word(text: str, limit: int, line: str) -> None:
    assert line_of_words(text, limit) == line


def test_changes_are_counted() -> None:
    changes = Changes()
    assert normalized("a\x00b\ud800 Cafe\u0301", changes) == "ab\ufffd Café"
    assert changes == Changes(replaced=2, composed=1)


def test_trees() -> None:
    assert storable_tree({"a\x00": ["b\ud800", 1, None, {"c": "\x00"}]}) == {"a": ["b\ufffd", 1, None, {"c": ""}]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": "b\\u0000c\\ud83d"}', {"a": "bc\ufffd"}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        ('{"a": "plain"}', {"a": "plain"}),
    ],
)
def test_escaped_characters_in_json(text: str, expected: object) -> None:
    assert json.loads(storable_json(text)) == expected


def test_what_is_not_json_stays() -> None:
    assert storable_json('{"a": "\\u0000') == '{"a": "\\u0000'


def test_many_marks_on_one_letter_take_no_time_that_grows_with_their_square() -> None:
    began = time.process_time()
    text = normalized("a" + "\u0316\u0301" * 500_000 + "b")
    assert time.process_time() - began < 5
    assert len(text) <= 32
    assert (text[0], text[-1]) == ("\u00e1", "b")
    assert normalized("\u4e00" * 100) == "\u4e00" * 100
