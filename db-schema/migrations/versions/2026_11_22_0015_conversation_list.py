"""Conversations can be pinned, archived and searched.

Searching takes the extensions `pg_trgm` and `btree_gin`, which come with PostgreSQL and which the owner of a database
may create.

Revision ID: 0015
"""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, the index of the list, and the texts to be searched, which are filled by the first search."""
    op.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    op.execute("CREATE EXTENSION IF NOT EXISTS btree_gin")
    op.execute(
        """
        ALTER TABLE chat_sessions
            ADD COLUMN pinned BOOLEAN NOT NULL DEFAULT false,
            ADD COLUMN archived BOOLEAN NOT NULL DEFAULT false
        """
    )
    op.execute("DROP INDEX idx_chat_sessions_user_id")
    op.execute(
        """
        CREATE INDEX idx_chat_sessions_user_id ON chat_sessions
            (user_id, archived, pinned DESC, COALESCE(last_message_at, creation_date) DESC, id DESC)
            WHERE deleted_date IS NULL
        """
    )
    op.execute(
        """
        CREATE TABLE chat_session_texts (
            chat_session_id INTEGER PRIMARY KEY REFERENCES chat_sessions (id) ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
            text TEXT NOT NULL,
            indexed_at TIMESTAMPTZ NOT NULL
        )
        """
    )
    op.execute("CREATE INDEX idx_chat_session_texts_text ON chat_session_texts USING gin (user_id, text gin_trgm_ops)")


def downgrade() -> None:
    """Remove them again; the extensions stay."""
    op.execute("DROP TABLE chat_session_texts")
    op.execute("DROP INDEX idx_chat_sessions_user_id")
    op.execute(
        """
        CREATE INDEX idx_chat_sessions_user_id ON chat_sessions
            (user_id, COALESCE(last_message_at, creation_date) DESC, id DESC) WHERE deleted_date IS NULL
        """
    )
    op.execute("ALTER TABLE chat_sessions DROP COLUMN archived, DROP COLUMN pinned")
