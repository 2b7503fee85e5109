"""Shares of sessions."""

from collections.abc import Sequence
from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import AUDIT
from echomind_lib.models.public import SessionShare, SessionShareRecipient, SessionShareStatus

ROW: Final = rows.SessionShare
MODEL: Final = SessionShare
INTERNAL: Final = {
    "user_id": "everybody lists their own",
    "token_hash": "proves the link; `has_link` says whether there is one",
    "revoked_at": "a revoked share is not shown",
    "last_update": "of a share `shared_at` says it",
    **AUDIT,
}
DERIVED: Final = {
    "status": "of the share, its session, its owner's rights and the installation's settings",
    "is_current": "of the session's head",
    "has_link": "of `token_hash`",
    "recipients": "rows of `session_share_recipients`",
}


def to_model(row: Any, status: str, *, is_current: bool, recipients: Sequence[SessionShareRecipient]) -> SessionShare:
    """Returns the share of a row, without its token.

    Args:
        row: The row.
        status: Its status, as a word of `SessionShareStatus`.
        is_current: Whether it shows the current state of the session.
        recipients: The people and groups whom it is for.
    """
    derived = {
        "status": SessionShareStatus.from_word(status),
        "is_current": is_current,
        "has_link": row.token_hash is not None,
        "recipients": list(recipients),
    }
    return SessionShare.from_row(row).model_copy(update=derived)
