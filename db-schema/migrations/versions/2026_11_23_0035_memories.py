"""Memories in prompts, their switches, and what they were drawn from.

Revision ID: 0035
"""

from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns and the trigger."""
    op.execute("ALTER TABLE chat_messages ADD COLUMN memory_ids INTEGER[] NOT NULL DEFAULT '{}'")
    op.execute("ALTER TABLE chat_sessions ADD COLUMN without_memory BOOLEAN NOT NULL DEFAULT false")
    op.execute("ALTER TABLE memory_sources ADD COLUMN connector_id INTEGER")
    op.execute("CREATE INDEX idx_memory_sources_document_id ON memory_sources (document_id)")
    op.execute(
        """
        CREATE TRIGGER keep_connectors_of_memory_sources AFTER DELETE ON documents
            REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION keep_connectors_of_removed('memory_sources')
        """
    )
    op.execute("ALTER TABLE installation_settings ADD COLUMN memory_enabled BOOLEAN NOT NULL DEFAULT true")


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE installation_settings DROP COLUMN memory_enabled")
    op.execute("DROP TRIGGER keep_connectors_of_memory_sources ON documents")
    op.execute("DROP INDEX idx_memory_sources_document_id")
    op.execute("ALTER TABLE memory_sources DROP COLUMN connector_id")
    op.execute("ALTER TABLE chat_sessions DROP COLUMN without_memory")
    op.execute("ALTER TABLE chat_messages DROP COLUMN memory_ids")
