"""Syncs of connectors: folders, versions and readers as the source reports them, what a sync did and what failed.

Revision ID: 0020
"""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_ACTIVE = "status IN ('pending', 'running', 'waiting_for_confirmation')"


def upgrade() -> None:
    """Add tables and columns, and admit types of connectors that others have installed."""
    op.execute(
        """
        ALTER TABLE connectors
            ADD COLUMN permission_mode VARCHAR(20) NOT NULL DEFAULT 'scope'
                CHECK (permission_mode IN ('scope', 'source')),
            ADD COLUMN paused_at TIMESTAMPTZ,
            ADD COLUMN sync_failures INTEGER NOT NULL DEFAULT 0 CHECK (sync_failures >= 0),
            DROP CONSTRAINT connectors_type_check,
            ADD CONSTRAINT connectors_type_check CHECK (type ~ '^[a-z][a-z0-9_]*$')
        """
    )
    op.execute("DROP INDEX idx_connectors_due")
    op.execute(
        """
        CREATE INDEX idx_connectors_due ON connectors (next_sync_at)
            WHERE next_sync_at IS NOT NULL AND paused_at IS NULL AND status <> 'disabled' AND deleted_date IS NULL
        """
    )
    op.execute("DROP INDEX idx_connector_syncs_active, idx_connector_syncs_unfinished")
    op.execute(
        """
        ALTER TABLE connector_syncs
            DROP COLUMN worker_id,
            DROP CONSTRAINT connector_syncs_status_check,
            ADD CONSTRAINT connector_syncs_status_check CHECK (status IN (
                'pending', 'running', 'waiting_for_confirmation', 'completed', 'failed', 'cancelled'
            )),
            ADD COLUMN kind VARCHAR(20) NOT NULL DEFAULT 'incremental' CHECK (kind IN ('full', 'incremental')),
            ADD COLUMN pages INTEGER NOT NULL DEFAULT 0,
            ADD COLUMN to_remove INTEGER NOT NULL DEFAULT 0 CHECK (to_remove >= 0),
            ADD COLUMN may_remove BOOLEAN NOT NULL DEFAULT false,
            ADD COLUMN error_kind VARCHAR(20)
                CHECK (error_kind IN ('credentials', 'settings', 'unavailable', 'items', 'internal')),
            ADD COLUMN warning TEXT
        """
    )
    op.execute(f"CREATE UNIQUE INDEX idx_connector_syncs_active ON connector_syncs (connector_id) WHERE {_ACTIVE}")
    op.execute(
        """
        CREATE TABLE connector_sync_failures (
            id BIGSERIAL PRIMARY KEY,
            sync_id BIGINT NOT NULL REFERENCES connector_syncs ON DELETE CASCADE,
            connector_id INTEGER NOT NULL REFERENCES connectors ON DELETE CASCADE,
            source_id TEXT NOT NULL,
            name TEXT NOT NULL,
            message TEXT NOT NULL,
            is_retryable BOOLEAN NOT NULL,
            resolved_at TIMESTAMPTZ,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now()
        )
        """
    )
    op.execute(
        """
        CREATE UNIQUE INDEX idx_connector_sync_failures_item
            ON connector_sync_failures (sync_id, source_id, md5(name))
        """
    )
    op.execute(
        """
        CREATE INDEX idx_connector_sync_failures_unresolved ON connector_sync_failures (connector_id, source_id)
            WHERE resolved_at IS NULL AND is_retryable
        """
    )
    # What a listing has seen: beside the documents, so that a listing without changes writes none of their rows.
    op.execute(
        """
        CREATE TABLE connector_sync_seen (
            sync_id BIGINT NOT NULL REFERENCES connector_syncs ON DELETE CASCADE,
            source_id TEXT NOT NULL,
            PRIMARY KEY (sync_id, source_id)
        )
        """
    )
    op.execute(
        """
        CREATE TABLE source_folders (
            id BIGSERIAL PRIMARY KEY,
            connector_id INTEGER NOT NULL REFERENCES connectors ON DELETE CASCADE,
            source_id TEXT NOT NULL CHECK (octet_length(source_id) BETWEEN 1 AND 2000),
            parent_source_id TEXT NOT NULL DEFAULT '',
            name TEXT NOT NULL,
            path TEXT NOT NULL DEFAULT '',
            url TEXT,
            source_readers JSONB,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            last_update TIMESTAMPTZ,
            user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL,
            UNIQUE (connector_id, source_id)
        )
        """
    )
    op.execute("CREATE INDEX idx_source_folders_parent ON source_folders (connector_id, parent_source_id)")
    op.execute(
        """
        CREATE TRIGGER update_source_folders_last_update BEFORE UPDATE ON source_folders
            FOR EACH ROW EXECUTE FUNCTION update_last_update_column()
        """
    )
    op.execute(
        """
        ALTER TABLE documents
            ADD COLUMN source_name TEXT,
            ADD COLUMN source_version TEXT,
            ADD COLUMN folder_source_id TEXT,
            ADD COLUMN parent_source_id TEXT,
            ADD COLUMN source_readers JSONB
        """
    )
    op.execute(
        """
        CREATE INDEX idx_documents_folder ON documents (connector_id, folder_source_id)
            WHERE folder_source_id IS NOT NULL
        """
    )


def downgrade() -> None:
    """Remove them. Connectors of other types must be deleted before."""
    op.execute("DROP INDEX idx_documents_folder")
    op.execute(
        """
        ALTER TABLE documents DROP COLUMN source_name, DROP COLUMN source_version, DROP COLUMN folder_source_id,
            DROP COLUMN parent_source_id, DROP COLUMN source_readers
        """
    )
    op.execute("DROP TABLE source_folders, connector_sync_seen, connector_sync_failures")
    op.execute("DROP INDEX idx_connector_syncs_active")
    op.execute("UPDATE connector_syncs SET status = 'cancelled' WHERE status = 'waiting_for_confirmation'")
    op.execute(
        """
        ALTER TABLE connector_syncs
            DROP COLUMN kind, DROP COLUMN pages, DROP COLUMN to_remove, DROP COLUMN may_remove, DROP COLUMN error_kind,
            DROP COLUMN warning,
            ADD COLUMN worker_id UUID,
            DROP CONSTRAINT connector_syncs_status_check,
            ADD CONSTRAINT connector_syncs_status_check
                CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled'))
        """
    )
    op.execute(
        """
        CREATE UNIQUE INDEX idx_connector_syncs_active ON connector_syncs (connector_id)
            WHERE status IN ('pending', 'running')
        """
    )
    op.execute(
        "CREATE INDEX idx_connector_syncs_unfinished ON connector_syncs (id) WHERE status IN ('pending', 'running')"
    )
    op.execute("DROP INDEX idx_connectors_due")
    op.execute(
        """
        ALTER TABLE connectors
            DROP COLUMN permission_mode, DROP COLUMN paused_at, DROP COLUMN sync_failures,
            DROP CONSTRAINT connectors_type_check,
            ADD CONSTRAINT connectors_type_check
                CHECK (type IN ('teams', 'google_drive', 'onedrive', 'web', 'file', 'storage'))
        """
    )
    op.execute(
        """
        CREATE INDEX idx_connectors_due ON connectors (next_sync_at)
            WHERE next_sync_at IS NOT NULL AND status <> 'disabled' AND deleted_date IS NULL
        """
    )
