"""Webhooks and their deliveries, which triggers write in the transaction of the change that they report.

Revision ID: 0082
"""

from alembic import op

revision = "0082"
down_revision = "0081"
branch_labels = None
depends_on = None

_EVENT_TYPES = (
    "'run_completed', 'run_failed', 'run_cancelled', 'run_waiting_for_input', 'document_ready', 'document_failed', "
    "'document_removed', 'sync_completed', 'sync_failed', 'audit_entry', 'test'"
)
_TABLES = (
    """
    CREATE TABLE webhooks (
        id SERIAL PRIMARY KEY,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        is_installation BOOLEAN NOT NULL DEFAULT FALSE,
        url TEXT NOT NULL,
        description VARCHAR(255) NOT NULL DEFAULT '',
        event_types TEXT[] NOT NULL,
        is_enabled BOOLEAN NOT NULL DEFAULT TRUE,
        encrypted_secret TEXT NOT NULL,
        encrypted_previous_secret TEXT,
        previous_secret_until TIMESTAMPTZ,
        failures INTEGER NOT NULL DEFAULT 0 CONSTRAINT webhooks_failures_check CHECK (failures >= 0),
        failing_since TIMESTAMPTZ,
        held_until TIMESTAMPTZ,
        disabled_reason TEXT,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_update TIMESTAMPTZ,
        user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL
    )
    """,
    f"""
    CREATE TABLE webhook_deliveries (
        id BIGSERIAL PRIMARY KEY,
        webhook_id INTEGER NOT NULL REFERENCES webhooks ON DELETE CASCADE,
        event_type VARCHAR(50) NOT NULL
            CONSTRAINT webhook_deliveries_event_type_check CHECK (event_type IN ({_EVENT_TYPES})),
        data JSONB NOT NULL DEFAULT '{{}}',
        status VARCHAR(20) NOT NULL DEFAULT 'pending'
            CONSTRAINT webhook_deliveries_status_check
            CHECK (status IN ('pending', 'delivered', 'failed', 'withheld')),
        attempts INTEGER NOT NULL DEFAULT 0 CONSTRAINT webhook_deliveries_attempts_check CHECK (attempts >= 0),
        next_attempt_at TIMESTAMPTZ DEFAULT now(),
        response_status INTEGER,
        error TEXT,
        duration_ms INTEGER,
        completed_at TIMESTAMPTZ,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT webhook_deliveries_next_attempt_at_check
            CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL))
    )
    """,
    "CREATE INDEX idx_webhooks_user_id ON webhooks (user_id)",
    "CREATE INDEX idx_webhook_deliveries_webhook_id ON webhook_deliveries (webhook_id, id)",
    """
    CREATE INDEX idx_webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at, id)
    WHERE status = 'pending'
    """,
    "CREATE INDEX idx_webhook_deliveries_creation_date ON webhook_deliveries (creation_date)",
    """
    CREATE TRIGGER update_webhooks_last_update BEFORE UPDATE ON webhooks
    FOR EACH ROW EXECUTE FUNCTION update_last_update_column()
    """,
)
# Without webhooks, an event costs the look at an empty table.
_FUNCTION = """
    CREATE FUNCTION note_webhook_event() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
    DECLARE
        event TEXT;
        about JSONB;
        owner INTEGER;
    BEGIN
        IF NOT EXISTS (SELECT FROM webhooks WHERE is_enabled) THEN
            RETURN NULL;
        END IF;
        IF TG_TABLE_NAME = 'runs' THEN
            event := 'run_' || CASE NEW.status WHEN 'timeout' THEN 'failed' ELSE NEW.status END;
            owner := NEW.user_id;
            about := jsonb_build_object('run_id', NEW.id, 'chat_session_id', NEW.chat_session_id,
                'user_id', NEW.user_id, 'assistant_id', NEW.assistant_id, 'status', NEW.status,
                'reason', NEW.error -> 'reason', 'waits_for', NEW.pending_input -> 'kind');
        ELSIF TG_TABLE_NAME = 'documents' THEN
            event := CASE
                WHEN TG_OP = 'DELETE' OR NEW.deleted_date IS NOT NULL THEN 'document_removed'
                WHEN NEW.status = 'failed' THEN 'document_failed'
                ELSE 'document_ready'
            END;
            SELECT c.user_id INTO owner FROM connectors AS c WHERE c.id = OLD.connector_id;
            about := jsonb_build_object('document_id', OLD.id, 'connector_id', OLD.connector_id,
                'status', CASE event WHEN 'document_removed' THEN 'removed' ELSE NEW.status END);
        ELSIF TG_TABLE_NAME = 'connector_syncs' THEN
            event := CASE NEW.status WHEN 'completed' THEN 'sync_completed' ELSE 'sync_failed' END;
            SELECT c.user_id INTO owner FROM connectors AS c WHERE c.id = NEW.connector_id;
            about := jsonb_build_object('sync_id', NEW.id, 'connector_id', NEW.connector_id, 'status', NEW.status,
                'documents_added', NEW.documents_added, 'documents_updated', NEW.documents_updated,
                'documents_removed', NEW.documents_removed, 'documents_failed', NEW.documents_failed,
                'error_kind', NEW.error_kind);
        ELSE
            event := 'audit_entry';
            about := jsonb_build_object('audit_id', NEW.id, 'actor_id', NEW.actor_id, 'action', NEW.action,
                'target', NEW.target, 'denied', NEW.denied);
        END IF;
        INSERT INTO webhook_deliveries (webhook_id, event_type, data)
        SELECT w.id, event, jsonb_strip_nulls(about) FROM webhooks AS w
        WHERE w.is_enabled AND event = ANY(w.event_types) AND (w.is_installation OR w.user_id = owner)
        FOR KEY SHARE OF w;  -- leaves out one that is being deleted, instead of failing on its foreign key
        RETURN NULL;
    END
    $$
    """
_TRIGGERS = (
    """
    CREATE TRIGGER note_run_event AFTER UPDATE OF status ON runs
    FOR EACH ROW WHEN (NEW.parent_run_id IS NULL AND NEW.status IS DISTINCT FROM OLD.status
        AND NEW.status IN ('completed', 'failed', 'timeout', 'cancelled', 'waiting_for_input'))
    EXECUTE FUNCTION note_webhook_event()
    """,
    """
    CREATE TRIGGER note_document_event AFTER UPDATE OF status, deleted_date ON documents
    FOR EACH ROW WHEN (OLD.deleted_date IS NULL AND (NEW.deleted_date IS NOT NULL
        OR (NEW.status IS DISTINCT FROM OLD.status AND NEW.status IN ('completed', 'failed'))))
    EXECUTE FUNCTION note_webhook_event()
    """,
    """
    CREATE TRIGGER note_document_deletion AFTER DELETE ON documents
    FOR EACH ROW WHEN (OLD.deleted_date IS NULL)
    EXECUTE FUNCTION note_webhook_event()
    """,
    """
    CREATE TRIGGER note_sync_event AFTER UPDATE OF status ON connector_syncs
    FOR EACH ROW WHEN (NEW.status IS DISTINCT FROM OLD.status
        AND NEW.status IN ('completed', 'failed', 'needs_attention'))
    EXECUTE FUNCTION note_webhook_event()
    """,
    """
    CREATE TRIGGER note_audit_event AFTER INSERT ON audit_log
    FOR EACH ROW EXECUTE FUNCTION note_webhook_event()
    """,
)


def upgrade() -> None:
    """Add the tables, and the triggers that write deliveries."""
    for statement in (*_TABLES, _FUNCTION, *_TRIGGERS):
        op.execute(statement)


def downgrade() -> None:
    """Remove them."""
    for trigger, table in (
        ("note_run_event", "runs"),
        ("note_document_event", "documents"),
        ("note_document_deletion", "documents"),
        ("note_sync_event", "connector_syncs"),
        ("note_audit_event", "audit_log"),
    ):
        op.execute(f"DROP TRIGGER {trigger} ON {table}")
    op.execute("DROP FUNCTION note_webhook_event")
    op.execute("DROP TABLE webhook_deliveries, webhooks")
