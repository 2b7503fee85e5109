"""Claims of sentences."""

from echomind_agent.evidence.claims import Statement, initials, missing_names, roman_numbers
from tests.drivers.tables import for_each


@for_each(
    ("language", "text", "figures"),
    [
        ("en", "30,000 people paid 12.50 at 09:42", {"30000", "12.5", "9:42"}),
        ("de", "30.000 Leute zahlten 12,5 für 1.234,5", {"30000", "12.5", "1.234.5"}),
        ("en", "five of the two reasons", {"5"}),
        ("de", "fünf von zwei Gründen", {"5"}),
        ("zh", "每周五天，三次，200元", {"5", "200"}),
        ("en", "CO2 and C400 in the P-200", {"200"}),
        ("en", "the 90s and the 1980s", {"1990", "1980"}),
        ("en", "on stage in the 70's", {"1970"}),
        ("de", "in den 80er Jahren", {"1980"}),
        ("en", "the tenth series, the 10th", {"10"}),
        ("de", "die zehnte Staffel, in der neunten", {"10", "9"}),
        ("de", "achten Sie auf die Stufe", set()),
        ("fr", "la dixième saison", {"10"}),
        ("en", "timeout: 30s, retried for the 60 s after", {"30", "60"}),
        ("de", "ein 16er Schlüssel", {"16"}),
        ("en", "none at all", set()),
    ],
)
def test_figures(language: str, text: str, figures: set[str]) -> None:
    assert Statement(text, language).figures == figures


@for_each(
    ("text", "numbers"),
    [
        ("World War II", {"2"}),
        ("Ludwig XIV. und Heinrich VIII.", {"14", "8"}),
        ("XLIX, CCCXCIX and IX", {"49", "399", "9"}),
        ("Then I saw a CD of the MIX, LLC", set()),
    ],
)
def test_roman_numbers(text: str, numbers: set[str]) -> None:
    assert roman_numbers(text) == numbers


def test_names_are_capitalised_words_behind_the_first() -> None:
    assert Statement("Then Priya Natarajan renewed it in Frankfurt.", "en").names == {"priya", "natarajan", "frankfurt"}
    assert Statement("Die Katze frisst Fisch.", "de").names == {"katz", "fisch"}
    assert not Statement("员工手册", "zh").names
    assert Statement("Setanta Sports证实将于三月推出", "zh").names == {"setanta", "sport"}


def test_names_may_end_differently_and_lose_their_accents() -> None:
    terms = frozenset({"india", "maizière", "bob"})
    assert missing_names(["indian", "maiziere"], terms) == []
    assert missing_names(["bo", "indonesia", "zoe"], terms) == ["bo", "indonesia", "zoe"]


def test_initials_of_names() -> None:
    assert {"sp", "us"} <= initials("The Scottish Parliament; a visit to the United States. Next week, Bob left.")
    assert "nb" not in initials("Next week. Bob left.")


def test_clauses_know_their_negation() -> None:
    clauses = Statement("Unused leave is not paid out, except when employment ends.", "en").clauses
    assert [clause.negated for clause in clauses] == [True, False]
    assert Statement("Cela n'est pas permis", "fr").negated
    assert Statement("试用期员工不能远程办公", "zh").negated
    assert not Statement("各部门有不同的规定", "zh").negated
    assert not Statement("It is not only cheap", "en").negated
    # A preposition denies what follows it, another negation also what it follows.
    (clause,) = Statement("Members enter the hall without a badge of paper", "en").clauses
    assert clause.denied == {"badg", "paper"}
    (clause,) = Statement("Members who enter never carry a badge", "en").clauses
    assert {"enter", "carri", "badg"} <= clause.denied
    # Languages with unknown negations have no clauses.
    assert not Statement("ei koskaan", "fi").clauses
