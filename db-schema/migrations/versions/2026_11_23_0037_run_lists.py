"""Indexes by which the runs of everybody are summed and listed, which no turn that completes pays for.

Revision ID: 0037
"""

from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them: usage reads the blocks of a time, and few runs fail."""
    op.execute(
        """
        CREATE INDEX idx_runs_creation_date ON runs USING brin (creation_date)
            WITH (pages_per_range = 16, autosummarize = on)
        """
    )
    op.execute("CREATE INDEX idx_runs_failed ON runs (id) WHERE status IN ('failed', 'timeout')")


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP INDEX idx_runs_creation_date, idx_runs_failed")
