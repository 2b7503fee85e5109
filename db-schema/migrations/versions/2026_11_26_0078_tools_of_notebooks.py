"""Tools that notebooks allow besides their sources, and the ones that an answer has used.

Revision ID: 0078
"""

from alembic import op

revision = "0078"
down_revision = "0077"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns."""
    op.execute("ALTER TABLE notebooks ADD COLUMN tools TEXT[] NOT NULL DEFAULT '{}'")
    op.execute("ALTER TABLE chat_messages ADD COLUMN other_tools TEXT[] NOT NULL DEFAULT '{}'")


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE chat_messages DROP COLUMN other_tools")
    op.execute("ALTER TABLE notebooks DROP COLUMN tools")
