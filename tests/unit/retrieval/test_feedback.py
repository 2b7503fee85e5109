"""The effect of votes on a ranking is small, and smaller if only one other person voted."""

import random
from dataclasses import replace
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomind_lib.retrieval.feedback import POOL, Asked, encode_vector, reordered
from echomind_lib.retrieval.votes import Vote
from echomind_lib.vectors import Found

SESSION = UUID(int=1)
ASKED = Asked(1, "m", np.array([1.0, 0.0], np.float32), frozenset({1, 2, 3}))


def hit(number: int, score: float) -> Found:
    payload = {"document_id": number % 2, "chunking_session": str(SESSION), "start": 0, "end": 9, "text": "x"}
    return Found(str(number), score, payload, None, frozenset())


def cast(user_id: int, chunk: int, value: int, angle: float = 0.0, *, is_editor: bool = False) -> Vote:
    return Vote(
        user_id=user_id,
        message_id=user_id,
        chunk_id=str(chunk),
        chunking_session=SESSION,
        span_start=None,
        span_end=None,
        snippet="x",
        value=value,
        is_editor=is_editor,
        model_id="m",
        vector=encode_vector(np.array([np.cos(angle), np.sin(angle)], np.float32)),
        terms=[],
    )


def by_document(votes: list[Vote]) -> dict[int, list[Vote]]:
    return {number: [vote for vote in votes if int(vote.chunk_id) % 2 == number] for number in (0, 1)}


scores = st.lists(st.floats(0.01, 2), min_size=1, max_size=40).map(lambda each: sorted(each, reverse=True))
values, chunks = st.sampled_from([-1, 1]), st.integers(0, 39)
angles = st.floats(0, 3)


@given(scores, st.lists(st.builds(cast, st.integers(1, 5), chunks, values, angles, is_editor=st.booleans())))
def test_a_passage_passes_none_that_is_much_better(scores: list[float], votes: list[Vote]) -> None:
    hits = [hit(number, score) for number, score in enumerate(scores)]
    after = reordered(hits, by_document(votes), ASKED)
    assert sorted(each.id for each in after) == sorted(each.id for each in hits)
    best_behind = 0.0
    for each in reversed(after):
        assert best_behind <= each.score * 1.1 / 0.9 + 1e-9
        best_behind = max(best_behind, each.score)


@given(scores, st.lists(st.builds(cast, st.just(2), chunks, values, angles)))
def test_one_other_person_moves_nothing(scores: list[float], votes: list[Vote]) -> None:
    hits = [hit(number, score) for number, score in enumerate(scores)]
    assert reordered(hits, by_document(votes), ASKED) == hits


@given(
    scores,
    st.lists(st.builds(cast, st.integers(1, 6), chunks, values, angles, is_editor=st.just(False))),
    st.lists(st.builds(cast, st.just(7), chunks, values, angles)),
)
def test_one_hostile_person_moves_no_hit_by_more_than_two_places(
    scores: list[float], honest: list[Vote], hostile: list[Vote]
) -> None:
    hits = [hit(number, score) for number, score in enumerate(scores)]
    without, with_them = [
        {each.id: position for position, each in enumerate(reordered(hits, by_document(votes), ASKED))}
        for votes in (honest, [*honest, *hostile])
    ]
    assert all(abs(with_them[each] - position) <= 2 for each, position in without.items())


@pytest.mark.parametrize("honest", [0, 1, 2, 4, 7])
def test_neither_does_one_who_chooses_the_votes_that_hurt_most(honest: int) -> None:
    """Hits as near to each other as fused ones are, and people who mostly agree; then the hostile person joins."""
    chance = random.Random(honest)
    worst = 0
    for _ in range(25):
        scores = [0.99**number * chance.uniform(0.995, 1) for number in range(POOL)]
        hits = [hit(number, score) for number, score in enumerate(sorted(scores, reverse=True))]
        is_good = [chance.random() < 0.5 for _ in hits]
        votes = [
            cast(2 + person, number, 1 if is_good[number] == (chance.random() < 0.8) else -1)
            for person in range(honest)
            for number in range(POOL)
            if chance.random() < 0.6
        ]
        positions = {each.id: position for position, each in enumerate(reordered(hits, by_document(votes), ASKED))}
        target = chance.randrange(POOL)
        for plan in (
            [cast(99, number, -1 if is_good[number] else 1) for number in range(POOL)],
            [cast(99, number, 1 if number > target else -1) for number in range(POOL)],
            [cast(99, number, -1 if number > target else 1) for number in range(POOL)],
            [cast(99, number, 1 if is_good[number] else -1) for number in range(POOL)],
        ):
            after = reordered(hits, by_document([*votes, *plan]), ASKED)
            worst = max(worst, *(abs(positions[each.id] - position) for position, each in enumerate(after)))
    assert worst <= (0 if honest == 0 else 2)


def test_people_who_agree_lift_a_passage_by_a_place_and_an_editor_as_far_as_its_score() -> None:
    hits = [hit(number, 0.99**number) for number in range(10)]

    def position(votes: list[Vote]) -> int:
        return [each.id for each in reordered(hits, by_document(votes), ASKED)].index("8")

    assert position([cast(2, 8, 1)]) == 8
    assert position([cast(person, 8, 1) for person in (2, 3)]) == 7
    assert position([cast(person, 8, 1) for person in range(2, 9)]) == 7
    assert position([cast(2, 8, 1, is_editor=True)]) < 5
    assert position([cast(ASKED.reader_id, 8, 1)]) < 5


@given(scores, st.floats(0.8, 3))
def test_questions_that_are_not_alike_change_nothing(scores: list[float], angle: float) -> None:
    hits = [hit(number, score) for number, score in enumerate(scores)]
    votes = [cast(1, number, 1 if number % 3 else -1, angle) for number in range(len(hits))]
    assert reordered(hits, by_document(votes), ASKED) == hits


@pytest.mark.parametrize(
    ("start", "end", "counts"), [(20, 29, True), (22, 25, True), (19, 29, False), (25, 30, False), (30, 40, False)]
)
def test_a_vote_on_a_text_counts_for_a_passage_that_contains_all_of_it(start: int, end: int, counts: bool) -> None:
    first, second = hit(0, 1.0), hit(2, 0.99)
    second.payload.update(start=20, end=29)
    vote = replace(cast(1, 4, 1), span_start=start, span_end=end)
    after = reordered([first, second], {0: [vote]}, ASKED)
    assert [each.id for each in after] == (["2", "0"] if counts else ["0", "2"])
