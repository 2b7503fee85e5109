"""Groups of people."""

from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import UPDATED_BY, UPDATED_BY_COLUMN
from echomind_lib.models.public import Group

ROW: Final = rows.Group
MODEL: Final = Group
INTERNAL: Final = UPDATED_BY_COLUMN
DERIVED: Final = {
    "member_count": "counted in `group_members`",
    "connector_count": "counted in `connectors`",
    **UPDATED_BY,
    "assistant_count": "counted in `assistants`",
    "admin_count": "counted in `group_admins`",
    "can_manage": "says what the caller may do",
}


def to_model(row: Any, **derived: int) -> Group:
    """Returns the group of a row, with what is counted of it and what the caller may do: the fields of `DERIVED`."""
    return Group.from_row(row).model_copy(update=derived)
