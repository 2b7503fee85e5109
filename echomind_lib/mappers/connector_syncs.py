"""Syncs of connectors."""

from typing import Any

import msgspec

from echomind_lib.models.public import ConnectorSync


def to_model(row: Any, *, with_cursors: bool = False) -> ConnectorSync:
    """Returns the sync of a row.

    Args:
        row: The row.
        with_cursors: Whether the reader may manage the connector.
    """
    update: dict[str, Any] = {"requested_by": row.user_id_last_update or 0}
    if with_cursors:
        update |= {"cursor_at_begin": _text(row.cursor_before), "cursor_at_end": _text(row.cursor_after)}
    return ConnectorSync.from_row(row, **update)


def _text(cursor: dict[str, Any] | None) -> str:
    return "" if cursor is None else msgspec.json.encode(cursor).decode()
