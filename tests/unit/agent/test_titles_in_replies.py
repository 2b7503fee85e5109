"""Titles in the replies of models."""

from echomind_agent.text.titles import title_in
from tests.drivers.tables import for_each

QUESTION = "How many days of leave do I get in my first year?"
ANSWER = "You get 30 days of leave in your first year. Unused days expire in March."


@for_each(
    ("written", "title"),
    [
        ("Leave in the first year", "Leave in the first year"),
        ("**Title: Leave in the first year.**", "Leave in the first year"),
        ("```\nLeave in the first year\n```", "Leave in the first year"),
        ("Days of leave in my first year", "Days of leave in my first year"),
        ("Urgent: 30 days of leave?", "Urgent: 30 days of leave?"),
        ("User interface of the leave planner", "User interface of the leave planner"),
        ("The user interface of leave", "The user interface of leave"),
        ("The Answer to Everything", "The Answer to Everything"),
        ("Notes for Dr. Smith and St. Gallen", "Notes for Dr. Smith and St. Gallen"),
        ("No leave in the first year", "No leave in the first year"),
        ("Sure Start programme leave", "Sure Start programme leave"),
        ("Years", "Years"),
    ],
)
def test_titles(written: str, title: str) -> None:
    assert title_in(written, QUESTION, ANSWER) == title


@for_each(
    "written",
    [
        "The answer is 30 days.",
        "The answer to your question is 30 days of leave",
        "Answer: 30 days of leave",
        "The person asks about days of leave",
        "This conversation is about leave",
        "A possible title is leave",
        "You get 30 days of leave",  # the beginning of the answer
        "you get 30 days",
        "There are 30 days of leave",
        "It is 30 days",
        "I get 30 days of leave",
        "I'm sorry, but I cannot help with that.",
        "I’m unable to write a title",
        "Sorry, I can't do that",
        "Unfortunately, leave is not known",
        "As an AI language model, leave is",
        "Sure, leave in the first year",
        "Sure! Leave in the first year",
        "Yes.",
        "Write a title for a conversation",
        "Here is a title for leave",
        "Leave is for the first year. It expires in March",
        "Leave leave leave leave leave",
        "leave days leave days leave days",
        "one two three four five six seven eight nine ten eleven twelve thirteen",
        '{"title": "Leave in the first year"}',
        '```json\n{"title": "Leave"}\n```',
        "<title>Leave in the first year</title>",
        "Leave at https://intranet.example.org",
        "30 days of leave [1]",
        "Untitled",
        "New conversation",
        "Title",
        "Title:",
        "...",
        "",
        "Die Antwort lautet 30",
        "Urlaub im ersten Jahr bei der neuen Firma",
    ],
)
def test_what_is_no_title(written: str) -> None:
    assert title_in(written, QUESTION, ANSWER) == ""


@for_each(
    ("written", "question", "answer", "title"),
    [
        # The whole of a short answer is no name of what was asked; the subject of the question is, wherever it stands.
        ("Paris", "What is the capital of France?", "Paris", ""),
        ("Remote work policy", "What is the remote work policy?", "Remote work policy: two days a week.", ...),
        ("Paris as the capital", "What is the capital of France?", "Paris as the capital has two million people.", ""),
        ("Urlaub im ersten Jahr", "Wie viel Urlaub habe ich im ersten Jahr?", "30 Tage.", ...),
        ("Die Antwort lautet 30 Tage", "Wie viel Urlaub habe ich im ersten Jahr?", "30 Tage.", ""),
        ("Es tut mir leid", "Wie viel Urlaub habe ich im ersten Jahr?", "Das weiß ich nicht.", ""),
        ("年假规定", "第一年有几天假期？", "30天。", ...),
    ],
)
def test_titles_of_other_conversations(written: str, question: str, answer: str, title: object) -> None:
    assert title_in(written, question, answer) == (written if title is ... else title)
