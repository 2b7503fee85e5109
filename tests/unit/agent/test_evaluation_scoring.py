"""What an answer and its sources are worth by rules."""

import pytest

from echomind_agent.evaluation.scoring import Expected, Found, found_of, score
from tests.drivers.tables import for_each

FOUND = Found(
    documents=[("Travel rules",), ("Leave 2026", "leave.md"), ("", "https://example.org/leave")],
    texts=["Annual\n leave is 30 days a year."],
)


def test_documents_have_the_rank_in_which_they_were_found_under_any_of_their_names() -> None:
    expected = Expected(question="?", documents=["LEAVE.md", "https://example.org/leave", "Board"])
    measured = score(expected, "", FOUND)
    assert measured.rank == 2
    assert measured.document_share == pytest.approx(2 / 3)
    assert measured.missing == ["Board"]
    assert score(Expected(question="?", documents=["Board"]), "", FOUND).rank is None


def test_what_is_not_expected_is_not_measured() -> None:
    measured = score(Expected(question="?"), "An answer.", FOUND)
    assert (measured.rank, measured.document_share, measured.passage_share, measured.fact_share) == (None,) * 4
    assert measured.missing == []


def test_passages_are_found_in_any_case_and_white_space() -> None:
    expected = Expected(question="?", passages=["annual leave is 30 days", "60 days"])
    assert score(expected, "", FOUND).passage_share == 0.5
    assert score(expected, "annual leave is 30 days, 60 days", FOUND).missing == ["60 days"], "the answer is no source"


@for_each(
    ("fact", "answer", "is_said"),
    [
        ("30 days", "You get **30 days** of leave.", True),
        ("30 days | thirty days", "You get Thirty  days.", True),
        ("0 days", "You get 30 days.", False),
        ("30 day", "You get 30 days.", False),
        ("Straße 5", "STRASSE 5", True),
        ("a|b", "a|b", True),
        ("(beta)", "It is in beta (beta).", True),
    ],
)
def test_facts_are_whole_words_of_the_answer_in_one_of_their_wordings(fact: str, answer: str, *, is_said: bool) -> None:
    assert score(Expected(question="?", facts=[fact]), answer, FOUND).fact_share == (1.0 if is_said else 0.0)


def test_a_document_found_by_several_calls_counts_once_and_web_pages_are_known_by_address() -> None:
    leave = {"documentId": "7", "title": "Leave"}
    page = {"title": "Page", "url": "https://example.org/"}
    found = found_of(
        [([{"documentId": "8", "title": "Travel"}, leave], "a"), (None, None), ([leave, page], "b")], {7: "l.md"}
    )
    assert [set(document) for document in found.documents] == [
        {"Travel"},
        {"Leave", "l.md"},
        {"Page", "https://example.org/"},
    ]
    assert list(found.texts) == ["a", "", "b"]


def test_what_is_right_can_be_judged_only_if_it_is_said() -> None:
    assert not Expected(question="?", documents=["Leave"], answer=" ").is_judgeable
    assert Expected(question="?", facts=["30 days"]).is_judgeable
