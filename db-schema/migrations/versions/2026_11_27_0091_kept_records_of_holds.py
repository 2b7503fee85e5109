"""Records of legal holds outlast what they kept, and conversations have the time of their import.

Revision ID: 0091
"""

from alembic import op

revision = "0091"
down_revision = "0090"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Remove the foreign keys, which deleted the records, and add the column."""
    op.execute("ALTER TABLE legal_holds DROP CONSTRAINT legal_holds_user_id_fkey")
    op.execute("ALTER TABLE legal_holds DROP CONSTRAINT legal_holds_chat_session_id_fkey")
    op.execute("ALTER TABLE chat_sessions ADD COLUMN imported_at TIMESTAMPTZ")


def downgrade() -> None:
    """Restore the keys, without the records whose subject was deleted, and remove the column."""
    op.execute("ALTER TABLE chat_sessions DROP COLUMN imported_at")
    op.execute("DELETE FROM legal_holds WHERE user_id NOT IN (SELECT id FROM users)")
    op.execute("DELETE FROM legal_holds WHERE chat_session_id NOT IN (SELECT id FROM chat_sessions)")
    for column, table in (("user_id", "users"), ("chat_session_id", "chat_sessions")):
        op.execute(
            f"ALTER TABLE legal_holds ADD CONSTRAINT legal_holds_{column}_fkey "
            f"FOREIGN KEY ({column}) REFERENCES {table} ON DELETE CASCADE"
        )
