"""Shared code of the mappers."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from echomind_lib.errors import ValidationFailedError

AUDIT: Final = {"user_id_last_update": "who made the last change is for administrators and stands in the audit log too"}
UPDATED_BY_COLUMN: Final = {"user_id_last_update": "`updated_by`"}
UPDATED_BY: Final = {
    "updated_by": "`user_id_last_update`, for those who manage it",
    "updated_by_name": "of the account",
}
SOFT_DELETE: Final = {"deleted_date": "a deleted row is not shown at all"}

_SET_BY_SERVER = frozenset({"id", "creation_date", "last_update", *UPDATED_BY})


def pick(
    columns: Mapping[str, Any], fields: Iterable[str], *, set_by_server: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Returns the columns of the given fields.

    Args:
        columns: All columns that can be written, by field name.
        fields: Names of the fields that are present.
        set_by_server: Fields that are ignored, in addition to those of every noun: a client may send back what it
            has read.

    Raises:
        ValidationFailedError: A field can be read but not written here.
    """
    present = [field for field in fields if field not in _SET_BY_SERVER | set_by_server]
    refused = [field for field in present if field not in columns]
    if refused:
        raise ValidationFailedError(
            f"{', '.join(refused)} cannot be changed here; {', '.join(columns)} can.",
            **dict.fromkeys(refused, "cannot be changed here"),
        )
    return {field: columns[field] for field in present}
