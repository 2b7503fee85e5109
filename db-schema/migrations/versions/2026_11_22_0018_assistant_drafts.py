"""Drafts of assistants: configurations that are tried before they are saved.

Revision ID: 0018
"""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns of drafts, whose names need not be unique."""
    op.execute(
        """
        ALTER TABLE assistants
            ADD COLUMN is_draft BOOLEAN NOT NULL DEFAULT FALSE,
            ADD COLUMN draft_of_id SMALLINT REFERENCES assistants (id) ON DELETE CASCADE,
            ADD CONSTRAINT assistants_is_draft_check CHECK (NOT is_draft OR NOT (is_default OR is_visible)),
            ADD CONSTRAINT assistants_draft_of_id_check CHECK (is_draft OR draft_of_id IS NULL)
        """
    )
    op.execute("DROP INDEX idx_assistants_name")
    op.execute(
        "CREATE UNIQUE INDEX idx_assistants_name ON assistants (name) WHERE deleted_date IS NULL AND NOT is_draft"
    )
    op.execute(
        """
        CREATE UNIQUE INDEX idx_assistants_draft ON assistants (created_by, COALESCE(draft_of_id, 0))
            WHERE is_draft AND deleted_date IS NULL
        """
    )


def downgrade() -> None:
    """Remove the drafts from sight, and their columns."""
    op.execute("UPDATE assistants SET deleted_date = now() WHERE is_draft AND deleted_date IS NULL")
    op.execute("DROP INDEX idx_assistants_draft")
    op.execute("DROP INDEX idx_assistants_name")
    op.execute("ALTER TABLE assistants DROP COLUMN draft_of_id, DROP COLUMN is_draft")
    op.execute("CREATE UNIQUE INDEX idx_assistants_name ON assistants (name) WHERE deleted_date IS NULL")
