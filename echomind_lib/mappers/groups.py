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
}


def to_model(row: Any, *, members: int, connectors: int) -> Group:
    """Returns the group of a row, with the numbers of its members and of the connectors shared with it."""
    return Group.from_row(row).model_copy(update={"member_count": members, "connector_count": connectors})
