"""Citations whose sentence a model has compared with the source, after the check of words.

Revision ID: 0089
"""

from alembic import op

revision = "0089"
down_revision = "0088"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; words alone were compared before."""
    op.execute("ALTER TABLE chat_message_documents ADD COLUMN verified BOOLEAN NOT NULL DEFAULT false")


def downgrade() -> None:
    """Remove the column."""
    op.execute("ALTER TABLE chat_message_documents DROP COLUMN verified")
