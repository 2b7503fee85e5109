"""Who may read documents at their source: principals, memberships, effective readers, aliases, verified e-mails.

Revision ID: 0021
"""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add tables, columns and the triggers that keep old grants from holding."""
    op.execute(
        """
        CREATE TABLE source_principals (
            id BIGSERIAL PRIMARY KEY,
            connector_id INTEGER NOT NULL REFERENCES connectors ON DELETE CASCADE,
            key TEXT NOT NULL CHECK (octet_length(key) BETWEEN 1 AND 1000),
            name TEXT NOT NULL DEFAULT '',
            email TEXT NOT NULL DEFAULT '',
            members_read_at TIMESTAMPTZ,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            UNIQUE (key, connector_id)
        )
        """
    )
    op.execute(
        "CREATE INDEX idx_source_principals_email ON source_principals (lower(email), connector_id) WHERE email <> ''"
    )
    op.execute("CREATE INDEX idx_source_principals_connector_id ON source_principals (connector_id, id)")
    op.execute(
        """
        CREATE TABLE source_members (
            group_id BIGINT NOT NULL REFERENCES source_principals ON DELETE CASCADE,
            member_id BIGINT NOT NULL REFERENCES source_principals ON DELETE CASCADE,
            PRIMARY KEY (group_id, member_id)
        )
        """
    )
    op.execute("CREATE INDEX idx_source_members_member_id ON source_members (member_id, group_id)")
    op.execute(
        """
        CREATE TABLE document_acl (
            document_id BIGINT NOT NULL REFERENCES documents ON DELETE CASCADE,
            principal_id BIGINT NOT NULL REFERENCES source_principals ON DELETE CASCADE,
            PRIMARY KEY (document_id, principal_id)
        )
        """
    )
    op.execute("CREATE INDEX idx_document_acl_principal_id ON document_acl (principal_id)")
    op.execute(
        """
        CREATE TABLE source_aliases (
            key TEXT PRIMARY KEY CHECK (octet_length(key) BETWEEN 1 AND 1000),
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            last_update TIMESTAMPTZ,
            user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL
        )
        """
    )
    op.execute("CREATE INDEX idx_source_aliases_user_id ON source_aliases (user_id)")
    op.execute(
        """
        CREATE TRIGGER update_source_aliases_last_update BEFORE UPDATE ON source_aliases
            FOR EACH ROW EXECUTE FUNCTION update_last_update_column()
        """
    )
    op.execute("ALTER TABLE documents ADD COLUMN readers_changed_at TIMESTAMPTZ")
    op.execute(
        """
        CREATE INDEX idx_documents_readers_changed ON documents (connector_id, id) WHERE readers_changed_at IS NOT NULL
        """
    )
    op.execute("ALTER TABLE users ADD COLUMN is_email_verified BOOLEAN NOT NULL DEFAULT false")
    # Whatever writes an account: what was verified is the e-mail that it had.
    op.execute(
        """
        CREATE FUNCTION unverify_email() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF OLD.is_email_verified THEN
                NEW.is_email_verified := false;
            END IF;
            RETURN NEW;
        END
        $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER unverify_email BEFORE UPDATE OF email ON users
            FOR EACH ROW WHEN (lower(OLD.email) <> lower(NEW.email)) EXECUTE FUNCTION unverify_email()
        """
    )
    # Readers of another time must not hold again: after a change of mode nothing is granted until the next sync.
    op.execute(
        """
        CREATE FUNCTION forget_readers() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            DELETE FROM source_principals WHERE connector_id = NEW.id;
            UPDATE source_folders SET source_readers = NULL
                WHERE connector_id = NEW.id AND source_readers IS NOT NULL;
            UPDATE documents SET source_readers = NULL, readers_changed_at = clock_timestamp()
                WHERE connector_id = NEW.id;
            RETURN NULL;
        END
        $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER forget_readers AFTER UPDATE OF permission_mode ON connectors
            FOR EACH ROW WHEN (OLD.permission_mode <> NEW.permission_mode) EXECUTE FUNCTION forget_readers()
        """
    )
    # A citation of a removed document stays readable for whoever asked; not one whose readers the source decided.
    op.execute(
        """
        CREATE FUNCTION forget_citations() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE chat_message_documents SET title = '', snippet = NULL WHERE document_id = OLD.id;
            RETURN OLD;
        END
        $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER forget_citations BEFORE DELETE ON documents
            FOR EACH ROW WHEN (OLD.source_readers IS NOT NULL) EXECUTE FUNCTION forget_citations()
        """
    )


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TRIGGER forget_citations ON documents")
    op.execute("DROP TRIGGER forget_readers ON connectors")
    op.execute("DROP TRIGGER unverify_email ON users")
    op.execute("DROP FUNCTION forget_citations, forget_readers, unverify_email")
    op.execute("ALTER TABLE users DROP COLUMN is_email_verified")
    op.execute("DROP INDEX idx_documents_readers_changed")
    op.execute("ALTER TABLE documents DROP COLUMN readers_changed_at")
    op.execute("DROP TABLE document_acl, source_members, source_aliases, source_principals")
