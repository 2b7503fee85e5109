"""Recomputes the counts of knowledge from all its evidence, so that withdrawn evidence leaves no trace."""

from typing import Any, Final

from sqlalchemy import ColumnElement, Double, ScalarSelect, Update, case, cast, distinct, func, literal, select, update

from echomind_lib.db.models.knowledge import KnowledgeEntity, KnowledgeFeedback, KnowledgeUse
from echomind_lib.learned.knowledge.confidence import CITED

BEST_RATING: Final = 5
"""The best rating; the worst is 1."""


def recounted(condition: ColumnElement[bool]) -> Update:
    """Returns the statement that recomputes the counts of entities.

    A person's opinion has weight 1: a rating from 1 to 5 is divided between against and for; if there is also
    `helpful`, each has half of the weight.

    Args:
        condition: Condition on the entities.
    """
    of, use = KnowledgeFeedback, KnowledgeUse
    rating = cast(of.accuracy_rating - 1, Double) / (BEST_RATING - 1)
    helpful = cast(case((of.helpful.is_(True), 1.0), else_=0.0), Double)
    value = case(
        (of.helpful.is_(None), rating), (of.accuracy_rating.is_(None), helpful), else_=(rating + helpful) / 2.0
    )

    def voted(figure: Any) -> ScalarSelect[Any]:
        has_opinion = of.helpful.is_not(None) | of.accuracy_rating.is_not(None)
        return select(figure).where(of.knowledge_id == KnowledgeEntity.id, has_opinion).scalar_subquery()

    def cited(figure: Any) -> ScalarSelect[Any]:
        return select(figure).where(use.knowledge_id == KnowledgeEntity.id, use.cited).scalar_subquery()

    conversations = cast(cited(func.count(distinct(use.chat_session_id))), Double)
    return (
        update(KnowledgeEntity)
        .where(condition)
        .values(
            alpha=KnowledgeEntity.prior_alpha
            + func.coalesce(voted(func.sum(value)), 0.0)
            + literal(CITED, Double) * conversations,
            beta=KnowledgeEntity.prior_beta + func.coalesce(voted(func.sum(1.0 - value)), 0.0),
            evidence_at=func.greatest(
                voted(func.max(func.coalesce(of.last_update, of.creation_date))), cited(func.max(use.creation_date))
            ),
        )
    )
