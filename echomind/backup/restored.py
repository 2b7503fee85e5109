"""What a restored database needs before services may use it."""

from typing import Final

import asyncpg
from sqlalchemy import delete, func, select, update

from echomind_lib.db.models import (
    Connector,
    ConnectorSignIn,
    Document,
    Run,
    SignInAttempt,
    SignInToken,
    WebSession,
    Worker,
)
from echomind_lib.db.statements import Command
from echomind_lib.jobs import CONNECTOR_SCOPE
from echomind_lib.jobs.queue import requested

_connectors = select(Connector.id).where(Connector.deleted_date.is_(None)).subquery()
_scopes = requested(CONNECTOR_SCOPE, _connectors, _connectors.c.id)
_STATEMENTS: Final = (
    # The processes of that time are gone. Documents and jobs whose worker has no row are claimed by others.
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
    # Vectors may have been copied after a change of readers that the rows do not have.
    Command(select(func.count()).add_cte(_scopes)),
    Command(update(Document).where(Document.source_readers.is_not(None)).values(readers_changed_at=func.now())),
)
_INDEX_AGAIN: Final = Command(
    update(Document)
    .where(Document.status == "completed", Document.deleted_date.is_(None), Document.chunk_count > 0)
    .values(status="pending", status_message=None, processing_session=None, attempts=0)
)


async def prepare_restored(connection: asyncpg.Connection, *, has_vectors: bool) -> None:
    """Prepares a restored database, in one transaction; repeatable.

    Args:
        connection: The database.
        has_vectors: Whether the vectors of passages were restored; otherwise all documents are indexed again.
    """
    async with connection.transaction():
        for statement in _STATEMENTS:
            await statement.execute(connection)
        if not has_vectors:
            await _INDEX_AGAIN.execute(connection)
