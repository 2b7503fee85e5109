"""Syncs of connectors."""

from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.models.public import ConnectorSync

ROW: Final = rows.ConnectorSync
MODEL: Final = ConnectorSync
INTERNAL: Final = {
    "attempt": "fences workers",
    "pages": "of the engine",
    "may_remove": "`status` says whether it waits",
    "cursor_before": "only the source reads it",
    "cursor_after": "only the source reads it",
    "user_id_last_update": "shown as `requested_by`",
    "last_update": "of the engine",
}
DERIVED: Final = {"requested_by": "`user_id_last_update`"}


def to_model(row: Any) -> ConnectorSync:
    """Returns the sync of a row."""
    return ConnectorSync.from_row(row).model_copy(update={"requested_by": row.user_id_last_update or 0})
