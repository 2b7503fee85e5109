"""Removed documents whose points are still in the vector index, and whether sources and votes must be checked."""

import time
from dataclasses import dataclass
from typing import Final

import asyncpg
from sqlalchemy import exists, func, select

from echomind_lib.db.models import ChunkFeedback, Connector, Document
from echomind_lib.db.statements import Query
from echomind_lib.vectors import Filter

_SECONDS = 1.0
"""How old the known removals may be. A search that meets newer ones reads them again."""
_CONNECTORS = 500
_DOCUMENTS = 2000
"""How many are left out by their ids; the search leaves out others when it meets them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Removed:
    connectors: list[int]
    documents: list[int]
    has_sources: bool
    has_feedback: bool


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
    ),
    _Removed,
)


class Removals:
    """Connectors and documents whose points no query shall take for candidates.

    Without that, the points of a large connector that is being removed would fill the candidates of everybody who
    shares its scope. Which hits count is still decided by the rows of the documents.
    """

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._known: Filter = {}
        self._read_at = -_SECONDS
        self.has_source_permissions = False
        """Whether any connector syncs permissions, as of the last read."""
        self.has_feedback = False
        """Whether there is any vote on a passage, as of the last read."""

    async def read(self, *, again: bool = False) -> Filter:
        """Returns the removals as a filter of what to leave out.

        Args:
            again: Read them from the database, however fresh the known ones are.
        """
        now = time.monotonic()
        if again or now - self._read_at >= _SECONDS:
            (removed,) = await _REMOVED.fetch_all(self._pool)
            lists = {"connector_id": removed.connectors, "document_id": removed.documents}
            self._known = {field: ids for field, ids in lists.items() if ids}
            self.has_source_permissions = removed.has_sources
            self.has_feedback = removed.has_feedback
            self._read_at = now
        return self._known
