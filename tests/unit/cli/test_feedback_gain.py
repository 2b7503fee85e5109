"""Paraphrases of a test set's questions: other words around the same ones, the same each time."""

import pytest

from echomind.cli.evaluation.feedback_gain import paraphrase


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the boiling point of water?", "Please tell me what: point of water is the boiling"),
        ("how many days", "Please tell me how: days many"),
        ("Wie viele Tage sind es?", "Tage sind es Wie viele"),
        ("第一年有几天？", "有几天第一年"),
        ("", ""),
    ],
)
def test_the_words_stay_and_their_order_does_not(question: str, expected: str) -> None:
    assert paraphrase(question) == expected
