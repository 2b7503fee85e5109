"""Local accounts can be turned off.

Revision ID: 0073
"""

from alembic import op

revision = "0073"
down_revision = "0072"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the setting."""
    op.execute("ALTER TABLE installation_settings ADD COLUMN local_accounts BOOLEAN NOT NULL DEFAULT true")


def downgrade() -> None:
    """Remove it; passwords work again."""
    op.execute("ALTER TABLE installation_settings DROP COLUMN local_accounts")
