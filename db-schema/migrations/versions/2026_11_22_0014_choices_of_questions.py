"""What a question is asked with: documents, a model; and when a person decided on a tool call.

Revision ID: 0014
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns; questions of before have no documents, and their runs no requested model."""
    op.add_column(
        "chat_messages", sa.Column("document_ids", sa.ARRAY(sa.BigInteger), server_default="{}", nullable=False)
    )
    op.add_column("runs", sa.Column("requested_llm_id", sa.SmallInteger, sa.ForeignKey("llms.id")))
    op.add_column("tool_calls", sa.Column("decision_date", sa.TIMESTAMP(timezone=True)))


def downgrade() -> None:
    """Remove the columns."""
    op.drop_column("tool_calls", "decision_date")
    op.drop_column("runs", "requested_llm_id")
    op.drop_column("chat_messages", "document_ids")
