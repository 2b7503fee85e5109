"""How far each person is with the first steps; whoever has worked with EchoMind before is not asked for them.

Revision ID: 0017
"""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.execute(
        """
        ALTER TABLE users ADD COLUMN skipped_setup_steps TEXT[] NOT NULL DEFAULT '{}'
            CHECK (skipped_setup_steps <@ ARRAY['profile', 'password', 'model', 'documents', 'question'])
        """
    )
    op.execute("ALTER TABLE users ADD COLUMN is_setup_hidden BOOLEAN NOT NULL DEFAULT false")
    op.execute("UPDATE users SET is_setup_hidden = true WHERE last_login IS NOT NULL")


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE users DROP COLUMN is_setup_hidden, DROP COLUMN skipped_setup_steps")
