"""What each session has drawn on.

Revision ID: 0026
"""

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table, filled from what was found and cited, and the trigger that keeps connectors of removed rows."""
    op.execute(
        """
        CREATE TABLE chat_session_sources (
            chat_session_id INTEGER NOT NULL REFERENCES chat_sessions ON DELETE CASCADE,
            document_id BIGINT NOT NULL,
            connector_id INTEGER,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            PRIMARY KEY (chat_session_id, document_id)
        )
        """
    )
    # Document 0 stands for removed ones whose ids their citations do not have any more.
    op.execute(
        """
        INSERT INTO chat_session_sources (chat_session_id, document_id)
        SELECT run.chat_session_id, CAST(source ->> 'documentId' AS bigint)
        FROM tool_calls AS call
        JOIN steps AS step ON step.id = call.step_id
        JOIN runs AS run ON run.id = step.run_id
        CROSS JOIN LATERAL jsonb_array_elements(call.sources) AS source
        WHERE jsonb_typeof(call.sources) = 'array' AND source ? 'documentId'
        UNION
        SELECT message.chat_session_id, COALESCE(citation.document_id, 0)
        FROM chat_message_documents AS citation
        JOIN chat_messages AS message ON message.id = citation.chat_message_id
        """
    )
    op.execute("CREATE INDEX idx_chat_session_sources_document_id ON chat_session_sources (document_id)")
    op.execute(
        """
        CREATE FUNCTION keep_connectors_of_removed() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            EXECUTE format(
                'UPDATE %I AS source SET connector_id = removed.connector_id'
                ' FROM removed JOIN connectors AS connector ON connector.id = removed.connector_id'
                ' WHERE source.document_id = removed.id AND connector.permission_mode = ''scope''',
                TG_ARGV[0]
            );
            RETURN NULL;
        END
        $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER keep_connectors_of_chat_session_sources AFTER DELETE ON documents
            REFERENCING OLD TABLE AS removed
            FOR EACH STATEMENT EXECUTE FUNCTION keep_connectors_of_removed('chat_session_sources')
        """
    )
    # A snippet is never NULL: with NULL here, a document with readers at its source and citations could not be deleted.
    op.execute(
        """
        CREATE OR REPLACE FUNCTION forget_citations() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE chat_message_documents SET title = '', snippet = '' WHERE document_id = OLD.id;
            RETURN OLD;
        END
        $$
        """
    )


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TRIGGER keep_connectors_of_chat_session_sources ON documents")
    op.execute("DROP FUNCTION keep_connectors_of_removed")
    op.execute("DROP TABLE chat_session_sources")
