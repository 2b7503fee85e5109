"""Sessions for one question of a program, which are in no list.

Revision ID: 0054
"""

from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None

_COLUMNS = "(user_id, archived, pinned DESC, COALESCE(last_message_at, creation_date) DESC, id DESC)"


def upgrade() -> None:
    """Add the column; the index of the list leaves such sessions out."""
    op.execute("ALTER TABLE chat_sessions ADD COLUMN unlisted BOOLEAN NOT NULL DEFAULT false")
    op.execute("DROP INDEX idx_chat_sessions_user_id")
    op.execute(
        f"CREATE INDEX idx_chat_sessions_user_id ON chat_sessions {_COLUMNS}"
        " WHERE deleted_date IS NULL AND NOT unlisted"
    )


def downgrade() -> None:
    """Remove them again."""
    op.execute("DROP INDEX idx_chat_sessions_user_id")
    op.execute(f"CREATE INDEX idx_chat_sessions_user_id ON chat_sessions {_COLUMNS} WHERE deleted_date IS NULL")
    op.execute("ALTER TABLE chat_sessions DROP COLUMN unlisted")
