"""Dead letters are found by their kind: learning pauses with a model that has left some.

Revision ID: 0118
"""

from alembic import op

revision = "0118"
down_revision = "0117"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the index."""
    op.execute("CREATE INDEX idx_background_jobs_failed ON background_jobs (kind, last_update) WHERE status = 'failed'")


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP INDEX idx_background_jobs_failed")
