"""Storage of files as documents, for uploads over every transport.

The order is safe against crashes: the objects first, then the rows with the status `pending`, then the wake-ups. A
failure before the rows leaves unreferenced objects; one after them is repaired by the ingestor's sweep over pending
rows.

Files of one request share statements and a transaction, which cost more than small files do.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any, Final
from uuid import UUID

import asyncpg
from sqlalchemy import (
    ARRAY,
    BigInteger,
    Integer,
    Text,
    and_,
    bindparam,
    case,
    cast,
    column,
    func,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.dml import ReturningInsert, ReturningUpdate

from echomind_api.rows import missing
from echomind_lib.access import Principal
from echomind_lib.db.models.content import Connector, Document
from echomind_lib.db.statements import Command, Query, part
from echomind_lib.documents.content_types import content_type_of
from echomind_lib.documents.uploads import takes_uploads
from echomind_lib.errors import FileRejectedError, ValidationFailedError
from echomind_lib.messaging import Bus
from echomind_lib.messaging.streams import DOCUMENTS_PROCESS, Consumer
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
_GIVEN: Final = ("title", "content_type", "signature", "size_bytes")
_SAME_NAME: Final = and_(
    Document.connector_id == bindparam("connector_id"), Document.source_id == bindparam("source_id")
)


def _insert() -> ReturningInsert[Any]:
    names = ("id", "source_id", *_GIVEN)
    types = {name: getattr(Document, name).type for name in names}
    arrays = (bindparam(f"{name}_of_each", type_=ARRAY(each)) for name, each in types.items())
    files = func.unnest(*arrays).table_valued(*(column(name, each) for name, each in types.items()))
    file = files.render_derived(name="file")
    # Insert nothing if the connector was removed in the meantime, when even its row may be deleted. In the order of
    # their names, so that two requests with the same names wait for each other, and never in a circle.
    live = (
        select(Connector.id, *file.c, bindparam("user_id", type_=Integer))
        .join_from(Connector, file, true())
        .where(Connector.id == bindparam("connector_id"), Connector.deleted_date.is_(None))
        .order_by(file.c.source_id)
        .with_for_update(read=True, key_share=True, of=Connector)
    )
    return (
        insert(Document)
        .from_select(["connector_id", *names, "user_id_last_update"], live)
        .on_conflict_do_nothing(index_elements=[Document.connector_id, Document.source_id])
        .returning(*_COLUMNS)
    )


def _replace() -> ReturningUpdate[Any]:
    # Without a processing session, a worker that still processes the previous version cannot publish it.
    again: dict[str, Any] = {"status": "pending", "status_message": None, "processing_session": None, "attempts": 0}
    return (
        update(Document)
        .where(Document.id == bindparam("id"), _SAME_NAME, Document.deleted_date.is_(None))
        .values(**again, **{name: bindparam(name) for name in _GIVEN}, user_id_last_update=bindparam("user_id"))
        .returning(*_COLUMNS)
    )


_INSERT: Final = Query(_insert(), StoredDocument)
_REPLACE: Final = Query(_replace(), StoredDocument)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """What has the name of a file already."""

    source_id: str
    next_id: int | None
    """An id for a new document; None if there is one that is not removed."""
    document: StoredDocument | None
    """The document with the name, including a removed one that is not deleted yet."""


def _select_by_name() -> Query[_Named]:
    is_new = or_(Document.id.is_(None), Document.deleted_date.is_not(None))
    given = func.unnest(bindparam("source_ids", type_=ARRAY(Text)))
    name = given.table_valued(column("source_id", Text)).render_derived(name="name")
    has_name = and_(Document.connector_id == bindparam("connector_id"), Document.source_id == name.c.source_id)
    return Query(
        select(
            name.c.source_id,
            case((is_new, func.nextval("documents_id_seq", type_=BigInteger))).label("next_id"),
            *part("document", *_COLUMNS),
        ).select_from(name.outerjoin(Document, has_name)),
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

    def __init__(self, pool: asyncpg.Pool, objects: ObjectStore, bus: Bus, queue: Consumer = DOCUMENTS_PROCESS) -> None:
        """Stores its dependencies; its documents wait in `queue`."""
        self._pool = pool
        self._objects = objects
        self._bus = bus
        self._queue = queue

    async def store(self, principal: Principal, connector: Connector, file: NewFile) -> StoredDocument:
        """Stores a file as a document: see `store_all`."""
        return (await self.store_all(principal, connector, [file]))[0]

    async def store_all(
        self, principal: Principal, connector: Connector, files: Sequence[NewFile]
    ) -> list[StoredDocument]:
        """Stores files as documents.

        A document with the same bytes is left unchanged, unless its processing has failed: then it is retried. With
        different bytes it is processed again; until then, searches find the previous version. Of files with the same
        name, the last one stays. When one cannot be stored, others may be.

        Args:
            principal: The sender, who may manage the connector.
            connector: Its connector.
            files: The files.

        Returns:
            The documents' rows, in order.

        Raises:
            FileRejectedError: A file is empty.
            NotFoundError: The connector was removed in the meantime.
            ValidationFailedError: An identifier is too long, or the connector does not accept files.
            DependencyUnavailableError: The object store does not respond.
        """
        if not takes_uploads(connector):
            raise ValidationFailedError(
                "connector: takes no uploads, its documents come from elsewhere", connector="takes no uploads"
            )
        for file in files:
            if not file.size:
                raise FileRejectedError(f"The file {file.source_id!r} is empty.", name=file.source_id)
            check_source_id(file.source_id)
        stored: list[StoredDocument] = []
        for part_of_files in _with_distinct_names(files):
            stored += await self._store(principal, connector.id, part_of_files)
        return stored

    async def _store(
        self, principal: Principal, connector_id: int, files: Sequence[NewFile]
    ) -> Sequence[StoredDocument]:
        """Stores files with distinct names."""
        stored: dict[str, StoredDocument] = {}
        left = files
        for _ in range(_ATTEMPTS):
            rows = await self._try(principal, connector_id, {file.source_id: file for file in left})
            stored |= {row.source_id: row for row in rows}
            if not (left := [file for file in files if file.source_id not in stored]):
                return [stored[file.source_id] for file in files]
        if await _IS_LIVE.fetch_one(self._pool, connector_id=connector_id) is None:
            raise missing("connector", connector_id)
        name = left[0].source_id
        raise FileRejectedError(
            f"The file {name!r} is being changed by several requests at once: try again.", name=name
        )

    async def wake(self, document_id: int, status: str) -> None:
        """Wakes the ingestor for a queued document."""
        if status == "pending":
            await self._bus.wake(self._queue, DocumentProcess(document_id=document_id))

    async def _try(
        self, principal: Principal, connector_id: int, files: Mapping[str, NewFile]
    ) -> Sequence[StoredDocument]:
        """Returns the result of one attempt, without files that a concurrent request interfered with."""
        stored: list[StoredDocument] = []
        new: dict[int, NewFile] = {}
        changed: dict[int, NewFile] = {}
        rows = await _SELECT_BY_NAME.fetch_all(self._pool, connector_id=connector_id, source_ids=list(files))
        by_name = {named.source_id: named for named in rows}
        next_ids = iter(sorted(named.next_id for named in rows if named.next_id is not None))
        for source_id, file in files.items():
            named, found = by_name[source_id], by_name[source_id].document
            if found and found.deleted_date is not None:
                await _RELEASE_NAME.execute(self._pool, connector_id=connector_id, source_id=source_id)
            if named.next_id is not None:
                new[next(next_ids)] = file  # in the order of the files, in which they are then processed
            elif found and found.signature == file.signature and found.status != "failed":
                stored.append(found)
            elif found:
                changed[found.id] = file
        failures = await _put(new | changed)
        by_upload = {"connector_id": connector_id, "user_id": principal.user_id}
        if ids := sorted(new.keys() - failures.keys()):
            each = [
                {"id": document_id, "source_id": new[document_id].source_id} | _columns(new[document_id])
                for document_id in ids
            ]
            arrays = {f"{name}_of_each": [values[name] for values in each] for name in each[0]}
            stored += await _INSERT.fetch_all(self._pool, **by_upload, **arrays)
        for document_id in changed.keys() - failures.keys():
            file = changed[document_id]
            values = {"id": document_id, "source_id": file.source_id} | _columns(file)
            if replaced := await _REPLACE.fetch_all(self._pool, **by_upload, **values):
                stored += replaced
                await self._restore(document_id, file)
        for row in sorted(stored, key=lambda row: row.id):
            await self.wake(row.id, row.status)
        for failure in failures.values():
            raise failure
        return stored

    async def _restore(self, document_id: int, file: NewFile) -> None:
        """Stores the bytes of a document again if they were removed before its row named them, as an older version."""
        key = original_key(document_id, file.signature)
        if not await self._objects.keys(key):
            await file.put(key)


async def _put(files: Mapping[int, NewFile]) -> dict[int, BaseException]:
    """Stores the bytes of files, by the ids of their documents; returns the failures by these ids."""
    puts = (file.put(original_key(document_id, file.signature)) for document_id, file in files.items())
    results = await asyncio.gather(*puts, return_exceptions=True)
    return {document_id: each for document_id, each in zip(files, results, strict=True) if each is not None}


def _columns(file: NewFile) -> dict[str, Any]:
    """Returns the columns of a document that its file decides."""
    return {
        "title": single_line(file.title or PurePosixPath(file.source_id).name or file.source_id, TITLE_CHARACTERS),
        "content_type": content_type_of(file.content_type, file.source_id),
        "signature": file.signature,
        "size_bytes": file.size,
    }


def _with_distinct_names(files: Sequence[NewFile]) -> Iterator[Sequence[NewFile]]:
    """Divides files, in order, into parts without two of the same name."""
    part_of_files: dict[str, NewFile] = {}
    for file in files:
        if file.source_id in part_of_files:
            yield list(part_of_files.values())
            part_of_files = {}
        part_of_files[file.source_id] = file
    yield list(part_of_files.values())


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
