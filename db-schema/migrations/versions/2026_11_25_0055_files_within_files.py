"""Files within files: attachments of e-mails and members of archives as documents.

Revision ID: 0055
"""

from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the container of a document, and the trigger that makes its members follow it."""
    op.execute("ALTER TABLE documents ADD COLUMN container_id BIGINT REFERENCES documents (id) ON DELETE SET NULL")
    op.execute("CREATE INDEX idx_documents_container_id ON documents (container_id) WHERE container_id IS NOT NULL")
    op.execute(
        """
        CREATE FUNCTION update_members() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF NEW.container_id IS NULL THEN
                UPDATE documents
                SET connector_id = NEW.connector_id,
                    folder_source_id = NEW.folder_source_id,
                    source_readers = NEW.source_readers,
                    original_url = NEW.original_url,
                    deleted_date = NEW.deleted_date
                WHERE container_id = NEW.id AND deleted_date IS NULL;
            ELSE
                UPDATE documents SET deleted_date = NEW.deleted_date
                WHERE parent_id = NEW.id AND container_id = NEW.container_id AND deleted_date IS NULL;
            END IF;
            RETURN NULL;
        END
        $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER update_members
            AFTER UPDATE OF connector_id, folder_source_id, source_readers, original_url, deleted_date ON documents
            FOR EACH ROW
            WHEN (
                NEW.deleted_date IS DISTINCT FROM OLD.deleted_date
                OR NEW.container_id IS NULL
                AND (NEW.connector_id, NEW.folder_source_id, NEW.source_readers, NEW.original_url)
                    IS DISTINCT FROM
                    (OLD.connector_id, OLD.folder_source_id, OLD.source_readers, OLD.original_url)
            )
            EXECUTE FUNCTION update_members()
        """
    )


def downgrade() -> None:
    """Remove both; members stay as documents."""
    op.execute("DROP TRIGGER update_members ON documents")
    op.execute("DROP FUNCTION update_members()")
    op.execute("ALTER TABLE documents DROP COLUMN container_id")
