"""Items that syncs could not read: recorded with the sync, retried by the next one, and resolved once read."""

from dataclasses import dataclass
from typing import Any, Final

import structlog
from sqlalchemy import ARRAY, BigInteger, Integer, Text, and_, bindparam, func, null, select, update
from sqlalchemy.dialects.postgresql import insert

from echomind_ingestor.connectors.protocol import ItemError
from echomind_lib.db.database import is_of_database
from echomind_lib.db.expressions import json_rows
from echomind_lib.db.models import ConnectorSyncFailure
from echomind_lib.db.statements import Command, Query
from echomind_lib.errors import EchoMindError
from echomind_lib.process.disk import is_disk_full
from echomind_lib.text import MESSAGE_CHARACTERS, NAME_CHARACTERS, single_line

RATIO: Final = 0.5
"""Share of failed items above which a sync fails,"""
FEWEST: Final = 20
"""if there are more failures than this."""

_connector = bindparam("connector_id", type_=Integer)
_sync = bindparam("sync_id", type_=BigInteger)


_FAULT: Final = "EchoMind made a mistake in reading it; the log of the ingestor says which."
log = structlog.get_logger(__name__)


def fault_of(error: Exception, **context: Any) -> ItemError:
    """Logs an exception that no source should raise, and returns it as a failure to read, so that the rest is read.

    Args:
        error: What was raised.
        context: What the log says besides.

    Raises:
        Exception: The exception itself if a server of EchoMind's own failed, or has no space: all is tried again then.
    """
    if isinstance(error, EchoMindError) or is_of_database(error) or is_disk_full(error):
        raise error
    log.error("source failed unexpectedly", **context, exc_info=error)
    return ItemError(_FAULT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemFailure:
    """An item that could not be read, or a part of the source, which has no id."""

    source_id: str
    name: str
    message: str
    is_retryable: bool

    def to_row(self) -> dict[str, object]:
        """Returns its row."""
        return {
            "source_id": self.source_id,
            "name": single_line(self.name, NAME_CHARACTERS),
            "message": single_line(self.message, MESSAGE_CHARACTERS),
            "is_retryable": self.is_retryable,
        }


_given = json_rows(
    "failures",
    ConnectorSyncFailure.source_id,
    ConnectorSyncFailure.name,
    ConnectorSyncFailure.message,
    ConnectorSyncFailure.is_retryable,
)
_failed = insert(ConnectorSyncFailure).from_select(
    ["sync_id", "connector_id", "source_id", "name", "message", "is_retryable"],
    select(_sync, _connector, *_given.c),
)
RECORD: Final = Command(
    _failed.on_conflict_do_update(
        index_elements=[
            ConnectorSyncFailure.sync_id,
            ConnectorSyncFailure.source_id,
            func.md5(ConnectorSyncFailure.name),
        ],
        set_={
            "message": _failed.excluded.message,
            "is_retryable": _failed.excluded.is_retryable,
            "resolved_at": null(),
        },
    )
)
"""Records failures; an existing one gets the new message."""
_is_unresolved = and_(
    ConnectorSyncFailure.connector_id == _connector,
    ConnectorSyncFailure.resolved_at.is_(None),
    ConnectorSyncFailure.is_retryable,
)
UNRESOLVED: Final = Query(
    select(ConnectorSyncFailure.source_id)
    .where(
        _is_unresolved,
        ConnectorSyncFailure.sync_id < _sync,
        ConnectorSyncFailure.source_id > bindparam("after", type_=Text),
    )
    .distinct()
    .order_by(ConnectorSyncFailure.source_id)
    .limit(bindparam("limit", type_=Integer)),
    str,
)
"""Selects unresolved failures of earlier syncs, ordered by item id."""
REASON: Final = Query(
    select(ConnectorSyncFailure.message)
    .where(ConnectorSyncFailure.connector_id == _connector, ConnectorSyncFailure.resolved_at.is_(None))
    .order_by(ConnectorSyncFailure.sync_id.desc(), ConnectorSyncFailure.id)
    .limit(1),
    str,
)
"""Selects why the newest sync with unresolved failures could not read its first item."""
RESOLVE: Final = Command(
    update(ConnectorSyncFailure)
    .where(_is_unresolved, ConnectorSyncFailure.source_id == func.any(bindparam("source_ids", type_=ARRAY(Text))))
    .values(resolved_at=func.now())
)
"""Marks failures of items as resolved, as they were read or no longer exist."""
