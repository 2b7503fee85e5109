"""Invitations to create an account, links to choose a password, and what a web session was signed in with.

Revision ID: 0013
"""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

REVOKE = """
    CREATE OR REPLACE FUNCTION revoke_credentials() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE api_keys SET revoked = true WHERE user_id = NEW.id AND NOT revoked;
        DELETE FROM sign_in_tokens WHERE user_id = NEW.id;
        DELETE FROM web_sessions WHERE user_id = NEW.id;{more}
        RETURN NULL;
    END
    $$
"""
INVITATIONS = """
        DELETE FROM invitations WHERE invited_by = NEW.id AND accepted_at IS NULL;"""

UPGRADE = (
    """
    CREATE TABLE invitations (
        id SERIAL PRIMARY KEY,
        token_hash BYTEA NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
        email VARCHAR(255),
        roles TEXT[] NOT NULL DEFAULT '{user}' CHECK (roles <@ ARRAY['user', 'admin', 'superadmin']),
        groups TEXT[] NOT NULL DEFAULT '{}',
        expires_at TIMESTAMPTZ NOT NULL,
        invited_by INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        accepted_at TIMESTAMPTZ,
        accepted_user_id INTEGER REFERENCES users ON DELETE SET NULL,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_update TIMESTAMPTZ,
        user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL
    )
    """,
    "CREATE INDEX idx_invitations_invited_by ON invitations (invited_by)",
    """
    CREATE INDEX idx_invitations_accepted_user_id ON invitations (accepted_user_id)
        WHERE accepted_user_id IS NOT NULL
    """,
    """
    CREATE TRIGGER update_invitations_last_update BEFORE UPDATE ON invitations
        FOR EACH ROW EXECUTE FUNCTION update_last_update_column()
    """,
    REVOKE.format(more=INVITATIONS),
    """
    ALTER TABLE sign_in_tokens ADD COLUMN purpose VARCHAR(20) NOT NULL DEFAULT 'sign_in'
        CHECK (purpose IN ('sign_in', 'password'))
    """,
    "ALTER TABLE web_sessions ADD COLUMN user_agent TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE web_sessions ADD COLUMN address TEXT NOT NULL DEFAULT ''",
)


def upgrade() -> None:
    """Add them."""
    for statement in UPGRADE:
        op.execute(statement)


def downgrade() -> None:
    """Take them away; links to choose a password end."""
    op.execute("DELETE FROM sign_in_tokens WHERE purpose <> 'sign_in'")
    op.execute("ALTER TABLE web_sessions DROP COLUMN user_agent, DROP COLUMN address")
    op.execute("ALTER TABLE sign_in_tokens DROP COLUMN purpose")
    op.execute(REVOKE.format(more=""))
    op.execute("DROP TABLE invitations")
