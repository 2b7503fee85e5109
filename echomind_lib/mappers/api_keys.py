"""Keys for programs."""

from datetime import UTC, datetime
from typing import Any

from echomind_lib.models.public import ApiKey


def to_model(row: Any) -> ApiKey:
    """Returns the key of a row, without its secret."""
    key = ApiKey.from_row(row)
    if key.previous_expires_at is not None and key.previous_expires_at <= datetime.now(UTC):
        key.previous_expires_at = None
    return key
