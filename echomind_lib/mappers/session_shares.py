"""Share links."""

from typing import Any, Final

from echomind_lib.db import models as rows
from echomind_lib.mappers.columns import AUDIT
from echomind_lib.models.public import SessionShare, SessionShareStatus

ROW: Final = rows.SessionShare
MODEL: Final = SessionShare
INTERNAL: Final = {
    "user_id": "everybody lists their own",
    "token_hash": "proves the link",
    "revoked_at": "a revoked link is not shown",
    "last_update": "of a link `shared_at` says it",
    **AUDIT,
}
DERIVED: Final = {
    "status": "of the link, its session, its owner's rights and the installation's settings",
    "is_current": "of the session's head",
}


def to_model(row: Any, status: str, *, is_current: bool) -> SessionShare:
    """Returns the link of a row, without its token.

    Args:
        row: The row.
        status: Its status, as a word of `SessionShareStatus`.
        is_current: Whether it shows the current state of the session.
    """
    derived = {"status": SessionShareStatus.from_word(status), "is_current": is_current}
    return SessionShare.from_row(row).model_copy(update=derived)
