"""Lists of documents by title and by size.

Revision ID: 0019
"""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Index what lists are sorted by."""
    op.execute("CREATE INDEX idx_documents_title ON documents (lower(title), id) WHERE deleted_date IS NULL")
    op.execute("CREATE INDEX idx_documents_size ON documents (COALESCE(size_bytes, 0), id) WHERE deleted_date IS NULL")


def downgrade() -> None:
    """Remove the indexes."""
    op.execute("DROP INDEX idx_documents_title, idx_documents_size")
