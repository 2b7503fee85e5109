"""Rotation of API keys: the earlier secret works until the overlap is over.

Revision ID: 0059
"""

from alembic import op

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns of the earlier secret."""
    op.execute(
        "ALTER TABLE api_keys"
        " ADD COLUMN previous_sha256 BYTEA,"
        " ADD COLUMN previous_expires_at TIMESTAMP WITH TIME ZONE,"
        " ADD COLUMN previous_used_at TIMESTAMP WITH TIME ZONE,"
        " ADD CONSTRAINT api_keys_previous_check CHECK ("
        "octet_length(previous_sha256) = 32 AND (previous_sha256 IS NULL) = (previous_expires_at IS NULL)"
        " AND (previous_used_at IS NULL OR previous_sha256 IS NOT NULL))"
    )


def downgrade() -> None:
    """Remove them: earlier secrets stop."""
    op.execute(
        "ALTER TABLE api_keys"
        " DROP COLUMN previous_sha256, DROP COLUMN previous_expires_at, DROP COLUMN previous_used_at"
    )
