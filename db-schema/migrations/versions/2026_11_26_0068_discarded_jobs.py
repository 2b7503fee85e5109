"""When the failure of a job was discarded.

Revision ID: 0068
"""

from alembic import op

revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column."""
    op.execute("ALTER TABLE background_jobs ADD COLUMN discarded_at TIMESTAMPTZ")


def downgrade() -> None:
    """Remove it."""
    op.execute("ALTER TABLE background_jobs DROP COLUMN discarded_at")
