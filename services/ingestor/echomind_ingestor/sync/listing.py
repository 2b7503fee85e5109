"""Items seen by a full listing, and the removal of all others at its end."""

from dataclasses import dataclass
from typing import Final

from sqlalchemy import ARRAY, BigInteger, Integer, Text, and_, bindparam, delete, exists, func, select, update
from sqlalchemy.dialects.postgresql import insert

from echomind_lib.db.models import ConnectorSync, ConnectorSyncSeen, Document, SourceFolder
from echomind_lib.db.statements import Command, Query

LARGEST_UNCONFIRMED: Final = 10
"""Number of documents that a sync may always remove."""
_SHARE: Final = 3
"""This fraction (1/n) of a connector's documents may be removed without confirmation."""

_connector = bindparam("connector_id", type_=Integer)
_sync = bindparam("sync_id", type_=BigInteger)
_ids = bindparam("source_ids", type_=ARRAY(Text))

MARK: Final = Query(
    insert(ConnectorSyncSeen)
    .from_select(["sync_id", "source_id"], select(_sync, func.unnest(_ids)))
    .on_conflict_do_nothing()
    .returning(ConnectorSyncSeen.source_id),
    str,
)
"""Records items seen by a full listing, and returns the newly seen ones."""
FORGET: Final = Command(
    delete(ConnectorSyncSeen).where(
        ConnectorSyncSeen.sync_id.in_(select(ConnectorSync.id).where(ConnectorSync.connector_id == _connector))
    )
)
"""Deletes the seen items of a connector's listings."""
_listing = bindparam("listing", type_=BigInteger)
_seen = exists().where(ConnectorSyncSeen.sync_id == _listing, ConnectorSyncSeen.source_id == Document.source_id)
# A source does not list files within files: they are removed with the file around them.
_is_unseen = and_(
    Document.connector_id == _connector, Document.deleted_date.is_(None), Document.container_id.is_(None), ~_seen
)
COUNT_UNSEEN: Final = Query(select(func.count()).select_from(Document).where(_is_unseen), int)
"""Counts the documents that a listing has not seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a full listing has found.

    Attributes:
        documents: Whether it has seen a document.
        readable: Whether one of these did not fail.
    """

    documents: bool
    readable: bool


_document_seen = exists().where(
    ConnectorSyncSeen.sync_id == _listing,
    ConnectorSyncSeen.source_id == Document.source_id,
    Document.connector_id == _connector,
    Document.deleted_date.is_(None),
)
FOUND: Final = Query(
    select(_document_seen.label("documents"), _document_seen.where(Document.status != "failed").label("readable")),
    Found,
)
"""Selects what a listing has found."""
UNSEEN: Final = Query(
    select(Document.id)
    .where(_is_unseen, Document.id > bindparam("after", type_=BigInteger))
    .order_by(Document.id)
    .limit(bindparam("limit", type_=Integer)),
    int,
)
"""Selects documents that a listing has not seen, in the order of their ids, from the one behind `after`."""
REMOVE: Final = Command(
    update(Document)
    .where(Document.id == func.any(bindparam("ids", type_=ARRAY(BigInteger))), Document.deleted_date.is_(None))
    .values(deleted_date=func.now())
)
"""Removes documents, and the files within them."""
_folder_is_seen = exists().where(
    ConnectorSyncSeen.sync_id == _listing, ConnectorSyncSeen.source_id == SourceFolder.source_id
)
REMOVE_UNSEEN_FOLDERS: Final = Query(
    delete(SourceFolder)
    .where(SourceFolder.connector_id == _connector, ~_folder_is_seen)
    .returning(SourceFolder.source_id),
    str,
)
"""Removes the folders that a listing has not seen."""


def needs_confirmation(removed: int, remaining: int, *, found_nothing: bool = False) -> bool:
    """Returns whether a removal needs a user's confirmation.

    Args:
        removed: Number of documents that it would remove in total.
        remaining: Number of existing documents that would remain.
        found_nothing: Whether nothing was found, which is rarely intended.
    """
    if found_nothing and removed:
        return True
    return removed > LARGEST_UNCONFIRMED and removed * _SHARE > removed + remaining
