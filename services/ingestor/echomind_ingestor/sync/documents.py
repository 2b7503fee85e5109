"""The rows of documents that a sync reads and writes, with one statement per page."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ARRAY, Integer, Text, Update, and_, bindparam, case, cast, func, null, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import InstrumentedAttribute, aliased

from echomind_lib.db.expressions import json_rows
from echomind_lib.db.models import Document
from echomind_lib.db.statements import Command, Query, columns

_connector = bindparam("connector_id", type_=Integer)
_ids = bindparam("source_ids", type_=ARRAY(Text))
_is_named = and_(Document.connector_id == _connector, Document.source_id == func.any(_ids))
_is_live = Document.deleted_date.is_(None)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownDocument:
    """The stored columns of a document."""

    id: int
    source_id: str
    source_name: str | None
    source_version: str | None
    folder_source_id: str | None
    parent_source_id: str | None
    source_readers: dict[str, Any] | None
    original_url: str | None
    signature: str | None
    status: str


KNOWN: Final = Query(select(*columns(KnownDocument, Document)).where(_is_named, _is_live), KnownDocument)
"""Selects the stored documents among the given ids, except removed ones."""
CHILDREN: Final = Query(
    select(Document.source_id)
    .where(
        Document.connector_id == _connector,
        Document.folder_source_id == bindparam("parent", type_=Text),
        Document.source_id > bindparam("after", type_=Text),
        Document.container_id.is_(None),
        _is_live,
    )
    .order_by(Document.source_id)
    .limit(bindparam("limit", type_=Integer)),
    str,
)
"""Selects the documents directly in a folder, ordered by id."""
NEXT_IDS: Final = Query(
    select(func.nextval("documents_id_seq")).select_from(
        func.generate_series(1, bindparam("count", type_=Integer)).table_valued("number")
    ),
    int,
)
"""Reserves ids for new documents."""
WAITING: Final = Query(
    select(func.count()).select_from(
        select(Document.id)
        .where(Document.connector_id == _connector, Document.status.in_(["pending", "processing"]), _is_live)
        .limit(bindparam("limit", type_=Integer))
        .subquery()
    ),
    int,
)
"""Counts the pending documents of a connector, up to `limit`."""
COUNT: Final = Query(
    select(func.count()).select_from(Document).where(Document.connector_id == _connector, _is_live), int
)
"""Counts the documents of a connector."""

_METADATA: Final = (
    Document.source_name,
    Document.folder_source_id,
    Document.parent_source_id,
    Document.source_readers,
    Document.original_url,
    Document.source_version,
    Document.language,
)
_CONTENT: Final = (
    Document.content_type,
    Document.signature,
    Document.size_bytes,
    Document.status,
    Document.status_message,
)
_NEW: Final[tuple[InstrumentedAttribute[Any], ...]] = (
    Document.id,
    Document.source_id,
    Document.title,
    *_METADATA,
    *_CONTENT,
)
_new = json_rows("documents", *_NEW)
INSERT: Final = Query(
    insert(Document)
    .from_select(["connector_id", *(each.key for each in _NEW)], select(_connector, *_new.c))
    .on_conflict_do_nothing(index_elements=[Document.connector_id, Document.source_id])
    .returning(Document.id),
    int,
)
"""Inserts new documents."""


def _update(given: Any, columns: Iterable[InstrumentedAttribute[Any]], **values: Any) -> Update:
    """Returns an UPDATE from rows; a title changes only with the name at the source, as users may have edited it."""
    is_renamed = Document.source_name.is_distinct_from(given.c.source_name)
    named: dict[str, Any] = {each.key: given.c[each.key] for each in columns}
    named["title"] = case((is_renamed, given.c.title), else_=Document.title)
    return update(Document).where(Document.id == given.c.id, _is_live).values(**named, **values)


# Clearing the processing session keeps a worker that still has the previous version from publishing it.
_unclaimed: Final = {"processing_session": null(), "worker_id": null()}
REPLACE: Final = Command(
    _update(
        json_rows("documents", Document.id, Document.title, *_METADATA, *_CONTENT),
        (*_METADATA, *_CONTENT),
        attempts=0,
        **_unclaimed,
    )
)
"""Replaces the content of documents."""
DESCRIBE: Final = Command(_update(json_rows("documents", Document.id, Document.title, *_METADATA), _METADATA))
"""Updates name, folder, URL, readers, or the version of an unchanged content."""
FAIL: Final = Command(
    _update(
        json_rows("documents", Document.id, Document.title, *_METADATA, Document.status_message),
        (*_METADATA, Document.status_message),
        status="failed",
        **_unclaimed,
    )
)
"""Records that the new content of documents cannot be indexed; the previous version remains searchable."""
_parent = aliased(Document)
LINK: Final = Command(
    update(Document)
    .where(
        _is_named,
        _parent.connector_id == _connector,
        _parent.source_id == Document.parent_source_id,
        _parent.deleted_date.is_(None),
        Document.parent_id.is_distinct_from(_parent.id),
    )
    .values(parent_id=_parent.id)
)
"""Links documents with their parent documents."""
REMOVE: Final = Command(update(Document).where(_is_named, _is_live).values(deleted_date=func.now()))
"""Removes documents: searches exclude them at once, and their chunks and files are deleted afterwards."""
# The row's new name contains a control character, which no source's name does.
RELEASE_NAMES: Final = Command(
    update(Document)
    .where(_is_named, Document.deleted_date.is_not(None))
    .values(source_id=func.chr(1).concat(cast(Document.id, Text)))
)
"""Frees the names of removed documents whose data is not deleted yet, for documents that reappear."""
