"""The failed run that an entity of knowledge is a lesson from.

Revision ID: 0039
"""

from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column and its index."""
    op.execute("ALTER TABLE knowledge_entities ADD COLUMN source_run_id UUID REFERENCES runs ON DELETE SET NULL")
    op.execute("CREATE INDEX idx_knowledge_run ON knowledge_entities (source_run_id) WHERE source_run_id IS NOT NULL")


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE knowledge_entities DROP COLUMN source_run_id")
