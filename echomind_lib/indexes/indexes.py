"""Operations on the collections of all indexes."""

from collections.abc import Mapping

import asyncpg

from echomind_lib.indexes.rows import Index, active_index, filled_indexes, known_collections
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
            await self.ensure(index)
        return index

    async def collections(self) -> set[str]:
        """Returns the existing collections, including those of deleted indexes."""
        return await self.vectors.collections() & await known_collections(self._pool)

    async def delete(self, where: Filter) -> None:
        """Deletes the chunks that match a filter, in every collection."""
        for collection in await self.collections():
            await self.vectors.delete(collection, where)

    async def set_payload(self, payload: Mapping[str, object], where: Filter) -> None:
        """Sets payload fields of the chunks that match a filter, in the collections that are filled."""
        for index in await filled_indexes(self._pool):
            await self.ensure(index)
            await self.vectors.set_payload(index.collection, payload, where)

    async def drop(self, collection: str) -> None:
        """Deletes a collection of chunks and the facts beside it; does nothing if there is none."""
        self._ensured.discard(collection)
        for name in (collection, f"{collection}_facts"):
            await self.vectors.drop(name)

    async def ensure(self, index: Index) -> None:
        """Creates an index's collection unless it exists."""
        if index.collection not in self._ensured:
            await self.vectors.ensure(index.collection, index.dimension)
            self._ensured.add(index.collection)
