"""Credentials that beget nothing stronger and end for good; counted and dated entries of the audit log.

Revision ID: 0005
"""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

UPGRADE = (
    """
    ALTER TABLE api_keys
        ADD COLUMN parent_id INTEGER REFERENCES api_keys ON DELETE SET NULL,
        ADD CONSTRAINT api_keys_scopes_check CHECK (scopes <@ ARRAY['administer'])
    """,
    "CREATE INDEX idx_api_keys_parent_id ON api_keys (parent_id) WHERE parent_id IS NOT NULL",
    # The key file of a machine stays what it was: it belongs to whoever owns the data folder.
    """
    UPDATE api_keys SET scopes = ARRAY['administer']
    WHERE name LIKE 'Owner''s key file on %' AND NOT revoked AND user_id = (
        SELECT id FROM users WHERE 'superadmin' = ANY (roles) AND is_active ORDER BY id LIMIT 1
    )
    """,
    "ALTER TABLE sign_in_tokens ADD COLUMN authenticated_at TIMESTAMPTZ",
    "ALTER TABLE web_sessions ADD COLUMN authenticated_at TIMESTAMPTZ NOT NULL DEFAULT now()",
    "UPDATE web_sessions SET authenticated_at = creation_date",
    """
    CREATE FUNCTION revoke_credentials() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE api_keys SET revoked = true WHERE user_id = NEW.id AND NOT revoked;
        DELETE FROM sign_in_tokens WHERE user_id = NEW.id;
        DELETE FROM web_sessions WHERE user_id = NEW.id;
        RETURN NULL;
    END
    $$
    """,
    """
    CREATE TRIGGER revoke_credentials AFTER UPDATE OF is_active ON users
        FOR EACH ROW WHEN (OLD.is_active AND NOT NEW.is_active) EXECUTE FUNCTION revoke_credentials()
    """,
    # What a deactivated account has left would come back with it.
    "UPDATE api_keys SET revoked = true FROM users WHERE users.id = user_id AND NOT is_active AND NOT revoked",
    "DELETE FROM sign_in_tokens USING users WHERE users.id = user_id AND NOT is_active",
    "DELETE FROM web_sessions USING users WHERE users.id = user_id AND NOT is_active",
    "UPDATE llms SET endpoint = 'http://localhost:8000/v1' WHERE provider = 'vllm' AND endpoint IS NULL",
    "ALTER TABLE audit_log ADD COLUMN count INTEGER NOT NULL DEFAULT 1 CHECK (count >= 1)",
    "CREATE INDEX idx_audit_log_creation_date ON audit_log (creation_date)",
    "DROP TRIGGER refuse_audit_log_change ON audit_log",
    """
    CREATE TRIGGER refuse_audit_log_change BEFORE UPDATE ON audit_log
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
    """,
    # Only what says that it removes what is past its time may delete.
    """
    CREATE TRIGGER refuse_audit_log_delete BEFORE DELETE ON audit_log
        FOR EACH STATEMENT WHEN (current_setting('echomind.retention', true) IS DISTINCT FROM 'audit_log')
        EXECUTE FUNCTION refuse_change()
    """,
)


def upgrade() -> None:
    """Add them."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Drop them."""
    op.execute("DROP TRIGGER refuse_audit_log_delete ON audit_log")
    op.execute("DROP TRIGGER refuse_audit_log_change ON audit_log")
    op.execute(
        """
        CREATE TRIGGER refuse_audit_log_change BEFORE UPDATE OR DELETE ON audit_log
            FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
        """
    )
    op.execute("DROP INDEX idx_audit_log_creation_date")
    op.execute("ALTER TABLE audit_log DROP COLUMN count")
    op.execute("DROP TRIGGER revoke_credentials ON users")
    op.execute("DROP FUNCTION revoke_credentials()")
    op.execute("ALTER TABLE web_sessions DROP COLUMN authenticated_at")
    op.execute("ALTER TABLE sign_in_tokens DROP COLUMN authenticated_at")
    op.execute("ALTER TABLE api_keys DROP COLUMN parent_id, DROP CONSTRAINT api_keys_scopes_check")
