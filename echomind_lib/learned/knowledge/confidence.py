"""Confidence of knowledge: a Beta distribution, with counts from its origin and all evidence.

The scheme is standard; the constants are chosen, not measured.
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
"""Prior counts for and against an entity without evidence, by its origin."""
REVIEWED: Final = (4.0, 2.0)
"""Minimum counts of an entity that a superadmin has approved."""
CITED: Final = 0.1
"""Weight of a citation in an answer, once per conversation. Being found has no weight."""
STATED_AGAIN: Final = 0.5
"""Weight of a later conversation that says the same as a learned entity."""
MAX_PRIOR: Final = PRIORS["manual"][0]
"""Maximum count from conversations for a learned entity: that of an entity written by a person."""
LEAST: Final = 0.3
"""Minimum confidence of an entity that is used in answers."""
REVIEW_DAYS: Final = 90
"""Days after which a review expires."""
LAPSED_FACTOR: Final = 0.8
"""Factor on the score of an entity whose review has expired."""
_HALF_LIFE_DAYS: Final = 180.0
"""Half-life of evidence in days: without new evidence, the confidence returns towards the prior."""
_TENTH: Final = 1.2815515655446004
"""Standard deviations below the mean at the 10 % quantile of a normal distribution."""
_LEARNED_MEAN: Final = (0.35, 0.65)
"""Range of the prior mean of a learned entity, by the model's own certainty, which is no evidence."""


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
    """Returns the confidence of an entity: old evidence decays towards the prior, and never below it.

    Args:
        entity: The entity, with the columns of its counts as attributes.
        now: The current time; None to read the clock.
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
    """Returns the prior counts of an entity that a model has learned from a conversation.

    Args:
        certainty: Confidence reported by the model, 0 to 1.
    """
    total, (lowest, highest) = sum(PRIORS["conversation"]), _LEARNED_MEAN
    mean = lowest + (highest - lowest) * certainty
    return total * mean, total * (1.0 - mean)


def score_of(likeness: float, confidence: Confidence, *, lapsed: bool) -> float:
    """Returns the score by which found entities are ordered, 0 to 1.

    Args:
        likeness: Cosine of the entity and the question.
        confidence: Its confidence.
        lapsed: Whether its review has expired.
    """
    return max(0.0, likeness) * (0.5 + 0.5 * confidence.bound) * (LAPSED_FACTOR if lapsed else 1.0)
