"""Rules for what is deleted because of its age, which superadmins set.

Revision ID: 0087
"""

from alembic import op

revision = "0087"
down_revision = "0086"
branch_labels = None
depends_on = None

_STATEMENTS = (
    """
    CREATE TABLE retention_rules (
        data VARCHAR(30) PRIMARY KEY,
        days INTEGER NOT NULL,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_update TIMESTAMPTZ,
        user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL,
        CONSTRAINT retention_rules_data_check CHECK (data IN ('chat_sessions', 'removed_chat_sessions',
            'unlisted_chat_sessions', 'run_steps', 'run_events', 'audit_entries', 'webhook_deliveries')),
        CONSTRAINT retention_rules_days_check CHECK (days BETWEEN 0 AND 36500)
    )
    """,
    """
    CREATE TRIGGER update_retention_rules_last_update BEFORE UPDATE ON retention_rules
    FOR EACH ROW EXECUTE FUNCTION update_last_update_column()
    """,
)


def upgrade() -> None:
    """Add the table."""
    for statement in _STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP TABLE retention_rules")
