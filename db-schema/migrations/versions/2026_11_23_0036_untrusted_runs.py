"""The one word for text that nobody has vetted, in the column that marks the runs which have read some.

Revision ID: 0036
"""

from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Rename the column, its index, and the mark of copied sessions."""
    op.execute("ALTER TABLE runs RENAME COLUMN tainted TO untrusted")
    op.execute("ALTER TABLE runs RENAME CONSTRAINT runs_tainted_not_null TO runs_untrusted_not_null")
    op.execute("ALTER INDEX idx_runs_tainted RENAME TO idx_runs_untrusted")
    op.execute(
        """
        UPDATE chat_sessions SET context = context - 'tainted' || '{"untrusted": true}' WHERE context ? 'tainted'
        """
    )


def downgrade() -> None:
    """Rename them back."""
    op.execute(
        """
        UPDATE chat_sessions SET context = context - 'untrusted' || '{"tainted": true}' WHERE context ? 'untrusted'
        """
    )
    op.execute("ALTER INDEX idx_runs_untrusted RENAME TO idx_runs_tainted")
    op.execute("ALTER TABLE runs RENAME CONSTRAINT runs_untrusted_not_null TO runs_tainted_not_null")
    op.execute("ALTER TABLE runs RENAME COLUMN untrusted TO tainted")
