"""Shares with people and groups, with or without a link, and quotes in them.

Revision ID: 0062
"""

from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Let shares be without a link, and create the table of the people and groups whom they are for."""
    op.execute("ALTER TABLE session_shares ADD COLUMN shows_quotes BOOLEAN NOT NULL DEFAULT false")
    op.execute("ALTER TABLE session_shares ALTER COLUMN token_hash DROP NOT NULL")
    op.execute(
        "CREATE TABLE session_share_recipients ("
        " id BIGSERIAL PRIMARY KEY,"
        " session_share_id INTEGER NOT NULL REFERENCES session_shares ON DELETE CASCADE,"
        " user_id INTEGER REFERENCES users ON DELETE CASCADE,"
        " group_id INTEGER REFERENCES groups ON DELETE CASCADE,"
        " creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),"
        " CONSTRAINT session_share_recipients_one_check CHECK (num_nonnulls(user_id, group_id) = 1),"
        " UNIQUE (session_share_id, user_id),"
        " UNIQUE (session_share_id, group_id))"
    )
    op.execute(
        "CREATE INDEX idx_session_share_recipients_user_id ON session_share_recipients (user_id, session_share_id)"
        " WHERE user_id IS NOT NULL"
    )
    op.execute(
        "CREATE INDEX idx_session_share_recipients_group_id ON session_share_recipients (group_id, session_share_id)"
        " WHERE group_id IS NOT NULL"
    )


def downgrade() -> None:
    """Remove the table, the column, and the shares that have no link."""
    op.execute("DROP TABLE session_share_recipients")
    op.execute("DELETE FROM session_shares WHERE token_hash IS NULL")
    op.execute("ALTER TABLE session_shares ALTER COLUMN token_hash SET NOT NULL")
    op.execute("ALTER TABLE session_shares DROP COLUMN shows_quotes")
