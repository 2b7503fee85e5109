"""Entries and seals of the audit log."""

from echomind_lib.db import models as rows
from echomind_lib.models.public import AuditEntry, AuditSeal


def to_model(row: rows.AuditEntry, *, actor_name: str, is_sealed: bool) -> AuditEntry:
    """Returns the entry of a row, with the user name of its account and whether it is sealed."""
    return AuditEntry.from_row(row).model_copy(update={"actor_name": actor_name, "is_sealed": is_sealed})


def to_seal(row: rows.AuditSeal) -> AuditSeal:
    """Returns the seal of a row."""
    return AuditSeal(number=row.number, hash=row.hash.hex(), last_entry_id=row.last_id, creation_date=row.creation_date)
