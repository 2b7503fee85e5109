"""OpenID providers as rows, sign-ins that test one, and logouts that providers ask for.

Revision ID: 0056
"""

from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables; attempts say whether they only test, web sessions which session at the provider they are."""
    op.execute(
        "CREATE TABLE identity_providers ("
        " id SERIAL PRIMARY KEY,"
        " name VARCHAR(40) NOT NULL,"
        " title VARCHAR(100) NOT NULL DEFAULT '',"
        " issuer TEXT NOT NULL,"
        " client_id TEXT NOT NULL,"
        " encrypted_client_secret TEXT,"
        " scopes TEXT NOT NULL,"
        " algorithms TEXT[] NOT NULL,"
        " email_trust VARCHAR(20) NOT NULL,"
        " email_domains TEXT[] NOT NULL DEFAULT '{}',"
        " create_accounts BOOLEAN NOT NULL DEFAULT true,"
        " required_claims JSONB NOT NULL DEFAULT '{}',"
        " audience TEXT NOT NULL DEFAULT '',"
        " groups_claim TEXT NOT NULL,"
        " groups JSONB NOT NULL DEFAULT '{}',"
        " roles JSONB NOT NULL DEFAULT '{}',"
        " is_active BOOLEAN NOT NULL DEFAULT true,"
        " creation_date TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),"
        " last_update TIMESTAMP WITH TIME ZONE,"
        " user_id_last_update INTEGER REFERENCES users (id) ON DELETE SET NULL,"
        " CONSTRAINT identity_providers_name_check CHECK (name ~ '^[a-z][a-z0-9_]*$'),"
        " CONSTRAINT identity_providers_email_trust_check CHECK (email_trust IN ('claim', 'domains', 'never')))"
    )
    op.execute("CREATE UNIQUE INDEX idx_identity_providers_name ON identity_providers (name)")
    op.execute("CREATE UNIQUE INDEX idx_identity_providers_issuer ON identity_providers (issuer)")
    op.execute(
        "CREATE TRIGGER update_identity_providers_last_update BEFORE UPDATE ON identity_providers"
        " FOR EACH ROW EXECUTE FUNCTION update_last_update_column()"
    )
    op.execute("ALTER TABLE web_sessions ADD COLUMN provider_session TEXT")
    op.execute(
        "CREATE TABLE used_logout_tokens ("
        " issuer TEXT NOT NULL,"
        " token_id TEXT NOT NULL,"
        " expires_at TIMESTAMP WITH TIME ZONE NOT NULL,"
        " creation_date TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),"
        " PRIMARY KEY (issuer, token_id))"
    )
    op.execute("CREATE INDEX idx_used_logout_tokens_expires_at ON used_logout_tokens (expires_at)")
    op.execute("ALTER TABLE sign_in_attempts ADD COLUMN is_test BOOLEAN NOT NULL DEFAULT false")


def downgrade() -> None:
    """Remove the tables and the columns."""
    op.execute("ALTER TABLE sign_in_attempts DROP COLUMN is_test")
    op.execute("DROP TABLE used_logout_tokens")
    op.execute("ALTER TABLE web_sessions DROP COLUMN provider_session")
    op.execute("DROP TABLE identity_providers")
