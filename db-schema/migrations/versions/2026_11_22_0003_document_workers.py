"""The worker that has a document.

Revision ID: 0003
"""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it; a document that is being processed without one is claimed again."""
    op.execute("ALTER TABLE documents ADD COLUMN worker_id UUID")


def downgrade() -> None:
    """Drop it."""
    op.execute("ALTER TABLE documents DROP COLUMN worker_id")
