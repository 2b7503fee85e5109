"""SCIM clients."""

from collections.abc import Sequence
from typing import Any

from echomind_lib.db import models as rows
from echomind_lib.mappers import scim_tokens
from echomind_lib.models.public import ScimClient


def to_model(row: Any, tokens: Sequence[rows.ScimToken], **derived: Any) -> ScimClient:
    """Returns the client of a row.

    Args:
        row: The row.
        tokens: Its tokens, newest first.
        derived: The fields that are no columns.
    """
    used = [token.last_used_at for token in tokens if token.last_used_at is not None]
    shown = [scim_tokens.to_model(token) for token in tokens]
    return ScimClient.from_row(row).model_copy(
        update={"tokens": shown, "last_used_at": max(used, default=None), **derived}
    )
