"""API keys for some assistants or connectors only, and the conversations that begin with them.

Revision ID: 0075
"""

from alembic import op

revision = "0075"
down_revision = "0074"
branch_labels = None
depends_on = None

_KEYS = (
    "ALTER TABLE api_keys"
    " ADD COLUMN assistant_ids INTEGER[] NOT NULL DEFAULT '{}',"
    " ADD COLUMN connector_ids INTEGER[] NOT NULL DEFAULT '{}',"
    " ADD CONSTRAINT api_keys_limits_check CHECK ("
    "  NOT 'administer' = ANY (scopes) OR (assistant_ids = '{}' AND connector_ids = '{}'))"
)
_SESSIONS = (
    "ALTER TABLE chat_sessions"
    " ADD COLUMN limited_by INTEGER REFERENCES api_keys ON DELETE CASCADE,"
    " ADD COLUMN limited_assistants INTEGER[],"
    " ADD COLUMN limited_connectors INTEGER[],"
    " ADD CONSTRAINT chat_sessions_limits_check CHECK ("
    "  (limited_by IS NULL) = (limited_assistants IS NULL AND limited_connectors IS NULL))"
)
_INDEX = "CREATE INDEX idx_chat_sessions_limited_by ON chat_sessions (limited_by) WHERE limited_by IS NOT NULL"


def upgrade() -> None:
    """Add the limits; the keys and conversations that there are have none."""
    for statement in (_KEYS, _SESSIONS, _INDEX):
        op.execute(statement)


def downgrade() -> None:
    """Revoke the keys that have limits, as nothing would check them, and remove the columns."""
    op.execute("UPDATE api_keys SET revoked = TRUE WHERE assistant_ids <> '{}' OR connector_ids <> '{}'")
    op.execute(
        "ALTER TABLE chat_sessions DROP COLUMN limited_by, DROP COLUMN limited_assistants,"
        " DROP COLUMN limited_connectors"
    )
    op.execute("ALTER TABLE api_keys DROP COLUMN assistant_ids, DROP COLUMN connector_ids")
