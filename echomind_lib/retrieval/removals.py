"""What was removed while its points are still in the vector index."""

import time

import asyncpg

from echomind_lib.vectors import Filter

_SECONDS = 1.0
"""How old the known removals may be. A search that meets newer ones reads them again."""
_CONNECTORS = 500
_DOCUMENTS = 2000
"""How many are left out by their ids; the search leaves out others when it meets them."""

_READ = """
SELECT ARRAY(SELECT id FROM connectors WHERE deleted_date IS NOT NULL ORDER BY id DESC LIMIT $1) AS connectors,
    ARRAY(SELECT documents.id FROM documents JOIN connectors ON connectors.id = documents.connector_id
        WHERE documents.deleted_date IS NOT NULL AND documents.chunk_count > 0 AND connectors.deleted_date IS NULL
        ORDER BY documents.id DESC LIMIT $2) AS documents
"""


class Removals:
    """Connectors and documents whose points no query shall take for candidates.

    Without that, the points of a large connector that is being removed would fill the candidates of everybody who
    shares its scope. Which hits count is still decided by the rows of the documents.
    """

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._known: Filter = {}
        self._read_at = -_SECONDS

    async def read(self, *, again: bool = False) -> Filter:
        """Returns the removals as a filter of what to leave out.

        Args:
            again: Read them from the database, however fresh the known ones are.
        """
        now = time.monotonic()
        if again or now - self._read_at >= _SECONDS:
            (row,) = await self._pool.fetch(_READ, _CONNECTORS, _DOCUMENTS)
            lists = {"connector_id": row["connectors"], "document_id": row["documents"]}
            self._known = {field: ids for field, ids in lists.items() if ids}
            self._read_at = now
        return self._known
