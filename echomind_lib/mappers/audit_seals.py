"""Seals of the audit log."""

from echomind_lib.db import models as rows
from echomind_lib.models.public import AuditSeal


def to_model(row: rows.AuditSeal) -> AuditSeal:
    """Returns the seal of a row."""
    return AuditSeal(number=row.number, hash=row.hash.hex(), last_entry_id=row.last_id, creation_date=row.creation_date)
