"""Entries of the audit log."""

from echomind_lib.db import models as rows
from echomind_lib.models.public import AccountKind, AuditEntry


def to_model(row: rows.AuditEntry, *, actor: tuple[str, str] | None, is_sealed: bool) -> AuditEntry:
    """Returns the entry of a row.

    Args:
        row: The row.
        actor: User name and kind of its account; None if there is none any more.
        is_sealed: Whether it is sealed.
    """
    name, kind = actor or ("", "")
    actor_kind = AccountKind.from_word(kind) if kind else AccountKind.UNSPECIFIED
    return AuditEntry.from_row(row, actor_name=name, actor_kind=actor_kind, is_sealed=is_sealed)
