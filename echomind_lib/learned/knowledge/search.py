"""Search in knowledge: vectors filtered by scope, then a check of the current rows."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import asyncpg
from sqlalchemy import BigInteger, any_, bindparam, func, select
from sqlalchemy.dialects.postgresql import ARRAY

from echomind_lib.access import Principal, scopes_of
from echomind_lib.access.knowledge import knowledge_of_scopes
from echomind_lib.db.models.knowledge import KnowledgeEntity, KnowledgeSource
from echomind_lib.db.statements import Query, columns
from echomind_lib.learned.facts import FactVectors
from echomind_lib.learned.knowledge.confidence import LEAST, confidence_of, score_of

LEAST_LIKENESS: Final = 0.35
"""Minimum cosine of an entity that is about a question."""
DUPLICATE: Final = 0.95
"""Minimum cosine of two duplicates."""
SIMILAR: Final = 0.85
"""Minimum cosine of two entities that are shown as similar."""
EVERYBODY: Final = ("org",)
"""The scopes of entities that everyone can find."""
_SPARE: Final = 4
"""Factor of requested points over the limit, as some rows may be invalid and confidence changes the order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundKnowledge:
    """An entity that the reader may read now."""

    id: int
    title: str
    content: str
    level: str
    category: str | None
    prior_alpha: float
    prior_beta: float
    alpha: float
    beta: float
    evidence_at: datetime | None
    review_after: datetime | None
    document_ids: list[int]
    """Its source documents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeMatch:
    """An entity that matches a question."""

    found: FoundKnowledge
    likeness: float
    """Cosine of the entity and the question."""
    score: float
    """The result of `score_of`."""


_rule = knowledge_of_scopes()
READABLE: Final = Query(
    select(
        *columns(
            FoundKnowledge,
            KnowledgeEntity,
            document_ids=func.array(
                select(KnowledgeSource.document_id)
                .where(KnowledgeSource.knowledge_id == KnowledgeEntity.id)
                .order_by(KnowledgeSource.document_id)
                .scalar_subquery()
            ),
        )
    ).where(KnowledgeEntity.id == any_(bindparam("ids", type_=ARRAY(BigInteger))), _rule.where()),
    FoundKnowledge,
)
"""Selects those of the found entities that may be used in the reader's answers."""


class KnowledgeSearch:
    """Searches knowledge. Safe for concurrent use."""

    def __init__(self, pool: asyncpg.Pool, facts: FactVectors) -> None:
        self._pool, self._facts = pool, facts

    async def search(self, reader: Principal, query: str, limit: int) -> list[KnowledgeMatch]:
        """Finds entities that are about a question, best first.

        Args:
            reader: The user: only entities that they may read now are found.
            query: The question.
            limit: Maximum number of results.

        Raises:
            DependencyUnavailableError: Vector index or embedding process do not respond.
        """
        found = await self._facts.search("knowledge", scopes_of(reader), query, _SPARE * limit)
        likeness = {each.id: each.cosine for each in found if each.cosine >= LEAST_LIKENESS}
        if not likeness:
            return []
        rows = await READABLE.fetch_all(self._pool, ids=list(likeness), **_rule.values(reader))
        now = datetime.now(UTC)
        matches = []
        for row in rows:
            confidence = confidence_of(row, now)
            if confidence.mean >= LEAST:
                lapsed = row.review_after is not None and row.review_after < now
                score = score_of(likeness[row.id], confidence, lapsed=lapsed)
                matches.append(KnowledgeMatch(found=row, likeness=likeness[row.id], score=score))
        return sorted(matches, key=lambda match: (-match.score, match.found.id))[:limit]

    async def similar(self, text: str, scopes: tuple[str, ...], limit: int) -> dict[int, float]:
        """Returns the ids of entities similar to a text, with their cosines, the most similar first.

        The caller checks access.

        Args:
            text: Title and content of another entity.
            scopes: The scopes to search, as `access.scopes_of`.
            limit: Maximum number of results.

        Raises:
            DependencyUnavailableError: Vector index or embedding process do not respond.
        """
        found = await self._facts.search("knowledge", scopes, text, limit)
        return {each.id: each.cosine for each in found if each.cosine >= SIMILAR}


def text_of(title: str, content: str) -> str:
    """Returns the text of an entity that is embedded."""
    return f"{title}\n{content}"
