"""What a program gives with its question, in a column of its own: it may be longer than a run's pointers.

Revision ID: 0061
"""

from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column, and move what `state` has of it."""
    op.execute("ALTER TABLE runs ADD COLUMN caller JSONB")
    op.execute("UPDATE runs SET caller = state -> 'caller', state = state - 'caller' WHERE state ? 'caller'")


def downgrade() -> None:
    """Move what fits back to `state`, and remove the column: longer messages of programs are lost."""
    op.execute(
        "UPDATE runs SET state = state || jsonb_build_object('caller', caller)"
        " WHERE caller IS NOT NULL"
        " AND octet_length((state || jsonb_build_object('caller', caller))::text) <= 8192"
    )
    op.execute("ALTER TABLE runs DROP COLUMN caller")
