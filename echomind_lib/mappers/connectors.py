"""Connectors."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any, Final

from echomind_lib.mappers import connector_syncs
from echomind_lib.mappers.columns import pick
from echomind_lib.models.public import Connector, ConnectorType, PermissionMode, Scope

_TYPES: Final = {kind.word: kind for kind in ConnectorType}

_FOR_MANAGERS: Final = frozenset({"updated_by", "updated_by_name", "signed_in_by", "signed_in_by_name"})
_DERIVED: Final = _FOR_MANAGERS | {"credentials", "has_credentials", "sync", "type_name"}
"""Fields that are no columns, or are shown to those alone who manage the connector."""


def to_model(row: Any, sync: Any | None = None) -> Connector:
    """Returns the connector of a row.

    Args:
        row: The row.
        sync: The row of its newest sync; None if there is none.
    """
    shown = {name: getattr(row, name) for name in Connector.model_fields.keys() - _DERIVED}
    shown["type"] = known_type(row.type).word
    return Connector.from_row(
        SimpleNamespace(**shown),
        type_name=row.type,
        has_credentials=row.encrypted_credentials is not None,
        sync=connector_syncs.to_model(sync) if sync is not None else None,
    )


def known_type(name: str) -> ConnectorType:
    """Returns the API's enum value of a type; UNSPECIFIED for a type of another package."""
    return _TYPES.get(name, ConnectorType.UNSPECIFIED)


def type_name(connector: Connector) -> str:
    """Returns the name of a connector's type, which is in one of two fields; empty if missing."""
    return connector.type_name or ("" if connector.type is ConnectorType.UNSPECIFIED else connector.type.word)


def to_columns(connector: Connector, fields: Iterable[str]) -> dict[str, Any]:
    """Returns the columns of the connector, except its credentials, which the caller validates and encrypts.

    Raises:
        ValidationFailedError: A field cannot be written.
    """
    scope = Scope.USER if connector.scope is Scope.UNSPECIFIED else connector.scope
    mode = (
        PermissionMode.SCOPE if connector.permission_mode is PermissionMode.UNSPECIFIED else connector.permission_mode
    )
    columns = {
        "name": connector.name,
        "type": type_name(connector),
        "config": connector.config or {},
        "refresh_freq_minutes": connector.refresh_freq_minutes or None,
        "permission_mode": mode.word,
        "scope": scope.word,
        "scope_id": connector.scope_id or None,
    }
    named = ["type" if field == "type_name" else field for field in fields if field != "credentials"]
    return pick(Connector, columns, named)
