"""SCIM 2.0: clients with their tokens, their users and groups, and how providers name the same people.

Revision ID: 0072
"""

from alembic import op

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None

_TABLES = (
    """
    CREATE TABLE scim_clients (
        id SERIAL PRIMARY KEY,
        name VARCHAR(40) NOT NULL UNIQUE,
        issuer TEXT,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_update TIMESTAMPTZ,
        user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL,
        CONSTRAINT scim_clients_name_check CHECK (name ~ '^[a-z][a-z0-9_-]*$')
    )
    """,
    """
    CREATE TABLE scim_tokens (
        id SERIAL PRIMARY KEY,
        client_id INTEGER NOT NULL REFERENCES scim_clients ON DELETE CASCADE,
        prefix VARCHAR(32) NOT NULL,
        sha256 BYTEA NOT NULL,
        expires_at TIMESTAMPTZ NOT NULL,
        last_used_at TIMESTAMPTZ,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT scim_tokens_sha256_check CHECK (octet_length(sha256) = 32)
    )
    """,
    "CREATE INDEX idx_scim_tokens_prefix ON scim_tokens (prefix)",
    "CREATE INDEX idx_scim_tokens_client_id ON scim_tokens (client_id)",
    """
    CREATE TABLE scim_users (
        id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
        client_id INTEGER NOT NULL REFERENCES scim_clients ON DELETE CASCADE,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        user_name VARCHAR(255) NOT NULL,
        external_id VARCHAR(255),
        attributes JSONB NOT NULL DEFAULT '{}',
        version INTEGER NOT NULL DEFAULT 1,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_update TIMESTAMPTZ,
        deleted_date TIMESTAMPTZ,
        CONSTRAINT scim_users_version_check CHECK (version >= 1)
    )
    """,
    """
    CREATE UNIQUE INDEX idx_scim_users_user_name ON scim_users (client_id, lower(user_name))
    WHERE deleted_date IS NULL
    """,
    "CREATE UNIQUE INDEX idx_scim_users_external_id ON scim_users (client_id, external_id)",
    "CREATE UNIQUE INDEX idx_scim_users_user_id ON scim_users (user_id)",
    """
    CREATE TABLE scim_groups (
        id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
        client_id INTEGER NOT NULL REFERENCES scim_clients ON DELETE CASCADE,
        group_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE,
        display_name VARCHAR(255) NOT NULL,
        external_id VARCHAR(255),
        version INTEGER NOT NULL DEFAULT 1,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_update TIMESTAMPTZ,
        deleted_date TIMESTAMPTZ,
        CONSTRAINT scim_groups_version_check CHECK (version >= 1)
    )
    """,
    "CREATE INDEX idx_scim_groups_display_name ON scim_groups (client_id, lower(display_name))",
    "CREATE UNIQUE INDEX idx_scim_groups_external_id ON scim_groups (client_id, external_id)",
    "CREATE UNIQUE INDEX idx_scim_groups_group_id ON scim_groups (group_id)",
)


def upgrade() -> None:
    """Add the tables, and the columns by which a sign-in finds a client's user."""
    for statement in _TABLES:
        op.execute(statement)
    for table in ("scim_clients", "scim_users", "scim_groups"):
        op.execute(
            f"CREATE TRIGGER update_{table}_last_update BEFORE UPDATE ON {table}"
            " FOR EACH ROW EXECUTE FUNCTION update_last_update_column()"
        )
    op.execute("ALTER TABLE identity_providers ADD COLUMN scim_claim TEXT NOT NULL DEFAULT 'sub'")
    op.execute("ALTER TABLE user_identities ADD COLUMN scim_id VARCHAR(255)")
    op.execute("CREATE INDEX idx_user_identities_scim_id ON user_identities (issuer, scim_id)")


def downgrade() -> None:
    """Remove them; accounts and groups stay."""
    op.execute("ALTER TABLE user_identities DROP COLUMN scim_id")
    op.execute("ALTER TABLE identity_providers DROP COLUMN scim_claim")
    for table in ("scim_groups", "scim_users", "scim_tokens", "scim_clients"):
        op.execute(f"DROP TABLE {table}")
