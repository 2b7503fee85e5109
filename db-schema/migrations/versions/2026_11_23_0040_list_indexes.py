"""Indexes for the numbers of documents by their properties, and for the list of removed sessions.

Revision ID: 0040
"""

from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create them."""
    op.execute(
        "CREATE INDEX idx_documents_counts ON documents (connector_id, status, content_type) WHERE deleted_date IS NULL"
    )
    op.execute(
        """
        CREATE INDEX idx_chat_sessions_removed ON chat_sessions
            (user_id, pinned DESC, COALESCE(last_message_at, creation_date) DESC, id DESC)
            WHERE deleted_date IS NOT NULL
        """
    )


def downgrade() -> None:
    """Drop them."""
    op.execute("DROP INDEX idx_documents_counts, idx_chat_sessions_removed")
