"""SCIM clients."""

from collections.abc import Sequence
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers import scim_tokens
from echomind_lib.mappers.columns import UPDATED_BY, UPDATED_BY_COLUMN
from echomind_lib.models.public import ScimClient

ROW: Final = rows.ScimClient
MODEL: Final = ScimClient
INTERNAL: Final = {"issuer": "read as `provider`, the name of the provider with it", **UPDATED_BY_COLUMN}
DERIVED: Final = {
    "provider": "the name of the provider with the row's `issuer`",
    "tokens": "the rows of `scim_tokens` that work",
    "last_used_at": "the latest use of a token",
    "user_count": "counted in `scim_users`",
    "group_count": "counted in `scim_groups`",
    **UPDATED_BY,
}


def to_model(row: Any, tokens: Sequence[rows.ScimToken], **derived: Any) -> ScimClient:
    """Returns the client of a row.

    Args:
        row: The row.
        tokens: Its tokens, newest first.
        derived: The other fields of `DERIVED`.
    """
    used = [token.last_used_at for token in tokens if token.last_used_at is not None]
    shown = [scim_tokens.to_model(token) for token in tokens]
    return ScimClient.from_row(row).model_copy(
        update={"tokens": shown, "last_used_at": max(used, default=None), **derived}
    )
