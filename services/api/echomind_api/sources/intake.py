"""Storage of files as documents, for uploads over every transport.

The order is safe against crashes: the object first, then the row with the status `pending`, then the wake-up. A failure
before the row leaves an unreferenced object; one after it is repaired by the ingestor's sweep over pending rows.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import BigInteger, BindParameter, Text, and_, bindparam, case, cast, func, or_, select, true, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningInsert, ReturningUpdate

from echomind_api.rows import missing
from echomind_lib.access import Principal
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.statements import Command, Query, part
from echomind_lib.documents.content_types import content_type_of
from echomind_lib.errors import FileRejectedError, ValidationFailedError
from echomind_lib.messaging import Bus
from echomind_lib.messaging.streams import DOCUMENTS_PROCESS
from echomind_lib.objects import ObjectStore, original_key
from echomind_lib.pb.echomind.internal.v1.messaging_pb2 import DocumentProcess
from echomind_lib.text import SOURCE_ID_BYTES, TITLE_CHARACTERS, single_line

_ATTEMPTS: Final = 3
_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """A document's row, with the fields of the contract."""

    id: int
    parent_id: int | None
    connector_id: int
    source_id: str
    source_name: str | None
    original_url: str | None
    title: str
    content_type: str | None
    size_bytes: int | None
    language: str | None
    signature: str | None
    chunking_session: UUID | None
    status: str
    status_message: str | None
    chunk_count: int
    attempts: int
    creation_date: datetime
    last_update: datetime | None
    deleted_date: datetime | None


_COLUMNS: Final = [getattr(Document, field.name) for field in fields(StoredDocument)]
_GIVEN: Final = ("title", "content_type", "signature", "size_bytes", "user_id_last_update")
_SAME_NAME: Final = and_(
    Document.connector_id == bindparam("connector_id"), Document.source_id == bindparam("source_id")
)


def _insert() -> ReturningInsert[Any]:
    # Insert nothing if the connector was removed in the meantime, when even its row may be deleted.
    given: dict[str, BindParameter[Any]] = {
        name: bindparam(name, type_=getattr(Document, name).type) for name in ("id", "source_id", *_GIVEN)
    }
    live = (
        select(Connector.id, *given.values())
        .where(Connector.id == bindparam("connector_id"), Connector.deleted_date.is_(None))
        .with_for_update(read=True, key_share=True)
    )
    return (
        insert(Document)
        .from_select(["connector_id", *given], live)
        .on_conflict_do_nothing(index_elements=[Document.connector_id, Document.source_id])
        .returning(*_COLUMNS)
    )


def _replace() -> ReturningUpdate[Any]:
    # Without a processing session, a worker that still processes the previous version cannot publish it.
    again: dict[str, Any] = {"status": "pending", "status_message": None, "processing_session": None, "attempts": 0}
    return (
        update(Document)
        .where(Document.id == bindparam("id"), _SAME_NAME, Document.deleted_date.is_(None))
        .values(**again, **{name: bindparam(name) for name in _GIVEN})
        .returning(*_COLUMNS)
    )


_INSERT: Final = Query(_insert(), StoredDocument)
_REPLACE: Final = Query(_replace(), StoredDocument)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """What has a name already."""

    next_id: int | None
    """An id for a new document; None if there is one that is not removed."""
    document: StoredDocument | None
    """The document with the name, including a removed one that is not deleted yet."""


def _select_by_name() -> Query[_Named]:
    is_new = or_(Document.id.is_(None), Document.deleted_date.is_not(None))
    dual = select(true().label("dummy")).subquery("dual")
    return Query(
        select(
            case((is_new, func.nextval("documents_id_seq", type_=BigInteger))).label("next_id"),
            *part("document", *_COLUMNS),
        ).select_from(dual.outerjoin(Document, _SAME_NAME)),
        _Named,
    )


_SELECT_BY_NAME: Final = Query.deferred(_select_by_name)
# Releases the name of a removed document that is not deleted yet, by a name that no upload can have. If its row were
# reused instead, a deletion in progress could delete the new file.
_RELEASE_NAME: Final = Command(
    update(Document)
    .where(_SAME_NAME, Document.deleted_date.is_not(None))
    .values(source_id=func.chr(1).concat(cast(Document.id, Text)))
)
_IS_LIVE: Final = Query(
    select(Connector.id).where(Connector.id == bindparam("connector_id"), Connector.deleted_date.is_(None)), int
)


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to store."""

    source_id: str
    """Its identifier in the connector: its name, or its path with `/`."""
    signature: str
    """SHA-256 of its bytes, in lower-case hexadecimal."""
    size: int
    """In bytes."""
    put: Callable[[str], Awaitable[None]]
    """Stores its bytes under a key of the object store."""
    content_type: str = ""
    """Its MIME type; empty means by name."""
    title: str = ""
    """Empty means the name."""


class Intake:
    """Stores files as documents that wait to be processed."""

    def __init__(self, pool: asyncpg.Pool, objects: ObjectStore, bus: Bus) -> None:
        self._pool = pool
        self._objects = objects
        self._bus = bus

    async def store(self, principal: Principal, connector: Connector, file: NewFile) -> StoredDocument:
        """Stores a file as a document.

        A document with the same bytes is left unchanged, unless its processing has failed: then it is retried. With
        different bytes it is processed again; until then, searches find the previous version.

        Args:
            principal: The sender, who may manage the connector.
            connector: Its connector.
            file: The file.

        Returns:
            The document's row.

        Raises:
            FileRejectedError: The file is empty.
            NotFoundError: The connector was removed in the meantime.
            ValidationFailedError: Its identifier is too long, or the connector does not accept files.
            DependencyUnavailableError: The object store does not respond.
        """
        if connector.type != "file":
            raise ValidationFailedError(
                "connector: takes no uploads, its documents come from elsewhere", connector="takes no uploads"
            )
        if not file.size:
            raise FileRejectedError(f"The file {file.source_id!r} is empty.", name=file.source_id)
        check_source_id(file.source_id)
        for _ in range(_ATTEMPTS):
            if row := await self._try(principal, connector.id, file):
                await self.wake(row.id, row.status)
                return row
        if await _IS_LIVE.fetch_one(self._pool, connector_id=connector.id) is None:
            raise missing("connector", connector.id)
        raise FileRejectedError(
            f"The file {file.source_id!r} is being changed by several requests at once: try again.", name=file.source_id
        )

    async def wake(self, document_id: int, status: str) -> None:
        """Wakes the ingestor for a queued document."""
        if status == "pending":
            await self._bus.wake(DOCUMENTS_PROCESS, DocumentProcess(document_id=document_id))

    async def _try(self, principal: Principal, connector_id: int, file: NewFile) -> StoredDocument | None:
        """Returns the result of one attempt; None if a concurrent request interfered."""
        name = {"connector_id": connector_id, "source_id": file.source_id}
        (named,) = await _SELECT_BY_NAME.fetch_all(self._pool, **name)
        found = named.document
        if found and found.deleted_date is not None:
            await _RELEASE_NAME.execute(self._pool, **name)
            found = None
        if found and found.signature == file.signature and found.status != "failed":
            return found
        document_id = found.id if found else named.next_id
        assert document_id is not None
        await file.put(original_key(document_id, file.signature))
        return await (_REPLACE if found else _INSERT).fetch_one(
            self._pool,
            **name,
            id=document_id,
            title=single_line(file.title or PurePosixPath(file.source_id).name or file.source_id, TITLE_CHARACTERS),
            content_type=content_type_of(file.content_type, file.source_id),
            signature=file.signature,
            size_bytes=file.size,
            user_id_last_update=principal.user_id,
        )


def check_source_id(source_id: str) -> None:
    """Checks that an identifier can be stored.

    Raises:
        ValidationFailedError: It is empty, too long, or has control characters.
    """
    length = len(source_id.encode("utf-8", "replace"))
    if not 1 <= length <= SOURCE_ID_BYTES:
        rule = f"must have 1 to {SOURCE_ID_BYTES} bytes in UTF-8"
    elif _CONTROLS.search(source_id):
        rule = "must not hold control characters"
    else:
        return
    raise ValidationFailedError(f"source_id: {rule}", source_id=rule)
