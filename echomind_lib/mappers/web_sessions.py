"""Web sessions of signed-in browsers."""

from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.models.public import WebSession

ROW: Final = rows.WebSession
MODEL: Final = WebSession
INTERNAL: Final = {
    "user_id": "sessions are listed for their owner alone",
    "token_hash": "proves the session",
    "identity_id": "decides where its user signs out as well",
    "provider_session": "lets the provider end the session",
    "authenticated_at": "decides what takes a recent sign-in",
}
DERIVED: Final = {"is_current": "whether the call was made in it"}


def to_model(row: Any, *, current: int | None) -> WebSession:
    """Returns the session of a row.

    Args:
        row: The row.
        current: Id of the session of the call; None for a call with an API key.
    """
    return WebSession.from_row(row).model_copy(update={"is_current": row.id == current})
