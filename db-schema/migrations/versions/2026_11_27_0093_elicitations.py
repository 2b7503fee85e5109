"""What MCP servers ask people during a tool call, and what they answered.

Revision ID: 0093
"""

from alembic import op

revision = "0093"
down_revision = "0092"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; no call has asked before."""
    op.execute("ALTER TABLE tool_calls ADD COLUMN elicitation JSONB")


def downgrade() -> None:
    """Remove the column; runs that wait for such an answer get the failure of their call."""
    op.execute("ALTER TABLE tool_calls DROP COLUMN elicitation")
