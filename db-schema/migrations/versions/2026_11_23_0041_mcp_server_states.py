"""How agents last fared with the MCP servers of assistants.

Revision ID: 0041
"""

from alembic import op

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.execute(
        """
        CREATE TABLE mcp_server_states (
            assistant_id SMALLINT NOT NULL REFERENCES assistants (id) ON DELETE CASCADE,
            server_name VARCHAR(100) NOT NULL,
            reached_at TIMESTAMPTZ,
            failed_at TIMESTAMPTZ,
            error TEXT NOT NULL DEFAULT '',
            PRIMARY KEY (assistant_id, server_name)
        )
        """
    )


def downgrade() -> None:
    """Drop it."""
    op.execute("DROP TABLE mcp_server_states")
