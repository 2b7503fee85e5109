"""Sign-in at OpenID providers: identities of accounts, and sign-ins that have begun.

Revision ID: 0052
"""

from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables; web sessions name the identity that they were begun with."""
    op.execute(
        "CREATE TABLE user_identities ("
        " id SERIAL PRIMARY KEY,"
        " user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,"
        " issuer TEXT NOT NULL,"
        " subject VARCHAR(255) NOT NULL,"
        " groups TEXT[] NOT NULL DEFAULT '{}',"
        " roles TEXT[] NOT NULL DEFAULT '{}',"
        " creation_date TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now())"
    )
    op.execute("CREATE UNIQUE INDEX idx_user_identities_subject ON user_identities (issuer, subject)")
    op.execute("CREATE INDEX idx_user_identities_user_id ON user_identities (user_id)")
    op.execute(
        "ALTER TABLE web_sessions ADD COLUMN identity_id INTEGER REFERENCES user_identities (id) ON DELETE CASCADE"
    )
    op.execute("CREATE INDEX idx_web_sessions_identity_id ON web_sessions (identity_id) WHERE identity_id IS NOT NULL")
    op.execute(
        "CREATE TABLE sign_in_attempts ("
        " id BIGSERIAL PRIMARY KEY,"
        " provider VARCHAR(40) NOT NULL,"
        " state_hash BYTEA NOT NULL UNIQUE,"
        " browser_hash BYTEA NOT NULL,"
        " nonce TEXT NOT NULL,"
        " encrypted_verifier TEXT NOT NULL,"
        " redirect_uri TEXT NOT NULL,"
        " return_path TEXT NOT NULL,"
        " web_session_id BIGINT REFERENCES web_sessions (id) ON DELETE SET NULL,"
        " expires_at TIMESTAMP WITH TIME ZONE NOT NULL,"
        " creation_date TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT now(),"
        " CONSTRAINT sign_in_attempts_state_hash_check CHECK (octet_length(state_hash) = 32),"
        " CONSTRAINT sign_in_attempts_browser_hash_check CHECK (octet_length(browser_hash) = 32))"
    )
    op.execute(
        "CREATE INDEX idx_sign_in_attempts_web_session_id ON sign_in_attempts (web_session_id)"
        " WHERE web_session_id IS NOT NULL"
    )
    op.execute("CREATE INDEX idx_sign_in_attempts_expires_at ON sign_in_attempts (expires_at)")


def downgrade() -> None:
    """Remove the tables and the column."""
    op.execute("DROP TABLE sign_in_attempts")
    op.execute("ALTER TABLE web_sessions DROP COLUMN identity_id")
    op.execute("DROP TABLE user_identities")
