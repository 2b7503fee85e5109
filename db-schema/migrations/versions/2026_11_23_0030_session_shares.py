"""Share links of sessions, and what superadmins have set for everybody.

Revision ID: 0030
"""

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

_REVOKE = """
    CREATE OR REPLACE FUNCTION revoke_credentials() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE api_keys SET revoked = true WHERE user_id = NEW.id AND NOT revoked;
        DELETE FROM sign_in_tokens WHERE user_id = NEW.id;
        DELETE FROM web_sessions WHERE user_id = NEW.id;
        DELETE FROM invitations WHERE invited_by = NEW.id AND accepted_at IS NULL;{more}
        RETURN NULL;
    END
    $$
"""


def upgrade() -> None:
    """Add the tables; the column that was to hold one link of a session was never written."""
    op.execute("ALTER TABLE chat_sessions DROP COLUMN share_token_hash")
    op.execute(
        """
        CREATE TABLE session_shares (
            id SERIAL PRIMARY KEY,
            chat_session_id INTEGER NOT NULL REFERENCES chat_sessions ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            token_hash BYTEA NOT NULL CHECK (octet_length(token_hash) = 32),
            title TEXT NOT NULL,
            head_message_id BIGINT NOT NULL,
            shared_at TIMESTAMPTZ NOT NULL DEFAULT now(),
            expires_at TIMESTAMPTZ NOT NULL,
            revoked_at TIMESTAMPTZ,
            last_access_at TIMESTAMPTZ,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            last_update TIMESTAMPTZ,
            user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL,
            UNIQUE (token_hash)
        )
        """
    )
    op.execute("CREATE INDEX idx_session_shares_user_id ON session_shares (user_id, id) WHERE revoked_at IS NULL")
    op.execute("CREATE INDEX idx_session_shares_chat_session_id ON session_shares (chat_session_id)")
    op.execute(
        """
        CREATE TRIGGER update_session_shares_last_update BEFORE UPDATE ON session_shares
            FOR EACH ROW EXECUTE FUNCTION update_last_update_column()
        """
    )
    op.execute(
        _REVOKE.format(
            more="\n        UPDATE session_shares SET revoked_at = now() WHERE user_id = NEW.id AND revoked_at IS NULL;"
        )
    )
    op.execute(
        """
        CREATE TABLE installation_settings (
            id BOOLEAN PRIMARY KEY DEFAULT true CHECK (id),
            link_sharing VARCHAR(20) NOT NULL DEFAULT 'anyone'
                CHECK (link_sharing IN ('anyone', 'signed_in', 'nobody')),
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            last_update TIMESTAMPTZ,
            user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL
        )
        """
    )
    op.execute("INSERT INTO installation_settings DEFAULT VALUES")
    op.execute(
        """
        CREATE TRIGGER update_installation_settings_last_update BEFORE UPDATE ON installation_settings
            FOR EACH ROW EXECUTE FUNCTION update_last_update_column()
        """
    )


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TABLE installation_settings")
    op.execute(_REVOKE.format(more=""))
    op.execute("DROP TABLE session_shares")
    op.execute(
        "ALTER TABLE chat_sessions ADD COLUMN share_token_hash BYTEA CHECK (octet_length(share_token_hash) = 32)"
    )
    op.execute(
        """
        CREATE UNIQUE INDEX idx_chat_sessions_share_token_hash ON chat_sessions (share_token_hash)
            WHERE share_token_hash IS NOT NULL
        """
    )
