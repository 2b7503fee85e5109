"""Tokens of SCIM clients."""

from typing import Any

from echomind_lib.models.public import ScimToken


def to_model(row: Any) -> ScimToken:
    """Returns the token of a row, without its secret."""
    return ScimToken.from_row(row)
