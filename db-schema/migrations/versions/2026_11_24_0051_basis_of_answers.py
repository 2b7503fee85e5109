"""What an answer stands on.

Revision ID: 0051
"""

from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; answers with text get what their citations and calls say."""
    op.execute(
        "ALTER TABLE chat_messages ADD COLUMN basis VARCHAR(20),"
        " ADD CONSTRAINT chat_messages_basis_check"
        " CHECK (basis IN ('sources', 'no_source_found', 'model_only', 'other'))"
    )
    # That it was noted is no change of theirs.
    op.execute("ALTER TABLE chat_messages DISABLE TRIGGER update_chat_messages_last_update")
    op.execute(
        "UPDATE chat_messages SET basis = CASE"
        " WHEN EXISTS (SELECT FROM chat_message_documents WHERE chat_message_id = chat_messages.id) THEN 'sources'"
        """ WHEN tool_calls @? '$[*].toolName ? (@ like_regex "__|^(fetch_web_page|search_(knowledge|memory))$")'"""
        " THEN 'other'"
        """ WHEN tool_calls @> '[{"toolName": "search_documents"}]' THEN 'no_source_found'"""
        " ELSE 'model_only' END"
        " WHERE role = 'assistant' AND status <> 'streaming' AND btrim(content) <> ''"
    )
    op.execute("ALTER TABLE chat_messages ENABLE TRIGGER update_chat_messages_last_update")


def downgrade() -> None:
    """Remove the column."""
    op.execute("ALTER TABLE chat_messages DROP COLUMN basis")
