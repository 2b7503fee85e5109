"""What the answer of a note stands on.

Revision ID: 0080
"""

from alembic import op

revision = "0080"
down_revision = "0079"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, with the values of answers that are still there."""
    op.execute(
        "ALTER TABLE notebook_notes ADD COLUMN basis VARCHAR(20), ADD COLUMN other_tools TEXT[] NOT NULL DEFAULT '{}',"
        " ADD CONSTRAINT notebook_notes_basis_check"
        " CHECK (basis IN ('sources', 'no_source_found', 'model_only', 'other'))"
    )
    op.execute(
        "UPDATE notebook_notes AS n SET basis = m.basis, other_tools = m.other_tools"
        " FROM chat_messages AS m WHERE m.id = n.message_id"
    )


def downgrade() -> None:
    """Remove them."""
    op.execute("ALTER TABLE notebook_notes DROP COLUMN other_tools, DROP COLUMN basis")
