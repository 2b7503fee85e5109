"""How often the model was asked for a session's title.

Revision ID: 0045
"""

from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; sessions that have a title of the model were asked for one."""
    op.execute(
        "ALTER TABLE chat_sessions ADD COLUMN title_attempts SMALLINT NOT NULL DEFAULT 0,"
        " ADD CONSTRAINT chat_sessions_title_attempts_check CHECK (title_attempts >= 0)"
    )
    # That it was counted is no change of theirs.
    op.execute("ALTER TABLE chat_sessions DISABLE TRIGGER update_chat_sessions_last_update")
    op.execute("UPDATE chat_sessions SET title_attempts = 1 WHERE generated_title IS NOT NULL")
    op.execute("ALTER TABLE chat_sessions ENABLE TRIGGER update_chat_sessions_last_update")


def downgrade() -> None:
    """Remove the column."""
    op.execute("ALTER TABLE chat_sessions DROP COLUMN title_attempts")
