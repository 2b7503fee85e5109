"""Who made the last change of a memory, and when; using one is no change.

Revision ID: 0096
"""

from alembic import op

revision = "0096"
down_revision = "0094"
branch_labels = None
depends_on = None

_TRIGGER = (
    "CREATE TRIGGER update_agent_memories_last_update BEFORE UPDATE{columns} ON agent_memories"
    " FOR EACH ROW EXECUTE FUNCTION update_last_update_column()"
)
_CHANGED = (
    " OF memory_type, content, importance_score, confidence, trust, source_message_ids, expires_at, valid_to,"
    " superseded_by, user_id_last_update"
)
_DROP = "DROP TRIGGER update_agent_memories_last_update ON agent_memories"


def upgrade() -> None:
    """Forget the user where nothing tells whether they made the last change: each stored memory had named them."""
    op.execute(_DROP)
    op.execute("UPDATE agent_memories SET user_id_last_update = NULL")
    op.execute(_TRIGGER.format(columns=_CHANGED))


def downgrade() -> None:
    """Let every use count as a change again, and name the user of each memory."""
    op.execute(_DROP)
    op.execute("UPDATE agent_memories SET user_id_last_update = user_id")
    op.execute(_TRIGGER.format(columns=""))
