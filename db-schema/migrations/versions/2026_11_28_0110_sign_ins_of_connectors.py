"""A connector's sign-in is that of a person, for the settings that this person saw.

Revision ID: 0110
"""

from alembic import op

revision = "0110"
down_revision = "0100"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. Of earlier sign-ins nobody knows who signed in, and a sign-in under way begins again."""
    op.execute("ALTER TABLE connectors ADD COLUMN signed_in_by INTEGER REFERENCES users ON DELETE SET NULL")
    check = "CONSTRAINT connector_sign_ins_settings_hash_check CHECK (octet_length(settings_hash) = 32)"
    op.execute(f"ALTER TABLE connector_sign_ins ADD COLUMN settings_hash BYTEA {check}")


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE connector_sign_ins DROP COLUMN settings_hash")
    op.execute("ALTER TABLE connectors DROP COLUMN signed_in_by")
