"""The ranking of memories: by meaning, importance, and slightly by age."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from echomind_agent.learning.memory.recall import MAX_TOKENS, fitting
from echomind_agent.text.memory_lines import memory_line
from echomind_lib.learned.memories import Memory, Ranked
from echomind_lib.learned.memories.ranking import LEAST_COSINE, rank

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def memory(
    memory_id: int, *, days: float = 0, importance: float = 0.5, kind: Any = "semantic", used: Any = None
) -> Memory:
    return Memory(
        id=memory_id,
        user_id=1,
        memory_type=kind,
        content="The person sails.",
        importance_score=importance,
        confidence=0.5,
        trust="user_said",
        has_sources=False,
        access_count=0,
        last_accessed_at=used,
        source_session_id=None,
        source_message_ids=(),
        creation_date=NOW - timedelta(days=days),
        last_update=None,
        expires_at=None,
        valid_to=None,
        superseded_by=None,
        updated_by=0,
    )


def scores(*found: tuple[Memory, float]) -> list[float]:
    """Returns the scores by id."""
    return [each.score for each in sorted(rank(found, NOW), key=lambda each: each.memory.id)]


def test_an_old_key_fact_ranks_above_a_recent_trifle() -> None:
    key, trifle = memory(1, days=365, importance=1.0), memory(2, days=1, importance=0.1)
    assert [each.memory.id for each in rank([(trifle, 0.6), (key, 0.6)], NOW)] == [1, 2]


@pytest.mark.parametrize(("kind", "half_life"), [("episodic", 14), ("semantic", 180)])
def test_recency_is_halved_at_the_half_life_and_never_less_than_a_half(kind: Any, half_life: int) -> None:
    new, half, ancient = scores(
        *((memory(number, days=days, kind=kind), 1.0) for number, days in enumerate((0, half_life, 100_000)))
    )
    assert (half / new, ancient / new) == pytest.approx((0.75, 0.5))


def test_a_way_of_working_does_not_age() -> None:
    new, ancient = scores((memory(1, kind="procedural"), 1.0), (memory(2, kind="procedural", days=10_000), 1.0))
    assert new == ancient


def test_what_an_answer_has_used_counts_from_then_on() -> None:
    unused, used = scores((memory(1, days=400), 1.0), (memory(2, days=400, used=NOW), 1.0))
    assert used > unused


def test_irrelevant_passages_are_omitted() -> None:
    assert [each.memory.id for each in rank([(memory(1), LEAST_COSINE), (memory(2), LEAST_COSINE - 0.01)], NOW)] == [1]


def test_a_prompt_has_the_best_memories_within_its_budget() -> None:
    found = [Ranked(memory=memory(number), cosine=0.5, score=1.0 / number) for number in range(1, 9)]
    third = MAX_TOKENS // 3
    assert [each.id for each in fitting(found, lambda _: third - 1)] == [1, 2, 3]
    assert fitting(found, lambda _: MAX_TOKENS) == []
    assert [each.id for each in fitting(found, len)] == list(range(1, 9))
    assert sum(len(memory_line(each.memory)) + 1 for each in found) <= MAX_TOKENS
