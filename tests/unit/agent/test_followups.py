"""Detection of questions that depend on earlier ones."""

import json

from echomind_agent.text.followups import is_follow_up, joined
from tests.drivers.tables import for_each
from tests.paths import ROOT

SETS = json.loads((ROOT / "tests" / "fixtures" / "followups.json").read_text())
ASKED = [(dialogue["asked"], dialogue["needs"]) for part in SETS.values() for dialogue in part["dialogues"]]


@for_each(("question", "needs"), ASKED)
def test_scripted_followups(question: str, needs: bool) -> None:
    assert is_follow_up(question) == needs


@for_each(
    "question",
    [
        "Is it possible to work from home?",
        "How long does it take to get a visa?",
        "Is there a parking garage?",
        "Können Sie mir das Passwort zurücksetzen?",
        "Ab wann gilt die Regelung?",
        "What is RAG?",
        "How do I request parental leave in writing, and who approves it when my manager is away?",
    ],
)
def test_standalone_question(question: str) -> None:
    assert not is_follow_up(question)


@for_each(
    "question",
    ["Why?", "Was kostet das?", "In May?", "What is that?", "Wer ist dafür zuständig?", "Et en mai ?", "它多少钱？"],
)
def test_follow_up_question(question: str) -> None:
    assert is_follow_up(question)


def test_a_follow_up_is_joined_with_questions_back_to_a_standalone_one() -> None:
    earlier = ["How long is parental leave?", "When are laptops replaced?", "And mobile phones?"]
    assert joined("Who gets one?", earlier) == "When are laptops replaced?\nAnd mobile phones?\nWho gets one?"
    assert joined("Why?", ["And?", "So?", "Who?", "When?"]).count("\n") == 3
