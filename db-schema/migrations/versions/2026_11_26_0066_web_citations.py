"""Citations of web pages: their address instead of a document.

Revision ID: 0066
"""

from alembic import op

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the address, which belongs to no document."""
    op.execute("ALTER TABLE chat_message_documents ADD COLUMN url TEXT NOT NULL DEFAULT ''")
    op.execute(
        "ALTER TABLE chat_message_documents ADD CONSTRAINT chat_message_documents_url_check"
        " CHECK (url = '' OR document_id IS NULL)"
    )


def downgrade() -> None:
    """Remove the column, and the citations that have nothing else to name their source."""
    op.execute("DELETE FROM chat_message_documents WHERE url <> ''")
    op.execute("ALTER TABLE chat_message_documents DROP COLUMN url")
