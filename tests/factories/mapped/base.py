"""What is said of a row and its model, and what many tables have in common."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from echomind_lib.contract import ProtoModel
from echomind_lib.db.models import Base

AUDIT: Final = {"user_id_last_update": "who made the last change is for administrators and stands in the audit log too"}
UPDATED_BY_COLUMN: Final = {"user_id_last_update": "`updated_by`"}
UPDATED_BY: Final = {
    "updated_by": "`user_id_last_update`, for those who manage it",
    "updated_by_name": "of the account",
}
SOFT_DELETE: Final = {"deleted_date": "a deleted row is not shown at all"}


@dataclass(frozen=True)
class Mapped:
    """A row and its model.

    Attributes:
        row: The mapped class.
        model: The model of the contract.
        internal: Columns that are never exposed.
        derived: Fields that are no columns.
    """

    row: type[Base]
    model: type[ProtoModel]
    internal: Mapping[str, str]
    derived: Mapping[str, str]
