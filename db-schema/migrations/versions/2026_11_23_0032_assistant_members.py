"""Members of assistants, and when a run's model began to answer.

Revision ID: 0032
"""

from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create `assistant_members`, and add `runs.time_to_first_token_ms`."""
    op.execute(
        """
        CREATE TABLE assistant_members (
            assistant_id SMALLINT NOT NULL REFERENCES assistants ON DELETE CASCADE,
            member_id SMALLINT NOT NULL REFERENCES assistants ON DELETE CASCADE,
            role TEXT NOT NULL DEFAULT '',
            position INTEGER NOT NULL,
            version INTEGER,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            PRIMARY KEY (assistant_id, member_id),
            CONSTRAINT assistant_members_member_id_check CHECK (member_id <> assistant_id),
            CONSTRAINT assistant_members_position_check CHECK (position >= 1),
            CONSTRAINT assistant_members_version_check CHECK (version >= 1)
        )
        """
    )
    op.execute("CREATE INDEX idx_assistant_members_member_id ON assistant_members (member_id)")
    op.execute(
        "ALTER TABLE runs ADD COLUMN time_to_first_token_ms INTEGER"
        " CONSTRAINT runs_time_to_first_token_ms_check CHECK (time_to_first_token_ms >= 0)"
    )


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE runs DROP COLUMN time_to_first_token_ms")
    op.execute("DROP TABLE assistant_members")
