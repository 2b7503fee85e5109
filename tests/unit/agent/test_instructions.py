"""What a run's system message says, and how much room it takes."""

from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echomind_agent.prompts.instructions import background, instructions
from echomind_lib.llms.tokens import count_tokens
from tests.factories.run_records import new_run

_TEXTS = st.text(max_size=300) | st.sampled_from(["word " * 900, "<goal> " * 300, "年假" * 900])


@settings(deadline=None)
@given(_TEXTS, _TEXTS, st.lists(_TEXTS, max_size=20), st.integers(256, 4000), st.floats(0.5, 4), st.booleans())
def test_background_leaves_room(
    goal: str, summary: str, steps: list[str], room: int, factor: float, is_sub_agent: bool
) -> None:
    """Whatever the texts are, and however the model counts."""

    def count(text: str) -> int:
        return ceil(count_tokens(text) * factor)

    run = new_run(kind="sub_agent", inherited_context=goal) if is_sub_agent else new_run(session={"goal": goal})
    room = ceil(room * factor)
    parts = background(run, "" if is_sub_agent else summary, [] if is_sub_agent else steps, room, count)
    assert count("\n\n".join(["", *parts])) <= room * 0.8


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        ({"goal": "What?", "auto_run": True, "session": {"goal": "Before."}}, []),
        ({"goal": "Compare."}, ["Compare."]),
        ({"session": {"goal": "Before."}}, ["Before."]),
        ({"session": {"goal": "Before."}, "kind": "sub_agent"}, []),
    ],
)
def test_goal_is_told_where_the_question_does_not_say_it(columns: dict[str, Any], shown: list[str]) -> None:
    parts = background(new_run(**columns), "", [], 1000, count_tokens)
    assert [part.splitlines()[2] for part in parts] == shown


def test_assistants_own_instructions_stand_before_those_of_all() -> None:
    said = instructions(new_run(assistant={"system_prompt": "You are a librarian."}))
    assert said.startswith("You are a librarian.\n\n")
    assert said.endswith("Today is Friday, 02 January 2026.")
    assert instructions(new_run()).split("\n")[0] == said.split("\n")[2]


@pytest.mark.parametrize(
    ("columns", "from_documents", "searches"),
    [
        ({}, True, True),
        ({"config": {"tools": ["search_documents", "calculator"]}}, True, True),
        ({"config": {"tools": ["calculator"]}}, False, False),
        (
            {"config": {"tools": ["calculator"]}, "assistant": {"task_prompt": "From {context} answer {query}"}},
            True,
            False,
        ),
    ],
)
def test_search_is_asked_of_those_who_can(columns: dict[str, Any], from_documents: bool, searches: bool) -> None:
    said = instructions(new_run(**columns))
    assert ("You answer from the documents" in said) is from_documents
    assert ("search_documents" in said) is searches
    assert "cite it with its number" in said
