"""What a search is limited to, as a filter of the vector index."""

from collections.abc import Sequence
from typing import Any

import asyncpg

from echomind_lib.access import Principal, scopes_of
from echomind_lib.access.documents import chunk_scopes_of
from echomind_lib.retrieval.documents import DocumentFilter, matching_documents, with_members
from echomind_lib.retrieval.removals import Removals

_FEW_DOCUMENTS = 2000
"""Maximum number of matching documents whose ids are sent to the vector index."""


async def filter_of(
    pool: asyncpg.Pool,
    removals: Removals,
    reader: Principal,
    connector_ids: Sequence[int],
    document_ids: Sequence[int],
    documents: DocumentFilter,
) -> dict[str, Any] | None:
    """Returns the filter of the vector index; None if it would match nothing.

    Args:
        pool: The database.
        removals: The removals, as they were read a moment ago.
        reader: The asker, whose scopes and limits are part of it.
        connector_ids: Only these; empty means all.
        document_ids: Only these and the files within them; empty means all.
        documents: The index knows none of its fields: few matching documents are named; with many of them, enough hits
            match, and those that do not are left out afterwards.
    """
    by_source = removals.has_source_permissions
    where: dict[str, Any] = {"scope": await chunk_scopes_of(pool, reader) if by_source else scopes_of(reader)}
    if reader.limits is not None and reader.limits.connectors is not None:
        allowed = reader.limits.connectors
        connector_ids = sorted(allowed.intersection(connector_ids) if connector_ids else allowed)
        if not connector_ids:
            return None
    if connector_ids:
        where["connector_id"] = list(connector_ids)
    named = await with_members(pool, document_ids) if document_ids else None
    if not documents.is_empty:
        limit = _FEW_DOCUMENTS if named is None else len(named)
        few = await matching_documents(pool, reader, documents, limit + 1, named)
        if not few:
            return None
        if len(few) <= limit:
            named = few
    if named is not None:
        where["document_id"] = named
    return where
