"""The vectors of facts: one collection beside the chunks of each index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import asyncpg

from echomind_lib.embeddings import EmbeddingClient
from echomind_lib.indexes import Index, active_index
from echomind_lib.indexes.rows import known_collections
from echomind_lib.learned.facts.kinds import FactKind, FactText
from echomind_lib.vectors import FACT_FIELDS, Filter, Point, SparseVector, VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FIELDS: Final = ("fact_id",)
"""The payload fields that a search reads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFact:
    """A fact that is similar to a text. Its row decides whether it is still valid, and for whom."""

    id: int
    cosine: float


def facts_collection(index: Index) -> str:
    """Returns the name of an index's collection of facts."""
    return _beside(index.collection)


def _beside(collection: str) -> str:
    return f"{collection}_facts"


class FactVectors:
    """Stores and finds facts. Safe for concurrent use."""

    def __init__(self, pool: asyncpg.Pool, vectors: VectorIndex, embeddings: EmbeddingClient) -> None:
        self._pool, self._vectors, self._embeddings = pool, vectors, embeddings
        self._seen: set[str] = set()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns the vectors of facts' texts, `[texts, dimension]`, of unit length.

        Raises:
            DependencyUnavailableError: The embedding process does not respond.
        """
        index = await active_index(self._pool)
        return await self._embeddings.embed_passages(texts, index.model_id if index else "")

    async def search(self, kind: FactKind, scopes: Sequence[str], text: str, limit: int) -> list[FoundFact]:
        """Returns the facts of a kind that are most similar to a text, best first.

        Args:
            kind: Kind of facts.
            scopes: The reader's scopes, as `access.scopes_of`: facts of other scopes are not found. Their rows have to
                be checked nevertheless, as vectors are updated a little later than rows.
            text: The text.
            limit: Maximum number of results.

        Raises:
            DependencyUnavailableError: Vector index or embedding process do not respond.
        """
        index = await active_index(self._pool)
        if index is None or not scopes or not await self.has_collection(index):
            return []
        vector = await self._embeddings.embed_query(text, index.model_id)
        where: Filter = {"scope": list(scopes), "kind": kind}
        found = await self._vectors.query(facts_collection(index), where, dense=vector, limit=limit, fields=_FIELDS)
        return [FoundFact(id=each.payload["fact_id"], cosine=each.score) for each in found]

    async def search_like(
        self, kind: FactKind, scopes: Sequence[str], texts: Sequence[str], limit: int
    ) -> list[list[FoundFact]]:
        """Returns the facts that are most similar to each of some texts, as `search`, for work that nobody waits for.

        The texts are embedded together, after the questions of people.

        Args:
            kind: Kind of facts.
            scopes: The scopes, as for `search`.
            texts: The texts.
            limit: Maximum number of results for each text.

        Raises:
            DependencyUnavailableError: Vector index or embedding process do not respond.
        """
        index = await active_index(self._pool)
        if index is None or not scopes or not texts or not await self.has_collection(index):
            return [[] for _ in texts]
        where: Filter = {"scope": list(scopes), "kind": kind}
        results = []
        for vector in await self._embeddings.embed_passages(texts, index.model_id):
            found = await self._vectors.query(facts_collection(index), where, dense=vector, limit=limit, fields=_FIELDS)
            results.append([FoundFact(id=each.payload["fact_id"], cosine=each.score) for each in found])
        return results

    async def has_collection(self, index: Index) -> bool:
        """Returns whether an index's collection exists."""
        collection = facts_collection(index)
        if collection not in self._seen and await self._vectors.has(collection):
            self._seen.add(collection)
        return collection in self._seen

    async def ensure(self, index: Index) -> None:
        """Creates the collection of an index, or its missing payload indexes."""
        await self._vectors.ensure(facts_collection(index), index.dimension, FACT_FIELDS)

    async def store(self, index: Index, kind: FactKind, facts: Sequence[FactText]) -> None:
        """Embeds facts and stores their vectors; existing vectors are replaced."""
        import numpy as np

        dense = await self._embeddings.embed_passages([fact.text for fact in facts], index.model_id)
        no_terms = SparseVector(np.empty(0, np.uint32), np.empty(0, np.float32))
        points = [
            Point(fact.point_id, vector, no_terms, {"scope": fact.scope, "kind": kind, "fact_id": fact.id})
            for fact, vector in zip(facts, dense, strict=True)
        ]
        await self._vectors.upsert(facts_collection(index), points)

    async def remove(self, kind: FactKind, ids: Sequence[int]) -> None:
        """Removes vectors of facts, from the collections of all indexes."""
        known = {_beside(collection) for collection in await known_collections(self._pool)}
        for collection in sorted(known & await self._vectors.collections()):
            await self._vectors.delete(collection, {"kind": kind, "fact_id": list(ids)})
