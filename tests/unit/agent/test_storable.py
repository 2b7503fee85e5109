"""Text that PostgreSQL takes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_agent.storable import storable, storable_json, storable_tree


@given(st.text(st.characters(codec=None)))
def test_storable_text_can_be_encoded_and_has_no_nul(text: str) -> None:
    kept = storable(text)
    assert "\x00" not in kept
    kept.encode()
    assert len(kept) == len(text) - text.count("\x00")


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
