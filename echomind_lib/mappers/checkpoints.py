"""Checkpoints of sessions."""

from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.models.public import Checkpoint

ROW: Final = rows.Checkpoint
MODEL: Final = Checkpoint
INTERNAL: Final[dict[str, str]] = {}
DERIVED: Final[dict[str, str]] = {}


def to_model(row: Any) -> Checkpoint:
    """Returns the checkpoint of a row; it may lack `session_state`."""
    return Checkpoint.from_row(row)
