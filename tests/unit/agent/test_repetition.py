"""Small models that run in circles leave one sentence."""

import pytest

from echomind_agent.learning.repetition import without_repetition


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("I sail on Sundays. I sail on Sundays. I sail on Sun", "I sail on Sundays."),
        ("I live in Utrecht. I'm a commuter. I'm a commuter. I'm a", "I live in Utrecht. I'm a commuter."),
        ("One.\nTwo. Three", "One.\nTwo. Three"),
        ("", ""),
    ],
)
def test_each_sentence_is_kept_once(text: str, kept: str) -> None:
    assert without_repetition(text) == kept
