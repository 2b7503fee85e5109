"""Ranking of memories by similarity, importance and age."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from echomind_lib.db.words import MemoryType
from echomind_lib.learned.memories.rows import Memory

LEAST_COSINE: Final = 0.28
"""Minimum cosine of a memory that is about a question, for MiniLM: the best value in `bench.memory`."""
_HALF_LIFE_DAYS: Final[dict[MemoryType, float | None]] = {"episodic": 14.0, "semantic": 180.0, "procedural": None}
"""Half-life of the recency bonus in days; None for memories that do not age."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A found memory."""

    memory: Memory
    cosine: float
    score: float


def rank(found: Iterable[tuple[Memory, float]], now: datetime, *, least: float = LEAST_COSINE) -> list[Ranked]:
    """Returns the memories that are about a question, best first.

    The score is the cosine, multiplied by 0.5 to 1 for the importance and by 0.5 to 1 for the recency: old important
    memories rank above new unimportant ones.

    Args:
        found: Memories with their cosine.
        now: The current time.
        least: Minimum cosine of a memory that is about the question.
    """
    ranked = [
        Ranked(memory=memory, cosine=cosine, score=cosine * _weight(memory.importance_score) * _recency(memory, now))
        for memory, cosine in found
        if cosine >= least
    ]
    return sorted(ranked, key=lambda each: (-each.score, -each.memory.id))


def _weight(part: float) -> float:
    return 0.5 + 0.5 * part


def _recency(memory: Memory, now: datetime) -> float:
    half_life = _HALF_LIFE_DAYS[memory.memory_type]
    if half_life is None:
        return 1.0
    days = max(0.0, (now - (memory.last_accessed_at or memory.creation_date)).total_seconds() / 86_400)
    return _weight(2.0 ** (-days / half_life))
