"""Aliases of people of sources outlive the accounts that they name: such a person is nobody then.

Revision ID: 0043
"""

from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let an alias name no account any more."""
    op.execute("ALTER TABLE source_aliases ALTER COLUMN user_id DROP NOT NULL")
    op.execute("ALTER TABLE source_aliases DROP CONSTRAINT source_aliases_user_id_fkey")
    op.execute(
        "ALTER TABLE source_aliases ADD CONSTRAINT source_aliases_user_id_fkey "
        "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE SET NULL"
    )


def downgrade() -> None:
    """Delete aliases with the accounts that they name."""
    op.execute("DELETE FROM source_aliases WHERE user_id IS NULL")
    op.execute("ALTER TABLE source_aliases ALTER COLUMN user_id SET NOT NULL")
    op.execute("ALTER TABLE source_aliases DROP CONSTRAINT source_aliases_user_id_fkey")
    op.execute(
        "ALTER TABLE source_aliases ADD CONSTRAINT source_aliases_user_id_fkey "
        "FOREIGN KEY (user_id) REFERENCES users (id) ON DELETE CASCADE"
    )
