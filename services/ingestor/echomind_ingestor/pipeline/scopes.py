"""Changes of access: updates the scope or the source's readers in the chunks of a connector.

PostgreSQL decides access, so revoked access takes effect at once. Newly granted documents are found once their chunks
are updated. The jobs are requested in the transaction of the change.
"""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import asyncpg
from sqlalchemy import BigInteger, Integer, and_, bindparam, column, func, select, update
from sqlalchemy.dialects.postgresql import ARRAY, TIMESTAMP
from typing_extensions import override

from echomind_ingestor.pipeline.forgotten_readers import forget_readers
from echomind_lib.access import scope_name
from echomind_lib.access.documents import chunk_scope, source_readers_of
from echomind_lib.db.models import Connector, Document
from echomind_lib.db.statements import Command, Query
from echomind_lib.indexes import Indexes
from echomind_lib.jobs import CONNECTOR_SCOPE, DOCUMENT_READERS, Job, JobHandler, enqueue

_BATCH: Final = 1000
"""Documents whose readers are written per batch."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    scope: str
    user_id: int
    scope_id: str | None
    permission_mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changed:
    """A document whose chunks do not contain its current readers yet."""

    id: int
    readers_changed_at: datetime
    source_readers: list[int] | None


_connector_id = bindparam("connector_id", type_=Integer)
_SCOPE: Final = Query(
    select(Connector.scope, Connector.user_id, Connector.scope_id, Connector.permission_mode).where(
        Connector.id == _connector_id, Connector.deleted_date.is_(None)
    ),
    _Scope,
)
CHANGED: Final = Query(
    select(Document.id, Document.readers_changed_at, source_readers_of().label("source_readers"))
    .join(Connector, Connector.id == Document.connector_id)
    .where(Document.connector_id == _connector_id, Document.readers_changed_at.is_not(None))
    .order_by(Document.id)
    .limit(_BATCH),
    _Changed,
)
_seen = (
    func.unnest(
        bindparam("ids", type_=ARRAY(BigInteger)), bindparam("changed_at", type_=ARRAY(TIMESTAMP(timezone=True)))
    )
    .table_valued(column("id", BigInteger), column("changed_at", TIMESTAMP(timezone=True)))
    .render_derived(name="seen")
)
# A document whose readers have changed again keeps its mark, as its chunks have the previous readers.
_WRITTEN: Final = Command(
    update(Document)
    .where(and_(Document.id == _seen.c.id, Document.readers_changed_at == _seen.c.changed_at))
    .values(readers_changed_at=None)
)


class ConnectorScopes(JobHandler[None]):
    """Writes the scope of a connector to its chunks, and forgets the readers of an earlier permission mode."""

    kind = CONNECTOR_SCOPE

    def __init__(self, pool: asyncpg.Pool, indexes: Indexes) -> None:
        self._pool = pool
        self._indexes = indexes

    @override
    async def work(self, job: Job) -> None:
        connector_id = int(job.subject_id)
        connector = await _SCOPE.fetch_one(self._pool, connector_id=connector_id)
        if connector is None:
            return
        if connector.permission_mode == "scope":
            scope = scope_name(connector.scope, connector.user_id, connector.scope_id)
            await self._indexes.set_payload({"scope": scope}, {"connector_id": connector_id})
        await forget_readers(self._pool, connector_id)
        # With a source's own permissions, chunks store the readers, whatever the scope is.
        await enqueue(self._pool, DOCUMENT_READERS, connector_id)


class DocumentReaders(JobHandler[None]):
    """Writes changed readers of documents to their chunks."""

    kind = DOCUMENT_READERS

    def __init__(self, pool: asyncpg.Pool, indexes: Indexes) -> None:
        self._pool = pool
        self._indexes = indexes

    @override
    async def work(self, job: Job) -> None:
        connector_id = int(job.subject_id)
        while True:
            connector = await _SCOPE.fetch_one(self._pool, connector_id=connector_id)
            changed = await CHANGED.fetch_all(self._pool, connector_id=connector_id)
            if connector is None or not changed:
                return
            together: dict[tuple[int, ...] | None, list[int]] = defaultdict(list)
            for each in changed:
                together[None if each.source_readers is None else tuple(each.source_readers)].append(each.id)
            for readers, ids in together.items():
                given = None if readers is None else list(readers)
                scope = chunk_scope(connector.scope, connector.user_id, connector.scope_id, given)
                await self._indexes.set_payload({"scope": scope}, {"document_id": ids})
            await _WRITTEN.execute(
                self._pool,
                ids=[each.id for each in changed],
                changed_at=[each.readers_changed_at for each in changed],
            )
