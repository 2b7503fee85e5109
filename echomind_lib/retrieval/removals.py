"""What searches consider beyond a reader's scopes: removed documents, source permissions, votes, rerankers."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import asyncpg
from sqlalchemy import Text, case, cast, exists, func, literal, select

from echomind_lib.db.models import ChunkFeedback, Connector, Document, Reranker
from echomind_lib.db.statements import Query
from echomind_lib.process.together import Together
from echomind_lib.vectors import Filter

_SECONDS = 1.0
"""Maximum age of the cached removals. A search that finds newer ones reads them again."""
_CONNECTORS = 500
_DOCUMENTS = 2000
"""Maximum number of connectors and documents excluded by id; searches exclude others when they find them."""
_LIVE = 100
"""Number of live connectors from which searches are always filtered by scope, as their scopes are then not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Removed:
    connectors: list[int]
    documents: list[int]
    has_sources: bool
    has_feedback: bool
    has_reranker: bool
    scopes: list[str]


_removed_connectors = (
    select(Connector.id).where(Connector.deleted_date.is_not(None)).order_by(Connector.id.desc()).limit(_CONNECTORS)
)
_removed_documents = (
    select(Document.id)
    .join(Connector, Connector.id == Document.connector_id)
    .where(Document.deleted_date.is_not(None), Document.chunk_count > 0, Connector.deleted_date.is_(None))
    .order_by(Document.id.desc())
    .limit(_DOCUMENTS)
)
_scope = case(
    (Connector.scope == "user", func.concat("user_", cast(Connector.user_id, Text))),
    (Connector.scope == "group", func.concat("group_", Connector.scope_id)),
    else_=literal("org"),
)
_live_scopes = select(_scope).where(Connector.deleted_date.is_(None)).limit(_LIVE)
_REMOVED: Final = Query(
    select(
        func.array(_removed_connectors.scalar_subquery()).label("connectors"),
        func.array(_removed_documents.scalar_subquery()).label("documents"),
        exists()
        .where(Connector.permission_mode == "source", Connector.deleted_date.is_(None))
        .select()
        .scalar_subquery()
        .label("has_sources"),
        exists(select(ChunkFeedback.id)).select().scalar_subquery().label("has_feedback"),
        exists(select(Reranker.id).where(Reranker.is_active, Reranker.deleted_date.is_(None)))
        .select()
        .scalar_subquery()
        .label("has_reranker"),
        func.array(_live_scopes.scalar_subquery()).label("scopes"),
    ),
    _Removed,
)


class Removals:
    """Removed connectors and documents, whose points are excluded from the candidates of queries.

    Otherwise the points of a large connector that is being removed would fill the candidates of everyone who shares its
    scope. Whether a hit is valid is still decided by the rows of the documents.
    """

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._readings = Together(self._read)
        self._known: Filter = {}
        self._read_at = -_SECONDS
        self.has_source_permissions = False
        """Whether any connector syncs permissions, as of the last read."""
        self.has_feedback = False
        """Whether there is any vote on a passage, as of the last read."""
        self.has_reranker = False
        """Whether a reranker is active, as of the last read."""
        self._scopes: frozenset[str] | None = None

    def are_within(self, scopes: Collection[str]) -> bool:
        """Returns whether these scopes contain every point of the index, as of the last read.

        They do not while removed documents still have points, or if any connector syncs permissions. With too many
        connectors to compare, the answer is False, too.
        """
        return (
            not self._known
            and not self.has_source_permissions
            and self._scopes is not None
            and (self._scopes.issubset(scopes))
        )

    async def read(self, *, again: bool = False) -> Filter:
        """Returns the removals as a filter of excluded points.

        Args:
            again: Whether to read them from the database even if the cached ones are recent.
        """
        if again or time.monotonic() - self._read_at >= _SECONDS:
            return await self._readings.call(None)
        return self._known

    async def _read(self, callers: Sequence[None]) -> list[Filter]:
        now = time.monotonic()
        (removed,) = await _REMOVED.fetch_all(self._pool)
        lists = {"connector_id": removed.connectors, "document_id": removed.documents}
        self._known = {field: ids for field, ids in lists.items() if ids}
        self.has_source_permissions = removed.has_sources
        self.has_feedback = removed.has_feedback
        self.has_reranker = removed.has_reranker
        self._scopes = frozenset(removed.scopes) if len(removed.scopes) < _LIVE else None
        self._read_at = now
        return [self._known] * len(callers)
