"""Entries of the audit log."""

from echomind_lib.db import models as rows
from echomind_lib.models.public import AuditEntry


def to_model(row: rows.AuditEntry, *, actor_name: str, is_sealed: bool) -> AuditEntry:
    """Returns the entry of a row, with the user name of its account and whether it is sealed."""
    return AuditEntry.from_row(row).model_copy(update={"actor_name": actor_name, "is_sealed": is_sealed})
