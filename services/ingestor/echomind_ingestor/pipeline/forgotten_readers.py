"""Forgets the readers at the source that a connector's documents had before its permission mode was changed.

The change itself only sets `connectors.readers_forgotten_to`. Without source permissions nobody reads by these readers;
with them there are none, as the mode cannot be set to `source` before the earlier ones are forgotten. Syncs wait until
then, so that they store no reader that would be forgotten.
"""

from typing import Final

import asyncpg
from sqlalchemy import ARRAY, BigInteger, Integer, bindparam, delete, func, null, select, update

from echomind_lib.db.batches import in_batches
from echomind_lib.db.models import Connector, Document, DocumentReader, SourceFolder, SourcePrincipal
from echomind_lib.db.statements import Command, Connection, Query

BATCH: Final = 1000
"""Rows changed per transaction."""

_connector = bindparam("connector_id", type_=Integer)
_limit = bindparam("limit", type_=Integer)
_ids = func.any(bindparam("ids", type_=ARRAY(BigInteger)))

# Locked until the transaction ends: whoever ends it, or changes the mode again, does so before or after a batch.
_BEGUN: Final = Query(
    select(Connector.readers_forgotten_to)
    .where(Connector.id == _connector, Connector.readers_forgotten_to.is_not(None))
    .with_for_update(key_share=True),
    int,
)
_NEXT: Final = Query(
    select(Document.id)
    .where(Document.connector_id == _connector, Document.id > bindparam("after", type_=BigInteger))
    .order_by(Document.id)
    .limit(_limit),
    int,
)
_FORGET_GRANTED: Final = Command(delete(DocumentReader).where(DocumentReader.document_id == _ids))
# Marked, so that the job `DOCUMENT_READERS` writes to their chunks who reads them now.
_FORGET_GIVEN: Final = Command(
    update(Document)
    .where(Document.id == _ids, Document.connector_id == _connector)
    .values(source_readers=null(), readers_changed_at=func.clock_timestamp())
)
_ADVANCE: Final = Command(
    update(Connector)
    .where(Connector.id == _connector)
    .values(readers_forgotten_to=bindparam("after", type_=BigInteger))
)
_FORGET_OF_FOLDERS: Final = Command(
    update(SourceFolder)
    .where(
        SourceFolder.id.in_(
            select(SourceFolder.id)
            .where(SourceFolder.connector_id == _connector, SourceFolder.source_readers.is_not(None))
            .limit(_limit)
        )
    )
    .values(source_readers=null())
)
_FORGET_PRINCIPALS: Final = Command(
    delete(SourcePrincipal).where(
        SourcePrincipal.id.in_(
            select(SourcePrincipal.id)
            .where(SourcePrincipal.connector_id == _connector)
            .order_by(SourcePrincipal.id)
            .limit(_limit)
        )
    )
)
_END: Final = Command(update(Connector).where(Connector.id == _connector).values(readers_forgotten_to=null()))


async def forget_readers(pool: asyncpg.Pool, connector_id: int) -> None:
    """Forgets a connector's earlier readers, and then lets its syncs continue; does nothing if there are none.

    Each batch is a transaction that begins with a look at the connector, so an interrupted call is continued by the
    next one, and one that was thought dead changes nothing that came later.

    Args:
        pool: The database.
        connector_id: The connector.
    """

    async def of_documents(connection: Connection, forgotten_to: int, limit: int) -> int:
        ids = await _NEXT.fetch_all(connection, connector_id=connector_id, after=forgotten_to, limit=limit)
        if ids:
            await _FORGET_GRANTED.execute(connection, ids=ids)
            await _FORGET_GIVEN.execute(connection, connector_id=connector_id, ids=ids)
            await _ADVANCE.execute(connection, connector_id=connector_id, after=ids[-1])
        return len(ids)

    async def of_folders(connection: Connection, _: int, limit: int) -> int:
        return await _FORGET_OF_FOLDERS.execute(connection, connector_id=connector_id, limit=limit)

    # Last: what was granted to a file within a document meanwhile goes with them.
    async def principals(connection: Connection, _: int, limit: int) -> int:
        return await _FORGET_PRINCIPALS.execute(connection, connector_id=connector_id, limit=limit)

    async def batch(limit: int) -> int:
        async with pool.acquire() as connection, connection.transaction():
            forgotten_to = await _BEGUN.fetch_one(connection, connector_id=connector_id)
            if forgotten_to is None:
                return 0
            for forget in (of_documents, of_folders, principals):
                if changed := await forget(connection, forgotten_to, limit):
                    return changed
            await _END.execute(connection, connector_id=connector_id)
            return 0

    await in_batches(batch, BATCH)
