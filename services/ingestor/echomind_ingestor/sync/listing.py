"""Items that a full listing has seen, and the removal of all others at its end."""

from typing import Final

from sqlalchemy import ARRAY, BigInteger, Integer, Text, and_, bindparam, delete, exists, func, select, update
from sqlalchemy.dialects.postgresql import insert

from echomind_lib.db.models import ConnectorSync, ConnectorSyncSeen, Document, SourceFolder
from echomind_lib.db.statements import Command, Query

LARGEST_UNCONFIRMED: Final = 10
"""Documents that a sync always may remove."""
_SHARE: Final = 3
"""One part of so many of a connector's documents may be removed without confirmation."""

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
"""Notes what a full listing has seen, and returns what it had not seen before."""
FORGET: Final = Command(
    delete(ConnectorSyncSeen).where(
        ConnectorSyncSeen.sync_id.in_(select(ConnectorSync.id).where(ConnectorSync.connector_id == _connector))
    )
)
"""Deletes what listings of a connector have seen."""
_listing = bindparam("listing", type_=BigInteger)
_seen = exists().where(ConnectorSyncSeen.sync_id == _listing, ConnectorSyncSeen.source_id == Document.source_id)
_is_unseen = and_(Document.connector_id == _connector, Document.deleted_date.is_(None), ~_seen)
COUNT_UNSEEN: Final = Query(select(func.count()).select_from(Document).where(_is_unseen), int)
"""How many documents a listing has not seen."""
SEEN_ANYTHING: Final = Query(
    select(
        exists()
        .where(
            ConnectorSyncSeen.sync_id == _listing,
            ConnectorSyncSeen.source_id == Document.source_id,
            Document.connector_id == _connector,
        )
        .label("seen")
    ),
    bool,
)
"""Whether a listing has seen a document."""
REMOVE_UNSEEN: Final = Command(update(Document).where(_is_unseen).values(deleted_date=func.now()))
"""Removes the documents that a listing has not seen."""
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
    """Returns whether a sync may not remove so much by itself.

    Args:
        removed: Documents that it would have removed in all.
        remaining: Documents that would be left of those that there were.
        found_nothing: Whether nothing was found at all, which is rarely intended.
    """
    if found_nothing and removed:
        return True
    return removed > LARGEST_UNCONFIRMED and removed * _SHARE > removed + remaining
