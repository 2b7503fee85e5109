"""Groups as members of notebooks.

Revision ID: 0063
"""

from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.execute(
        """
        CREATE TABLE notebook_groups (
            notebook_id BIGINT NOT NULL REFERENCES notebooks ON DELETE CASCADE,
            group_id INTEGER NOT NULL REFERENCES groups ON DELETE CASCADE,
            role VARCHAR(20) NOT NULL CONSTRAINT notebook_groups_role_check CHECK (role IN ('editor', 'viewer')),
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            PRIMARY KEY (notebook_id, group_id)
        )
        """
    )
    op.execute("CREATE INDEX idx_notebook_groups_group_id ON notebook_groups (group_id)")


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP TABLE notebook_groups")
