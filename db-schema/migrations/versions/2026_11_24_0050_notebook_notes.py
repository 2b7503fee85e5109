"""Notes in notebooks.

Revision ID: 0050
"""

from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.execute(
        """
        CREATE TABLE notebook_notes (
            id BIGSERIAL PRIMARY KEY,
            notebook_id BIGINT NOT NULL REFERENCES notebooks ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            title VARCHAR(255) NOT NULL,
            content TEXT NOT NULL,
            citations JSONB NOT NULL DEFAULT '[]',
            message_id BIGINT REFERENCES chat_messages ON DELETE SET NULL,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            last_update TIMESTAMPTZ,
            user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL
        )
        """
    )
    op.execute("CREATE INDEX idx_notebook_notes_notebook_id ON notebook_notes (notebook_id, id)")
    op.execute("CREATE INDEX idx_notebook_notes_user_id ON notebook_notes (user_id)")
    op.execute("CREATE INDEX idx_notebook_notes_message_id ON notebook_notes (message_id) WHERE message_id IS NOT NULL")
    op.execute(
        """
        CREATE TRIGGER update_notebook_notes_last_update BEFORE UPDATE ON notebook_notes
        FOR EACH ROW EXECUTE FUNCTION update_last_update_column()
        """
    )
    op.execute(
        """
        CREATE TABLE notebook_note_sources (
            note_id BIGINT NOT NULL REFERENCES notebook_notes ON DELETE CASCADE,
            document_id BIGINT NOT NULL,
            connector_id INTEGER,
            PRIMARY KEY (note_id, document_id)
        )
        """
    )
    op.execute("CREATE INDEX idx_notebook_note_sources_document_id ON notebook_note_sources (document_id)")
    op.execute(
        """
        CREATE TRIGGER keep_connectors_of_notebook_note_sources AFTER DELETE ON documents
            REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION keep_connectors_of_removed('notebook_note_sources')
        """
    )


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TRIGGER keep_connectors_of_notebook_note_sources ON documents")
    op.execute("DROP TABLE notebook_note_sources, notebook_notes")
