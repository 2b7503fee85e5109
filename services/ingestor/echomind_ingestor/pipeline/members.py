"""Files within a document, stored as documents of their own: attachments of e-mails, members of archives.

They are stored after their parent was published and before it is completed, so a crash between is repaired by the next
attempt. A member is found again by its path; one that is unchanged is left as it is.
"""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final

import asyncpg
from sqlalchemy import ARRAY, BigInteger, Integer, String, Text, and_, bindparam, cast, func, literal, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from echomind_ingestor.extract.result import MAX_BYTES, MAX_MEMBERS, Member
from echomind_ingestor.pipeline.claims import ClaimedDocument
from echomind_ingestor.sync.permissions import apply_readers
from echomind_lib.db.models import Connector, Document
from echomind_lib.db.statements import Command, Connection, Query
from echomind_lib.documents.content_types import content_type_of
from echomind_lib.errors import FileRejectedError
from echomind_lib.jobs import REMOVE_DOCUMENTS, enqueue
from echomind_lib.objects import ObjectStore, original_key
from echomind_lib.text import SOURCE_ID_BYTES, TITLE_CHARACTERS, single_line

_DEEPEST: Final = 4
"""Levels of files within files."""
_MAX_OF_CONTAINER: Final = 5 * MAX_MEMBERS
_MAX_BYTES_OF_CONTAINER: Final = 8 * MAX_BYTES
"""Limits of all files below an uploaded or synced one, on every level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """A parent document, and what its container holds already apart from the parent's own members."""

    container_id: int
    depth: int
    """Number of files around the parent's members: 1 for members of an uploaded or synced file."""
    members: int
    size: int
    has_itself: bool
    """Whether a file around the parent has the same bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    id: int
    source_id: str
    signature: str | None
    is_removed: bool


_parent_id = bindparam("parent_id", type_=BigInteger)
_parent = aliased(Document, name="parent")


def _around() -> Any:
    above = (
        select(Document.id, Document.parent_id, Document.signature, Document.container_id, literal(1).label("depth"))
        .where(Document.id == _parent_id)
        .cte("above", recursive=True)
    )
    outer = aliased(Document, name="outer_document")
    above = above.union_all(
        select(outer.id, outer.parent_id, outer.signature, outer.container_id, above.c.depth + 1)
        .join(above, above.c.parent_id == outer.id)
        .where(above.c.container_id.is_not(None), above.c.depth <= _DEEPEST)
    )
    own = select(above.c.id, above.c.container_id, above.c.signature).where(above.c.depth == 1).cte("own")
    container = func.coalesce(own.c.container_id, own.c.id)
    inner = aliased(Document, name="inner_document")
    others = and_(
        inner.container_id == container, inner.deleted_date.is_(None), inner.parent_id.is_distinct_from(_parent_id)
    )
    return select(
        container.label("container_id"),
        select(func.max(above.c.depth)).scalar_subquery().label("depth"),
        select(func.count()).where(others).scalar_subquery().label("members"),
        cast(select(func.coalesce(func.sum(inner.size_bytes), 0)).where(others).scalar_subquery(), BigInteger).label(
            "size"
        ),
        select(above.c.id).where(above.c.depth > 1, above.c.signature == own.c.signature).exists().label("has_itself"),
    ).select_from(own)


_AROUND: Final = Query(_around(), _Around)
_names = bindparam("source_ids", type_=ARRAY(Text))
_connector_id = bindparam("connector_id", type_=Integer)
_STORED: Final = Query(
    select(
        Document.id, Document.source_id, Document.signature, Document.deleted_date.is_not(None).label("is_removed")
    ).where(Document.connector_id == _connector_id, Document.source_id == func.any(_names)),
    _Stored,
)
_NEXT_ID: Final = Query(select(func.nextval("documents_id_seq")), int)
# Releases the names of removed documents whose data is not deleted yet, by names that no file has.
_RELEASE: Final = Command(
    update(Document)
    .where(Document.id == func.any(bindparam("ids", type_=ARRAY(BigInteger))), Document.deleted_date.is_not(None))
    .values(source_id=func.chr(1).concat(cast(Document.id, Text)))
)
_is_held = and_(
    _parent.id == _parent_id,
    _parent.processing_session == bindparam("session"),
    _parent.deleted_date.is_(None),
    Connector.id == _parent.connector_id,
    Connector.deleted_date.is_(None),
)
_given = {
    "id": bindparam("id", type_=BigInteger),
    "source_id": bindparam("source_id", type_=Text),
    "title": bindparam("title", type_=Text),
    "content_type": bindparam("content_type", type_=String),
    "signature": bindparam("signature", type_=String),
    "size_bytes": bindparam("size_bytes", type_=BigInteger),
    "container_id": bindparam("container_id", type_=BigInteger),
}
_inherited = ("connector_id", "folder_source_id", "source_readers", "original_url")
_INSERT: Final = Query(
    insert(Document)
    .from_select(
        ["parent_id", *_inherited, *_given],
        select(_parent.id, *(getattr(_parent, name) for name in _inherited), *_given.values())
        .select_from(_parent)
        .join(Connector, Connector.id == _parent.connector_id)
        .where(_is_held)
        # A change of the readers or the folder that is not committed yet would not see the new row.
        .with_for_update(read=True, of=_parent),
    )
    .on_conflict_do_nothing(index_elements=[Document.connector_id, Document.source_id])
    .returning(Document.id),
    int,
)
_REPLACE: Final = Command(
    update(Document)
    .where(Document.id == _given["id"], Document.deleted_date.is_(None), Document.parent_id == _parent_id, _is_held)
    .values(
        **{name: _given[name] for name in ("content_type", "signature", "size_bytes")},
        status="pending",
        status_message=None,
        processing_session=None,
        attempts=0,
    )
)
_REMOVE: Final = Command(
    update(Document)
    .where(Document.parent_id == _parent_id, Document.container_id.is_not(None), Document.deleted_date.is_(None))
    .where(~(Document.source_id == func.any(_names)), _is_held)
    .values(deleted_date=func.now())
)
_HAS_READERS: Final = Query(select(Connector.permission_mode == "source").where(Connector.id == _connector_id), bool)


class Members:
    """Stores the files within a document."""

    def __init__(self, pool: asyncpg.Pool, objects: ObjectStore, wake: Callable[[int], Awaitable[object]]) -> None:
        """Initializes the object.

        Args:
            pool: The database.
            objects: The object store.
            wake: Wakes a worker for a document that waits.
        """
        self._pool = pool
        self._objects = objects
        self._wake = wake

    async def check(self, document_id: int, members: Sequence[Member]) -> None:
        """Checks that the files within a document can be stored.

        Raises:
            FileRejectedError: They are nested too deeply, too many or too large; the message says what to do.
        """
        if not members:
            return
        around = await _AROUND.fetch_one(self._pool, parent_id=document_id)
        if around is None:
            return
        if around.has_itself:
            raise FileRejectedError("The archive holds a copy of itself, which is not unpacked again.", name="")
        if around.depth > _DEEPEST:
            message = f"It is within {_DEEPEST} other files: unpack it and upload the files."
            raise FileRejectedError(message, name="")
        size = around.size + sum(len(member.data) for member in members)
        if around.members + len(members) > _MAX_OF_CONTAINER or size > _MAX_BYTES_OF_CONTAINER:
            limit = _MAX_BYTES_OF_CONTAINER // 1024**3
            raise FileRejectedError(
                f"All files around it hold more than {_MAX_OF_CONTAINER:,} files or {limit} GB together: "
                "unpack them and upload the files.",
                name="",
            )

    async def store(self, document: ClaimedDocument, members: Sequence[Member]) -> None:
        """Stores the files within a document, and removes those that are no longer in it.

        Nothing is stored if the attempt is superseded.

        Args:
            document: The document around them, as claimed.
            members: The files; each is named by its path below the document's id in the connector.
        """
        document_id, connector_id = document.id, document.connector_id
        named = {_source_id(document.source_id, member.name): member for member in members}
        around = await _AROUND.fetch_one(self._pool, parent_id=document_id) if members else None
        stored = await _STORED.fetch_all(self._pool, connector_id=connector_id, source_ids=list(named))
        known = {each.source_id: each for each in stored if not each.is_removed}
        if removed := [each.id for each in stored if each.is_removed]:
            await _RELEASE.execute(self._pool, ids=removed)
        held = {"parent_id": document_id, "session": document.processing_session}
        new: list[int] = []
        for name, member in named.items():
            signature = await asyncio.to_thread(_signature, member.data)
            found = known.get(name)
            if around is None or (found is not None and found.signature == signature):
                continue
            member_id = found.id if found else (await _NEXT_ID.fetch_all(self._pool))[0]
            content_type = content_type_of(member.content_type, member.name)
            await self._objects.put(original_key(member_id, signature), member.data, content_type)
            values = {
                "id": member_id,
                "content_type": content_type,
                "signature": signature,
                "size_bytes": len(member.data),
            }
            if found is not None:
                await _REPLACE.execute(self._pool, **held, **values)
            else:
                title = single_line(PurePosixPath(member.name).name, TITLE_CHARACTERS)
                about = {"source_id": name, "title": title, "container_id": around.container_id}
                await self._insert(connector_id, {**held, **values, **about})
            new.append(member_id)
        if await _REMOVE.execute(self._pool, **held, source_ids=list(named)):
            await enqueue(self._pool, REMOVE_DOCUMENTS)
        for member_id in new:
            await self._wake(member_id)

    async def _insert(self, connector_id: int, values: dict[str, Any]) -> None:
        """Stores a new file with the readers of the file around it, before anybody can find it."""
        async with self._pool.acquire() as pooled, pooled.transaction():
            connection: Connection = pooled
            inserted = await _INSERT.fetch_all(connection, **values)
            if inserted and await _HAS_READERS.fetch_one(connection, connector_id=connector_id):
                await apply_readers(connection, connector_id, folders=[], documents=inserted)


def _signature(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _source_id(parent: str, name: str) -> str:
    """Returns the id of a file within another one; a path that is too long is replaced by its hash."""
    path = f"{parent}/{name}"
    if len(path.encode()) <= SOURCE_ID_BYTES:
        return path
    hashed = hashlib.sha256(path.encode()).hexdigest()
    return f"{hashed}{PurePosixPath(name).suffix[:20]}"
