"""What a restored database needs before services may use it."""

from collections.abc import Sequence
from typing import Final

import asyncpg
from sqlalchemy import ColumnElement, Update, delete, exists, func, select, update

from echomind.backup.ledger import Repeated, repeat_erasures
from echomind.backup.manifest import Erased
from echomind_lib.db.models import (
    Connector,
    ConnectorSignIn,
    Document,
    EmbeddingModel,
    IndexDocument,
    Run,
    SignInAttempt,
    SignInToken,
    WebSession,
    Worker,
)
from echomind_lib.db.statements import Command
from echomind_lib.indexes.rows import IS_ACTIVE
from echomind_lib.jobs import CONNECTOR_SCOPE
from echomind_lib.jobs.queue import requested

_connectors = select(Connector.id).where(Connector.deleted_date.is_(None)).subquery()
_scopes = requested(CONNECTOR_SCOPE, _connectors, _connectors.c.id)
_active = select(EmbeddingModel.id).where(IS_ACTIVE).scalar_subquery()
_is_copied = (
    exists()
    .where(
        IndexDocument.document_id == Document.id,
        IndexDocument.index_id == _active,
        IndexDocument.chunking_session == Document.chunking_session,
        IndexDocument.error.is_(None),
    )
    .correlate_except(IndexDocument)
)


def _process_again(*conditions: ColumnElement[bool]) -> Update:
    """Returns a statement that queues documents with passages."""
    return (
        update(Document)
        .where(Document.status == "completed", Document.deleted_date.is_(None), Document.chunk_count > 0, *conditions)
        .values(status="pending", status_message=None, processing_session=None, attempts=0)
    )


_STATEMENTS: Final = (
    # The processes of that time no longer exist. Documents and jobs whose worker has no row are claimed by others.
    Command(delete(Worker)),
    # No process of that time, should one still live, may write to these runs.
    Command(
        update(Run).where(Run.status == "running").values(status="queued", worker_id=None, attempt=Run.attempt + 1)
    ),
    # People sign in again. API keys stay valid, as programs cannot.
    Command(delete(WebSession)),
    Command(delete(SignInToken)),
    Command(delete(SignInAttempt)),
    Command(delete(ConnectorSignIn)),
    # Only the vectors of the active index were copied.
    Command(
        update(EmbeddingModel)
        .where(EmbeddingModel.index_state.is_not(None))
        .values(index_state=None, state_since=None, state_message=None)
    ),
    Command(delete(IndexDocument).where(IndexDocument.index_id.not_in(_active))),
    Command(_process_again(Document.index_id.is_not(None), Document.index_id.not_in(_active), ~_is_copied)),
    # Vectors may have been copied after a change of readers that the rows do not have.
    Command(select(func.count()).add_cte(_scopes)),
    # A restored table belongs to whoever has restored it.
    Command(select(func.protect_audit())),
    Command(update(Document).where(Document.source_readers.is_not(None)).values(readers_changed_at=func.now())),
)
_INDEX_AGAIN: Final = Command(_process_again())


async def prepare_restored(
    connection: asyncpg.Connection, *, has_vectors: bool, ledger: Sequence[Erased] = ()
) -> Repeated:
    """Prepares a restored database, in one transaction; repeatable.

    Args:
        connection: The database.
        has_vectors: Whether the vectors of passages were restored; otherwise all documents are indexed again.
        ledger: Who was erased after the backup was made.
    """
    async with connection.transaction():
        for statement in _STATEMENTS:
            await statement.execute(connection)
        if not has_vectors:
            await _INDEX_AGAIN.execute(connection)
        return await repeat_erasures(connection, ledger)
