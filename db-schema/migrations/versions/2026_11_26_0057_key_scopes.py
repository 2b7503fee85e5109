"""Scopes of API keys: read, ask, ingest and manage, beside administer.

Revision ID: 0057
"""

from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Give the existing keys the scopes of what they may do already."""
    op.execute("ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check")
    op.execute("UPDATE api_keys SET scopes = ARRAY['read', 'ask', 'ingest', 'manage'] || scopes")
    op.execute("ALTER TABLE api_keys ALTER COLUMN scopes SET DEFAULT '{read,ask,ingest,manage}'")
    op.execute(
        "ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes_check CHECK"
        " (scopes <@ ARRAY['read', 'ask', 'ingest', 'manage', 'administer'] AND scopes <> '{}')"
    )


def downgrade() -> None:
    """Revoke the keys that would be able to do more than before, and forget the scopes but administer."""
    op.execute("ALTER TABLE api_keys DROP CONSTRAINT api_keys_scopes_check")
    op.execute(
        "UPDATE api_keys SET revoked = true"
        " WHERE NOT scopes @> ARRAY['read', 'ask', 'ingest', 'manage'] AND NOT revoked"
    )
    op.execute(
        "UPDATE api_keys SET scopes ="
        " CASE WHEN 'administer' = ANY (scopes) THEN ARRAY['administer'] ELSE ARRAY[]::text[] END"
    )
    op.execute("ALTER TABLE api_keys ALTER COLUMN scopes SET DEFAULT '{}'")
    op.execute("ALTER TABLE api_keys ADD CONSTRAINT api_keys_scopes_check CHECK (scopes <@ ARRAY['administer'])")
