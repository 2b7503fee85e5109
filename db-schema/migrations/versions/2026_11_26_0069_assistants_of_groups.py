"""Assistants that only some groups see.

Revision ID: 0069
"""

from alembic import op

revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; the default assistant stays everyone's."""
    op.execute("ALTER TABLE assistants ADD COLUMN groups TEXT[] NOT NULL DEFAULT '{}'")
    op.execute("ALTER TABLE assistants ADD CONSTRAINT assistants_groups_check CHECK (NOT is_default OR groups = '{}')")


def downgrade() -> None:
    """Hide the assistants that not everyone saw, and remove the column."""
    op.execute("UPDATE assistants SET is_visible = FALSE WHERE groups <> '{}'")
    op.execute("ALTER TABLE assistants DROP COLUMN groups")
