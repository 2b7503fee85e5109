"""Search of documents by words of their names.

Revision ID: 0024
"""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Index names by their trigrams, so that words that no name has are not looked for in all of them."""
    op.execute(
        "CREATE INDEX idx_documents_name ON documents"
        " USING gin (lower(title || ' ' || source_id) gin_trgm_ops) WHERE deleted_date IS NULL"
    )
    # Of a word that many names have, the newest documents are read in their order: this tells the planner which ones.
    op.execute("CREATE STATISTICS documents_name ON (lower(title || ' ' || source_id)) FROM documents")


def downgrade() -> None:
    """Remove index and statistics."""
    op.execute("DROP STATISTICS documents_name")
    op.execute("DROP INDEX idx_documents_name")
