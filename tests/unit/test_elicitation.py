"""Forms of MCP servers, and the texts of people that answer them."""

from typing import Any

import pytest

from echomind_lib.errors import ValidationFailedError
from echomind_lib.runs.elicitation import Answer, Elicitation, Field, Form
from tests.drivers.tables import for_each

ROOM = Field(name="room", type="string", options=("blue", "red"), required=True)
PEOPLE = Field(name="people", type="integer", minimum=1, maximum=9, default=2)
FOOD = Field(name="food", type="array", options=("soup", "fish"))
QUIET = Field(name="quiet", type="boolean")
DAY = Field(name="day", type="string", format="date")
MAIL = Field(name="mail", type="string", format="email")
NAME = Field(name="name", type="string", minimum=2, maximum=4, required=True)


def form(*fields: Field) -> Form:
    return Form("key", "Which?", fields)


@for_each(
    ("fields", "text", "content"),
    [
        ([ROOM], "blue", {"room": "blue"}),
        ([ROOM], "room: blue", {"room": "blue"}),
        ([PEOPLE], "3", {"people": 3}),
        ([QUIET], "Yes", {"quiet": True}),
        ([QUIET], "no", {"quiet": False}),
        ([FOOD], "soup, fish", {"food": ["soup", "fish"]}),
        ([DAY], "2026-01-31", {"day": "2026-01-31"}),
        ([ROOM, PEOPLE], "room: red; people: 3", {"room": "red", "people": 3}),
        ([ROOM, PEOPLE], "room: red", {"room": "red", "people": 2}),
        ([ROOM, PEOPLE, QUIET], "- room: red\n\npeople: 4\nquiet:", {"room": "red", "people": 4}),
        ([ROOM, FOOD], '{"room": "red", "food": ["soup"]}', {"room": "red", "food": ["soup"]}),
        ([], "accept", {}),
    ],
)
def test_a_text_gives_the_values(fields: list[Field], text: str, content: dict[str, Any]) -> None:
    assert form(*fields).read(text) == Answer("accept", content)


@for_each(
    ("fields", "text", "reason"),
    [
        ([ROOM], "green", "room: must be one of: blue, red"),
        ([PEOPLE], "many", "people: must be a whole number"),
        ([PEOPLE], "0", "people: must be at least 1"),
        ([PEOPLE], "10", "people: must be at most 9"),
        ([QUIET], "perhaps", "quiet: must be yes or no"),
        ([FOOD], "soup, bread", "food: must be one of"),
        ([DAY], "tomorrow", "day: must be a date"),
        ([MAIL], "nobody", "mail: must be an email address"),
        ([NAME], "a", "name: must be at least 2 characters"),
        ([NAME, ROOM], '{"name": 5, "room": "red"}', "name: must be a text"),
        ([NAME, ROOM], "name: Ada", "room: is required"),
        ([NAME, ROOM], "Ada", "line of its own"),
        ([NAME, ROOM], "name: Ada\ncolor: red", "no field 'color'"),
        ([], "perhaps", "`accept` or `decline`"),
    ],
)
def test_a_text_that_does_not_fit_is_refused(fields: list[Field], text: str, reason: str) -> None:
    with pytest.raises(ValidationFailedError) as caught:
        form(*fields).read(text)
    assert reason in caught.value.message


def test_people_decline_and_cancel() -> None:
    assert form(ROOM).read(" Decline ") == Answer("decline")
    assert form(ROOM, PEOPLE).read("cancel") == Answer("cancel")
    either = Field(name="what", type="string", options=("cancel", "keep"))
    assert form(either).read("cancel") == Answer("accept", {"what": "cancel"})


def test_forms_are_answered_one_after_another() -> None:
    asked = Elicitation("shop", (form(ROOM), form(PEOPLE)))
    once = asked.answered("red")
    assert once.open == form(PEOPLE)
    assert once.answered("5").open is None


def test_a_question_names_the_server_and_what_each_field_takes() -> None:
    question = form(ROOM, PEOPLE, FOOD).question("shop")
    assert question.splitlines() == [
        "The MCP server shop asks: Which?",
        "- room (one of: blue, red)",
        "- people (integer, at least 1, at most 9, otherwise 2)",
        "- food (several, with commas between them, of: soup, fish, optional)",
        "Answer as `name: value`, each in a line of its own or with `;` between them.",
        "The answer goes to shop: give it no password, key or other secret. `decline` declines.",
    ]
    assert form(ROOM).options == ["blue", "red", "decline"]
