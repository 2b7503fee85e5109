"""Legal holds."""

from echomind_lib.db import models as rows
from echomind_lib.models.public import LegalHold


def to_model(row: rows.LegalHold, *, user_name: str, placed_by_name: str, released_by_name: str) -> LegalHold:
    """Returns the hold of a row, with the names of its people; empty where there is none."""
    names = {"user_name": user_name, "placed_by_name": placed_by_name, "released_by_name": released_by_name}
    return LegalHold.from_row(row).model_copy(update=names)
