"""Keys for programs."""

from datetime import UTC, datetime
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import AUDIT
from echomind_lib.models.public import ApiKey

ROW: Final = rows.ApiKey
MODEL: Final = ApiKey
INTERNAL: Final = {
    "user_id": "keys are listed for their owner alone",
    "sha256": "proves the key",
    "previous_sha256": "proves the key until the overlap of its rotation is over",
    "revoked": "revoked keys are not shown",
    "last_update": "a key's only changes are its use, which `last_used_at` says, and its end",
    **AUDIT,
}
DERIVED: Final[dict[str, str]] = {}


def to_model(row: Any) -> ApiKey:
    """Returns the key of a row, without its secret."""
    key = ApiKey.from_row(row)
    if key.previous_expires_at is not None and key.previous_expires_at <= datetime.now(UTC):
        key.previous_expires_at = None
    return key
