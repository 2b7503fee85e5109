"""Shares of sessions."""

from collections.abc import Sequence
from typing import Any

from echomind_lib.models.public import SessionShare, SessionShareRecipient, SessionShareStatus


def to_model(row: Any, status: str, *, is_current: bool, recipients: Sequence[SessionShareRecipient]) -> SessionShare:
    """Returns the share of a row, without its token.

    Args:
        row: The row.
        status: Its status, as a word of `SessionShareStatus`.
        is_current: Whether it shows the current state of the session.
        recipients: The people and groups whom it is for.
    """
    return SessionShare.from_row(
        row,
        status=SessionShareStatus.from_word(status),
        is_current=is_current,
        has_link=row.token_hash is not None,
        recipients=list(recipients),
    )
