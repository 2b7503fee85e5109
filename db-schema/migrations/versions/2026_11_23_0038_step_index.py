"""Drop an index of steps that every step paid for and no query used: a run's steps are read by its unique key.

Revision ID: 0038
"""

from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Drop it."""
    op.execute("DROP INDEX idx_steps_run_active")


def downgrade() -> None:
    """Make it again."""
    op.execute("CREATE INDEX idx_steps_run_active ON steps (run_id, step_number) WHERE NOT discarded")
