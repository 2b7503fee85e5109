"""Reports of erased people are stored before anything is deleted, and completed afterwards.

Revision ID: 0092
"""

from alembic import op

revision = "0092"
down_revision = "0091"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; reports were stored when everything was deleted."""
    op.execute("ALTER TABLE erasures ADD COLUMN completed_at TIMESTAMPTZ")
    op.execute("UPDATE erasures SET completed_at = creation_date")


def downgrade() -> None:
    """Remove it."""
    op.execute("ALTER TABLE erasures DROP COLUMN completed_at")
