"""Confidence of knowledge: a Beta distribution whose counts are those of its origin and of all evidence.

The scheme is the textbook's; the constants are chosen, not measured.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from math import sqrt
from typing import Any, Final

from echomind_lib.db.words import KnowledgeSourceType

PRIORS: Final[dict[KnowledgeSourceType, tuple[float, float]]] = {
    "manual": (8.0, 2.0),
    "document": (8.0, 2.0),
    "answer": (4.0, 2.0),
    "conversation": (2.0, 2.0),
}
"""Counts for and against what has no evidence yet, by its origin."""
REVIEWED: Final = (4.0, 2.0)
"""At least these counts has what a superadmin has approved."""
CITED: Final = 0.1
"""What an answer that cites an entity counts for it, once in a conversation. To be found alone counts nothing."""
SAID_AGAIN: Final = 0.5
"""What counts for what was learned when a later conversation says the same."""
MOST_PRIOR: Final = PRIORS["manual"][0]
"""So much for what was learned can be said in conversations: as much as for what a person writes."""
LEAST: Final = 0.3
"""Below this confidence an entity answers no questions."""
REVIEW_DAYS: Final = 90
"""For how long a review holds."""
LAPSED_FACTOR: Final = 0.8
"""What the score of an entity is multiplied by whose review has lapsed."""
_HALF_LIFE_DAYS: Final = 180.0
"""After so many days without new evidence half of it counts: the confidence goes back towards the origin's."""
_TENTH: Final = 1.2815515655446004
"""So many standard deviations below the mean are 10 % of a normal distribution."""
_LEARNED_MEAN: Final = (0.35, 0.65)
"""Between these a model's word moves the confidence in what it has learned: it is no evidence."""


@dataclass(frozen=True, slots=True)
class Confidence:
    """A Beta distribution by its counts, both above 0."""

    alpha: float
    beta: float

    @property
    def mean(self) -> float:
        """Returns the mean, 0 to 1."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def bound(self) -> float:
        """Returns the lower bound at a probability of 90 %, from the normal distribution of the same moments."""
        total = self.alpha + self.beta
        spread = sqrt(self.alpha * self.beta / (total * total * (total + 1.0)))
        return max(0.0, self.mean - _TENTH * spread)


def confidence_of(entity: Any, now: datetime | None = None) -> Confidence:
    """Returns how sure an entity is: old evidence counts less, so age widens and never pushes below the origin's.

    Args:
        entity: The entity, with the columns of its counts as attributes.
        now: The present; None for the clock's.
    """
    if entity.evidence_at is None:
        return Confidence(entity.alpha, entity.beta)
    days = max(0.0, ((now or datetime.now(UTC)) - entity.evidence_at).total_seconds() / 86_400)
    share = 2.0 ** (-days / _HALF_LIFE_DAYS)
    return Confidence(
        entity.prior_alpha + (entity.alpha - entity.prior_alpha) * share,
        entity.prior_beta + (entity.beta - entity.prior_beta) * share,
    )


def learned_prior(certainty: float) -> tuple[float, float]:
    """Returns the counts of what a model has learned from a conversation.

    Args:
        certainty: Confidence reported by the model, 0 to 1.
    """
    total, (least, most) = sum(PRIORS["conversation"]), _LEARNED_MEAN
    mean = least + (most - least) * certainty
    return total * mean, total * (1.0 - mean)


def score_of(likeness: float, confidence: Confidence, *, lapsed: bool) -> float:
    """Returns by what found entities are ordered, 0 to 1.

    Args:
        likeness: Cosine of the entity and the question.
        confidence: Its confidence.
        lapsed: Whether its review has expired.
    """
    return max(0.0, likeness) * (0.5 + 0.5 * confidence.bound) * (LAPSED_FACTOR if lapsed else 1.0)
