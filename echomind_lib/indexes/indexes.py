"""Operations on the collections of all indexes."""

from collections.abc import Mapping

import asyncpg

from echomind_lib.indexes.rows import Index, active_index, known_collections, live_indexes
from echomind_lib.vectors import Filter, VectorIndex


class Indexes:
    """The indexes of an installation, as rows and as collections."""

    def __init__(self, pool: asyncpg.Pool, vectors: VectorIndex) -> None:
        self._pool = pool
        self.vectors = vectors
        self._ensured: set[str] = set()

    async def active(self) -> Index | None:
        """Returns the active index and ensures that its collection exists; None if there is none.

        Raises:
            DependencyUnavailableError: The vector index does not respond.
        """
        index = await active_index(self._pool)
        if index is not None:
            await self._ensure(index)
        return index

    async def collections(self) -> set[str]:
        """Returns the existing collections, including those of deleted indexes."""
        return await self.vectors.collections() & await known_collections(self._pool)

    async def delete(self, where: Filter) -> None:
        """Deletes the chunks that match a filter, in every collection."""
        for collection in await self.collections():
            await self.vectors.delete(collection, where)

    async def set_payload(self, payload: Mapping[str, object], where: Filter) -> None:
        """Sets payload fields of the chunks that match a filter, in the collections of all live indexes."""
        for index in await live_indexes(self._pool):
            await self._ensure(index)
            await self.vectors.set_payload(index.collection, payload, where)

    async def _ensure(self, index: Index) -> None:
        if index.collection not in self._ensured:
            await self.vectors.ensure(index.collection, index.dimension)
            self._ensured.add(index.collection)
