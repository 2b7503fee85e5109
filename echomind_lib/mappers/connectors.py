"""Connectors."""

from collections.abc import Iterable
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import AUDIT, SOFT_DELETE, pick
from echomind_lib.models.public import Connector, Scope

ROW: Final = rows.Connector
MODEL: Final = Connector
INTERNAL: Final = {
    "state": "where the next synchronisation goes on",
    "encrypted_credentials": "secret",
    "next_sync_at": "for the scheduler",
    "sync_failures": "for the scheduler",
    "permission_mode": "for access",
    "paused_at": "for the scheduler",
    **AUDIT,
    **SOFT_DELETE,
}
DERIVED: Final[dict[str, str]] = {}

_SET_BY_SERVER = frozenset({"user_id", "status", "status_message", "last_sync_at", "docs_analyzed"})


def to_model(row: Any) -> Connector:
    """The connector of a row."""
    return Connector.from_row(row)


def to_columns(connector: Connector, fields: Iterable[str]) -> dict[str, Any]:
    """Columns of the connector.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    scope = Scope.USER if connector.scope is Scope.UNSPECIFIED else connector.scope
    columns = {
        "name": connector.name,
        "type": connector.type.word,
        "config": connector.config or {},
        "refresh_freq_minutes": connector.refresh_freq_minutes or None,
        "scope": scope.word,
        "scope_id": connector.scope_id or None,
    }
    return pick(columns, fields, set_by_server=_SET_BY_SERVER)
