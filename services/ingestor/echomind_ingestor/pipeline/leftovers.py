"""Leftovers of earlier versions of a document: passages in the vector index, files in the object store.

Sessions are UUIDs of version 7, created by the database when a document is claimed: older ones are over, newer ones may
belong to another worker that processes the same document, or to a current upload, and are kept. While a backup is being
made, nothing is removed: the sweep does it later.
"""

from datetime import datetime
from typing import Final
from uuid import UUID

import asyncpg
from sqlalchemy import BigInteger, bindparam, select

from echomind_lib.db.deletion_lock import deletion_lock
from echomind_lib.db.models import Document
from echomind_lib.db.statements import Query
from echomind_lib.objects import ObjectStore, original_key
from echomind_lib.vectors import VectorIndex

_HELD_SIGNATURE: Final = Query(
    select(Document.signature)
    .where(Document.id == bindparam("document_id", type_=BigInteger))
    .with_for_update(key_share=True),
    str,
)
"""Selects the signature of a document's newest version, and holds back uploads of another one."""


async def clear_older_passages(
    pool: asyncpg.Pool, vectors: VectorIndex, collection: str, document_id: int, session: UUID, chunk_count: int
) -> None:
    """Removes a document's passages of sessions before `session`, which itself has `chunk_count` passages."""
    of_document = {"document_id": document_id}
    if await vectors.count(collection, of_document) <= chunk_count:
        return
    sessions = await vectors.values(collection, "chunking_session", of_document)
    if older := [other for other in sessions if UUID(other) < session]:
        async with deletion_lock(pool) as may_delete:
            if may_delete:
                await vectors.delete(collection, {**of_document, "chunking_session": older})


async def clear_older_files(
    pool: asyncpg.Pool, objects: ObjectStore, document_id: int, session: UUID, signature: str
) -> None:
    """Removes a document's texts of sessions before `session`, and originals stored before that of `signature`.

    The bytes of an upload may be older than those of another one that was processed while its other files were stored.
    So the original that the row names is kept. The row is locked meanwhile: an upload that names it afterwards finds
    what was removed, and stores its bytes again.
    """
    stored = await objects.stored(f"documents/{document_id}/")
    since = next((each.modified for each in stored if each.key == original_key(document_id, signature)), None)
    older = [each.key for each in stored if _is_older(each.key, each.modified, session, since)]
    if not older:
        return
    async with deletion_lock(pool) as may_delete, pool.acquire() as connection, connection.transaction():
        if may_delete:
            held = await _HELD_SIGNATURE.fetch_one(connection, document_id=document_id)
            named = original_key(document_id, held or signature)
            await objects.delete_all([key for key in older if key != named])


def _is_older(key: str, modified: datetime, session: UUID, since: datetime | None) -> bool:
    _, _, version, kind = key.split("/")
    if kind != "original":
        return UUID(version) < session
    return since is not None and modified < since
