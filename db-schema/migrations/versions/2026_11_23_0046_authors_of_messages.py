"""Who wrote a message.

Revision ID: 0046
"""

from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None

_ASKED_BY = """
UPDATE chat_messages SET author_id = asked.user_id,
    author_kind = CASE WHEN asked.is_own THEN 'person' ELSE 'foreign' END
FROM (
    SELECT DISTINCT ON (question.id) question.id, run.user_id, run.user_id = session.user_id AS is_own
    FROM chat_messages question
    JOIN chat_sessions session ON session.id = question.chat_session_id
    JOIN chat_messages answer ON answer.parent_message_id = question.id
    JOIN runs run ON run.id = coalesce(answer.run_id, answer.origin_run_id)
    WHERE question.role = 'user'
    ORDER BY question.id, answer.id
) asked
WHERE asked.id = chat_messages.id
"""
"""A question was asked by whoever had it answered: the run of its answer, or of the one that was copied."""

_OF_OWNERS = """
UPDATE chat_messages SET author_kind = 'person', author_id = session.user_id
FROM chat_sessions session
WHERE session.id = chat_messages.chat_session_id AND chat_messages.role = 'user' AND author_kind = 'unknown'
    AND session.parent_session_id IS NULL AND session.forked_from_message_id IS NULL
    AND EXISTS (
        SELECT 1 FROM chat_messages written WHERE written.chat_session_id = session.id AND written.run_id IS NOT NULL
    )
    AND NOT EXISTS (
        SELECT 1 FROM chat_messages copied
        WHERE copied.chat_session_id = session.id AND copied.role = 'assistant' AND copied.run_id IS NULL
    )
"""
"""Only the owner writes in a session. A copy of a shared one names no origin, but it has answers that are of no run."""


def upgrade() -> None:
    """Add the columns, and what can be known of stored messages."""
    op.execute(
        "ALTER TABLE chat_messages ADD COLUMN author_kind VARCHAR(20) NOT NULL DEFAULT 'unknown',"
        " ADD COLUMN author_id INTEGER,"
        " ADD CONSTRAINT chat_messages_author_kind_check"
        " CHECK (author_kind IN ('person', 'assistant', 'foreign', 'unknown')),"
        " ADD CONSTRAINT chat_messages_author_id_check CHECK (author_kind <> 'person' OR author_id IS NOT NULL)"
    )
    # That it became known is no change of theirs.
    op.execute("ALTER TABLE chat_messages DISABLE TRIGGER update_chat_messages_last_update")
    op.execute("UPDATE chat_messages SET author_kind = 'assistant' WHERE role = 'assistant'")
    op.execute(_ASKED_BY)
    op.execute(_OF_OWNERS)
    op.execute("ALTER TABLE chat_messages ENABLE TRIGGER update_chat_messages_last_update")


def downgrade() -> None:
    """Remove the columns."""
    op.execute("ALTER TABLE chat_messages DROP COLUMN author_kind, DROP COLUMN author_id")
