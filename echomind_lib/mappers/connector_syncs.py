"""Syncs of connectors."""

from typing import Any, Final

import msgspec

from echomind_lib.db import models as rows
from echomind_lib.models.public import ConnectorSync

ROW: Final = rows.ConnectorSync
MODEL: Final = ConnectorSync
INTERNAL: Final = {
    "attempt": "fences workers",
    "pages": "of the engine",
    "may_remove": "`status` says whether it waits",
    "cursor_before": "shown as `cursor_at_begin`",
    "cursor_after": "shown as `cursor_at_end`",
    "user_id_last_update": "shown as `requested_by`",
    "last_update": "of the engine",
}
DERIVED: Final = {
    "requested_by": "`user_id_last_update`",
    "cursor_at_begin": "`cursor_before`",
    "cursor_at_end": "`cursor_after`",
}


def to_model(row: Any, *, with_cursors: bool = False) -> ConnectorSync:
    """Returns the sync of a row.

    Args:
        row: The row.
        with_cursors: Whether the reader may manage the connector.
    """
    update: dict[str, Any] = {"requested_by": row.user_id_last_update or 0}
    if with_cursors:
        update |= {"cursor_at_begin": _text(row.cursor_before), "cursor_at_end": _text(row.cursor_after)}
    return ConnectorSync.from_row(row).model_copy(update=update)


def _text(cursor: dict[str, Any] | None) -> str:
    return "" if cursor is None else msgspec.json.encode(cursor).decode()
