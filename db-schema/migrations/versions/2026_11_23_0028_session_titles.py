"""Titles that models give to sessions, beside those of people.

Revision ID: 0028
"""

from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, and tell the titles that are first questions from those that people gave."""
    op.execute(
        "ALTER TABLE chat_sessions ADD COLUMN title_origin VARCHAR(20) NOT NULL DEFAULT 'default',"
        " ADD COLUMN generated_title TEXT,"
        " ADD CONSTRAINT chat_sessions_title_origin_check"
        " CHECK (title_origin IN ('default', 'question', 'person')),"
        " ADD CONSTRAINT chat_sessions_generated_title_check"
        " CHECK (generated_title IS NULL OR title_origin <> 'person')"
    )
    # That they are told apart is no change of theirs.
    op.execute("ALTER TABLE chat_sessions DISABLE TRIGGER update_chat_sessions_last_update")
    op.execute(
        "UPDATE chat_sessions SET title_origin = CASE WHEN title = ("
        " SELECT left(btrim(regexp_replace(message.content, '\\s+', ' ', 'g')), 80) FROM chat_messages AS message"
        " WHERE message.chat_session_id = chat_sessions.id ORDER BY message.id LIMIT 1"
        ") THEN 'question' ELSE 'person' END WHERE title NOT IN ('', 'New Chat')"
    )
    op.execute("ALTER TABLE chat_sessions ENABLE TRIGGER update_chat_sessions_last_update")


def downgrade() -> None:
    """Remove the columns."""
    op.execute("ALTER TABLE chat_sessions DROP COLUMN generated_title, DROP COLUMN title_origin")
