"""Web sessions of signed-in browsers."""

from typing import Any

from echomind_lib.models.public import WebSession


def to_model(row: Any, *, current: int | None) -> WebSession:
    """Returns the session of a row.

    Args:
        row: The row.
        current: Id of the session of the call; None for a call with an API key.
    """
    return WebSession.from_row(row).model_copy(update={"is_current": row.id == current})
