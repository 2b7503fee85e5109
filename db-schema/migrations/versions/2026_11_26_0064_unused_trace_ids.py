"""Runs without the trace id that nothing wrote: spans carry the run's id.

Revision ID: 0064
"""

from alembic import op

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Remove the column."""
    op.execute("ALTER TABLE runs DROP COLUMN otel_trace_id")


def downgrade() -> None:
    """Add it, empty."""
    op.execute("ALTER TABLE runs ADD COLUMN otel_trace_id VARCHAR(32)")
