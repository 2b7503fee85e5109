"""The suggested questions of an answer are those of the list at its end."""

from echomind_lib.runs.closing_questions import closing_questions
from tests.drivers.tables import for_each


@for_each(
    ("answer", "questions"),
    [
        ("It is 30 days [1].\n\n## Suggested questions\n\n- How many at first? [1]\n- **Who grants it?**\n", 2),
        ("So it is.\n\n1. Wie viele Tage?\n2) Wer genehmigt sie?\n3. Bis wann?", 3),
        ("年假是三十天。\n* 第一年有几天？\n* 谁批准？", 2),
        ("So it is.\n\n- How many?\n- That is all.", 0),
        ("- How many?\n- Who?\n\nThese are the questions.", 0),
        ("Shall I go on?", 0),
        ("- Only one?", 0),
        ("\n".join(f"- Number {n}?" for n in range(30)), 0),
        ("", 0),
    ],
)
def test_a_closing_list_of_questions_is_found(answer: str, questions: int) -> None:
    found = closing_questions(answer)
    assert len(found) == questions
    assert not any(mark in text for text in found for mark in "*[]_")


def test_they_come_as_they_would_be_asked() -> None:
    assert closing_questions("Yes.\n\n- **How many days** are `left`? [1][2]\n- What about snake_case?") == [
        "How many days are left?",
        "What about snake_case?",
    ]
