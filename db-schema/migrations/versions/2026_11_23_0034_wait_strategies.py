"""The wait strategy that whoever asks a question chooses for its run.

Revision ID: 0034
"""

from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; NULL means as the assistant says."""
    op.execute(
        """
        ALTER TABLE runs
            ADD COLUMN wait_strategy VARCHAR(20),
            ADD CONSTRAINT runs_wait_strategy_check CHECK (wait_strategy IN ('all', 'any', 'majority'))
        """
    )


def downgrade() -> None:
    """Remove it."""
    op.execute("ALTER TABLE runs DROP COLUMN wait_strategy")
