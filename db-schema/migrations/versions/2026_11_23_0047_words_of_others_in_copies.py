"""Words of others in copies that were made before messages had authors.

Revision ID: 0047
"""

from alembic import op

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

_OF_COPIES = """
UPDATE chat_messages SET author_kind = 'unknown', author_id = NULL
FROM (
    SELECT DISTINCT ON (parent_message_id) parent_message_id, coalesce(run_id, origin_run_id) AS run_id
    FROM chat_messages WHERE role = 'assistant' AND parent_message_id IS NOT NULL
    ORDER BY parent_message_id, id
) first_answer
WHERE first_answer.parent_message_id = chat_messages.id AND first_answer.run_id IS NULL
    AND chat_messages.role = 'user' AND chat_messages.author_kind = 'person'
"""
"""A question whose first answer is of no run was copied, and whoever had it answered again need not have written it."""

_MARK = """
UPDATE chat_sessions SET context = context || '{"untrusted": true}'
WHERE NOT jsonb_exists(context, 'untrusted') AND EXISTS (
    SELECT 1 FROM chat_messages
    WHERE chat_messages.chat_session_id = chat_sessions.id AND role = 'user' AND author_kind IN ('foreign', 'unknown')
)
"""


def upgrade() -> None:
    """Take back what cannot be known, and mark the sessions that hold words of others."""
    for table, statement in (("chat_messages", _OF_COPIES), ("chat_sessions", _MARK)):
        # That it became known is no change of theirs.
        op.execute(f"ALTER TABLE {table} DISABLE TRIGGER update_{table}_last_update")
        op.execute(statement)
        op.execute(f"ALTER TABLE {table} ENABLE TRIGGER update_{table}_last_update")


def downgrade() -> None:
    """Leave the marks, which are right without the migration, too."""
