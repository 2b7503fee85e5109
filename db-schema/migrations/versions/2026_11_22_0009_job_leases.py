"""When a job was last requested, and when it was claimed: what a lease is known by.

Revision ID: 0009
"""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add them; jobs that run are claimed again when their lease expires."""
    op.execute(
        "ALTER TABLE background_jobs ADD COLUMN claimed_at TIMESTAMPTZ,"
        " ADD COLUMN requested_at TIMESTAMPTZ NOT NULL DEFAULT now()"
    )


def downgrade() -> None:
    """Drop them."""
    op.execute("ALTER TABLE background_jobs DROP COLUMN requested_at, DROP COLUMN claimed_at")
