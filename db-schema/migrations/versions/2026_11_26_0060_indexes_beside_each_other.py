"""Indexes that are filled beside the active one.

Revision ID: 0060
"""

from alembic import op

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add states of indexes, the index of each document, and the documents that were copied to other indexes."""
    op.execute(
        "ALTER TABLE embedding_models"
        " ADD COLUMN index_state VARCHAR(20),"
        " ADD COLUMN state_since TIMESTAMP WITH TIME ZONE,"
        " ADD COLUMN state_message TEXT,"
        " ADD CONSTRAINT embedding_models_index_state_check"
        " CHECK (index_state IN ('building', 'standby', 'dropping')),"
        " ADD CONSTRAINT embedding_models_active_state_check CHECK (NOT is_active OR index_state IS NULL)"
    )
    # With a default, no row of a large table is rewritten. Whatever is searchable now is in the active index.
    op.execute(
        "DO $$ DECLARE active smallint; BEGIN"
        " SELECT id INTO active FROM embedding_models WHERE is_active AND deleted_date IS NULL;"
        " IF active IS NULL THEN ALTER TABLE documents ADD COLUMN index_id SMALLINT;"
        " ELSE EXECUTE format('ALTER TABLE documents ADD COLUMN index_id SMALLINT DEFAULT %s', active);"
        " ALTER TABLE documents ALTER COLUMN index_id DROP DEFAULT; END IF; END $$"
    )
    op.execute(
        "ALTER TABLE documents ADD CONSTRAINT documents_index_id_fkey"
        " FOREIGN KEY (index_id) REFERENCES embedding_models (id)"
    )
    op.execute(
        "CREATE TABLE index_documents ("
        " document_id BIGINT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,"
        " index_id SMALLINT NOT NULL REFERENCES embedding_models (id) ON DELETE CASCADE,"
        " chunking_session UUID NOT NULL,"
        " chunk_count INTEGER NOT NULL DEFAULT 0,"
        " error TEXT,"
        " creation_date TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),"
        " PRIMARY KEY (document_id, index_id),"
        " CONSTRAINT index_documents_chunk_count_check CHECK (chunk_count >= 0))"
    )
    op.execute("CREATE INDEX idx_index_documents_index_id ON index_documents (index_id, creation_date)")


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TABLE index_documents")
    op.execute("ALTER TABLE documents DROP COLUMN index_id")
    op.execute(
        "ALTER TABLE embedding_models DROP COLUMN index_state, DROP COLUMN state_since, DROP COLUMN state_message"
    )
