"""Single-line replies of models."""

import pytest

from echomind_agent.text.replies import is_in_language_of, is_rewriting_of, one_line_reply
from tests.drivers.tables import for_each


@for_each(
    ("written", "line"),
    [
        ('\n---\n"Title: Leave in May"\nBecause it is about leave.', "Leave in May"),
        ("Titel: **Urlaub im Mai**", "Urlaub im Mai"),
        ("« Congés en mai »", "Congés en mai"),
        ("Question: How long is leave?", "How long is leave?"),
        ("Sure! Here is a title for it:\n\n“Leave in May”", "Leave in May"),
        ("Here's the title: Leave in May", "Leave in May"),
        ("The title is: Leave in May", "Leave in May"),
        ("The rewritten question is: How long is leave?", "How long is leave?"),
        ("Questions about leave", "Questions about leave"),
        ("...\n\n", ""),
        ("Title:", ""),
        ("", ""),
        ("The person asks for many things. " * 5, ""),  # an answer, no title
    ],
)
def test_first_meaningful_line(written: str, line: str) -> None:
    assert one_line_reply(written, 80) == line


@for_each(
    ("reply", "said", "is_in_it"),
    [
        ("Urlaubsanspruch", "Wie viele Tage frei bekomme ich im ersten Jahr?", True),
        ("Vacation days for new employees", "Wie viele Tage frei bekomme ich im ersten Jahr?", False),
        ("Urlaub im ersten Jahr", "How many days off do I get in my first year?", False),
        ("Onboarding bei Siemens", "What is the onboarding like?", True),
        ("Annual leave", "第一年有几天假期？", False),
        ("年假规定", "第一年有几天假期？", True),
    ],
)
def test_language_of_a_reply(reply: str, said: str, is_in_it: bool) -> None:
    assert is_in_language_of(reply, said) == is_in_it


@pytest.mark.parametrize(
    ("reply", "question", "is_one"),
    [
        ("How many people live in Paris?", "How many people live there?", True),
        ("The answer is 3.", "How many people live there?", False),
        ("Wie viele Tage sind es im Mai?", "Und im Mai?", True),
        ("What comes after the capital of France?", "And then?", True),
        ("I am a helpful assistant.", "And then?", False),
    ],
)
def test_rewriting_of_a_question(reply: str, question: str, is_one: bool) -> None:
    assert is_rewriting_of(reply, question, "What is the capital of France?\nParis.") == is_one
