"""How often a document's processing was begun.

Revision ID: 0006
"""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it; attempts before are not known and count as none."""
    op.execute(
        "ALTER TABLE documents ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0,"
        " ADD CONSTRAINT documents_attempts_check CHECK (attempts >= 0)"
    )


def downgrade() -> None:
    """Drop it."""
    op.execute("ALTER TABLE documents DROP COLUMN attempts")
