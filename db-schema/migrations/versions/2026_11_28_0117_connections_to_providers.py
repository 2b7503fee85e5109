"""A sign-in at a provider may connect the person there to the account that began it.

Revision ID: 0117
"""

from alembic import op

revision = "0117"
down_revision = "0111"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE sign_in_attempts ADD COLUMN is_connection BOOLEAN NOT NULL DEFAULT false")


def downgrade() -> None:
    """Remove it."""
    op.execute("ALTER TABLE sign_in_attempts DROP COLUMN is_connection")
