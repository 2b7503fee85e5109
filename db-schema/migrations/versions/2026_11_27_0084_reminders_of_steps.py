"""Reminders of steps are stored under `reminder`, the name that code and prompts have for them.

Revision ID: 0084
"""

from alembic import op
from sqlalchemy import text

revision = "0084"
down_revision = "0083"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Rename the key `said`."""
    _rename("said", "reminder")


def downgrade() -> None:
    """Rename it back."""
    _rename("reminder", "said")


def _rename(before: str, after: str) -> None:
    # Nothing that a person did has changed.
    op.execute("ALTER TABLE steps DISABLE TRIGGER update_steps_last_update")
    rename = text(
        "UPDATE steps SET output_data = output_data - :before"
        " || jsonb_build_object(CAST(:after AS text), output_data -> :before) WHERE jsonb_exists(output_data, :before)"
    )
    op.execute(rename.bindparams(before=before, after=after))
    op.execute("ALTER TABLE steps ENABLE TRIGGER update_steps_last_update")
