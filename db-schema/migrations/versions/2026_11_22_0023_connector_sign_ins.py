"""Sign-ins of people at Google and Microsoft, which connect a connector with their account.

Revision ID: 0023
"""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and the table."""
    op.execute("ALTER TABLE connectors ADD COLUMN connected_account VARCHAR(255)")
    op.execute(
        """
        CREATE TABLE connector_sign_ins (
            id BIGSERIAL PRIMARY KEY,
            connector_id INTEGER NOT NULL REFERENCES connectors ON DELETE CASCADE,
            web_session_id BIGINT NOT NULL REFERENCES web_sessions ON DELETE CASCADE,
            state_hash BYTEA NOT NULL UNIQUE CHECK (octet_length(state_hash) = 32),
            encrypted_verifier TEXT NOT NULL,
            redirect_uri TEXT NOT NULL,
            expires_at TIMESTAMPTZ NOT NULL,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now()
        )
        """
    )
    for column in ("connector_id", "web_session_id", "expires_at"):
        op.execute(f"CREATE INDEX idx_connector_sign_ins_{column} ON connector_sign_ins ({column})")


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TABLE connector_sign_ins")
    op.execute("ALTER TABLE connectors DROP COLUMN connected_account")
