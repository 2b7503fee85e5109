"""The status of a connector while it does not sync: what became of its last sync."""

from typing import Any, Final

from sqlalchemy import ColumnElement, String, case, func, literal, or_, select

from echomind_lib.db import words
from echomind_lib.db.models import Connector, ConnectorSync


def _of_last_sync(column: Any) -> ColumnElement[Any]:
    return (
        select(column)
        .where(
            ConnectorSync.connector_id == Connector.id,
            ConnectorSync.status.in_(["completed", "needs_attention", "failed"]),
        )
        .order_by(ConnectorSync.id.desc())
        .limit(1)
        .scalar_subquery()
    )


# A change of the settings forgets the failures.
_has_ended = or_(Connector.last_sync_at.is_not(None), Connector.sync_failures > 0)
_word = case(
    (ConnectorSync.status == "failed", "error"),
    (ConnectorSync.status == "needs_attention", "needs_attention"),
    else_="active",
)
IDLE_STATUS: Final[ColumnElement[words.ConnectorStatus]] = case(
    (Connector.status == "disabled", "disabled"),
    (_has_ended, func.coalesce(_of_last_sync(_word), literal("active", String))),
    else_="pending",
)
"""The column `connectors.status` of a connector whose sync ends without an outcome."""
IDLE_MESSAGE: Final[ColumnElement[str | None]] = case(
    (_has_ended, _of_last_sync(func.coalesce(ConnectorSync.error, ConnectorSync.warning)))
)
"""As `IDLE_STATUS`, the column `connectors.status_message`."""
