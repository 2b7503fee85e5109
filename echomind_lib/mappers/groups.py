"""Groups of people."""

from typing import Any

from echomind_lib.models.public import Group


def to_model(row: Any, **derived: int) -> Group:
    """Returns the group of a row, with what is counted of it and what the caller may do."""
    return Group.from_row(row).model_copy(update=derived)
