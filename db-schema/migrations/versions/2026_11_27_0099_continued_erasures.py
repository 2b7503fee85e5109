"""Erasures of people are continued by any process after an interruption.

Revision ID: 0099
"""

from alembic import op

revision = "0099"
down_revision = "0098"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; erasures that are not completed are continued."""
    op.execute("ALTER TABLE erasures ADD COLUMN attempted_at TIMESTAMPTZ, ADD COLUMN error TEXT")
    op.execute("CREATE INDEX idx_erasures_unfinished ON erasures (id) WHERE completed_at IS NULL")


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP INDEX idx_erasures_unfinished")
    op.execute("ALTER TABLE erasures DROP COLUMN attempted_at, DROP COLUMN error")
