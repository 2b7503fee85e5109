"""Tokens of SCIM clients."""

from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.models.public import ScimToken

ROW: Final = rows.ScimToken
MODEL: Final = ScimToken
INTERNAL: Final = {"client_id": "tokens are shown with their client", "sha256": "proves the token"}
DERIVED: Final[dict[str, str]] = {}


def to_model(row: Any) -> ScimToken:
    """Returns the token of a row, without its secret."""
    return ScimToken.from_row(row)
