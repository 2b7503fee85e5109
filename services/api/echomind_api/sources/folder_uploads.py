"""Comparison of an uploaded folder with its stored documents."""

from typing import Final

import asyncpg
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Integer,
    Select,
    Text,
    and_,
    bindparam,
    column,
    exists,
    func,
    literal,
    or_,
    select,
    update,
)

from echomind_api.sources.connector_rows import find_connector
from echomind_api.sources.intake import check_source_id
from echomind_lib import jobs
from echomind_lib.contract import CallContext
from echomind_lib.db import models as rows
from echomind_lib.db.batches import in_batches
from echomind_lib.db.database import Database
from echomind_lib.db.statements import Command
from echomind_lib.documents.uploads import takes_uploads
from echomind_lib.errors import ValidationFailedError
from echomind_lib.jobs import REMOVE_DOCUMENTS
from echomind_lib.messaging import Bus
from echomind_lib.models.public import ReconcileDocumentsRequest, ReconcileDocumentsResponse

_BATCH: Final = 1000
"""Documents removed per statement; files within them are removed with them."""

_REMOVE: Final = Command(
    update(rows.Document)
    .where(
        rows.Document.id == func.any(bindparam("ids", type_=ARRAY(BigInteger))),
        rows.Document.connector_id == bindparam("connector_id", type_=Integer),
        rows.Document.deleted_date.is_(None),
    )
    .values(deleted_date=func.now(), user_id_last_update=bindparam("user_id", type_=Integer))
)


async def reconcile(
    database: Database, bus: Bus, request: ReconcileDocumentsRequest, call: CallContext
) -> ReconcileDocumentsResponse:
    """Returns which files to upload, and on request removes the documents whose files no longer exist.

    Raises:
        NotFoundError: There is no such connector that the caller may read.
        PermissionDeniedError: The caller may not change it.
        ValidationFailedError: It is no connector of uploads, or names of files do not fit.
    """
    connector = await find_connector(database, call, request.id, manage=True)
    if not takes_uploads(connector):
        rule = "is no connector of uploads: its files are read from its source"
        raise ValidationFailedError(f"id: {rule}", id=rule)
    names = [file.source_id for file in request.files]
    _check_names(names, request.prefix)
    async with database.session() as session:
        upload = list(await session.scalars(_changed(request)))
        missing = list(await session.scalars(_missing(request))) if request.remove_missing else []
    removed = 0
    if missing:
        removed = await _remove(database.pool, request.id, missing, call.principal.user_id)
        await jobs.request(database.pool, bus, REMOVE_DOCUMENTS)
    return ReconcileDocumentsResponse(upload=upload, unchanged=len(names) - len(upload), removed=removed)


def _changed(request: ReconcileDocumentsRequest) -> Select[str]:
    """Returns the names of the files that are not stored as they are, or whose processing has failed."""
    names, signatures = ([getattr(file, name) for file in request.files] for name in ("source_id", "signature"))
    given = func.unnest(literal(names, ARRAY(Text)), literal(signatures, ARRAY(Text)))
    file = given.table_valued(column("source_id", Text), column("signature", Text)).render_derived(name="file")
    stored = and_(
        rows.Document.connector_id == request.id,
        rows.Document.source_id == file.c.source_id,
        rows.Document.deleted_date.is_(None),
    )
    is_changed = or_(
        rows.Document.id.is_(None),
        rows.Document.signature.is_distinct_from(file.c.signature),
        rows.Document.status == "failed",
    )
    return (
        select(file.c.source_id)
        .select_from(file.outerjoin(rows.Document, stored))
        .where(is_changed)
        .order_by(file.c.source_id)
    )


def _missing(request: ReconcileDocumentsRequest) -> Select[int]:
    """Returns the documents below the prefix that are not among the files."""
    names = func.unnest(literal([file.source_id for file in request.files], ARRAY(Text)))
    file = names.table_valued(column("source_id", Text)).render_derived(name="file")
    return (
        select(rows.Document.id)
        .where(rows.Document.connector_id == request.id, rows.Document.deleted_date.is_(None))
        .where(rows.Document.container_id.is_(None))  # files within files are removed with the file around them
        .where(func.starts_with(rows.Document.source_id, request.prefix))
        .where(~exists(select(file.c.source_id).where(file.c.source_id == rows.Document.source_id)))
        .order_by(rows.Document.id)
    )


async def _remove(pool: asyncpg.Pool, connector_id: int, ids: list[int], user_id: int) -> int:
    """Removes documents of a connector in batches; returns how many.

    If it is interrupted, the rest stays, and the next comparison finds it missing again.
    """
    start = removed = 0

    async def remove(limit: int) -> int:
        nonlocal start, removed
        batch = ids[start : start + limit]
        removed += await _REMOVE.execute(pool, connector_id=connector_id, ids=batch, user_id=user_id)
        start += len(batch)
        return len(batch)

    await in_batches(remove, _BATCH)
    return removed


def _check_names(names: list[str], prefix: str) -> None:
    for name in names:
        check_source_id(name)
        if not name.startswith(prefix):
            rule = f"{name!r} does not begin with the prefix"
            raise ValidationFailedError(f"files: {rule}", files=rule)
    if len(set(names)) != len(names):
        raise ValidationFailedError("files: must not hold a source_id twice", files="must not hold a source_id twice")
