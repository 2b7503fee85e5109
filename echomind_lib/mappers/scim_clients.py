"""SCIM clients."""

from collections.abc import Sequence
from typing import Any

from echomind_lib.db import models as rows
from echomind_lib.models.public import ScimClient, ScimToken


def to_model(row: Any, tokens: Sequence[rows.ScimToken], **derived: Any) -> ScimClient:
    """Returns the client of a row.

    Args:
        row: The row.
        tokens: Its tokens, newest first.
        derived: The fields that are no columns.
    """
    used = [token.last_used_at for token in tokens if token.last_used_at is not None]
    shown = [ScimToken.from_row(token) for token in tokens]
    return ScimClient.from_row(row, tokens=shown, last_used_at=max(used, default=None), **derived)
