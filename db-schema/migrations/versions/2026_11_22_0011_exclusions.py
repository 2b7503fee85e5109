"""Events of messages and steps that are excluded from prompts say so in the contract's present word.

Revision ID: 0011
"""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Say that they are excluded, not discarded."""
    op.execute(
        """
        UPDATE run_events SET payload = jsonb_set(payload, '{sessionChanged,change}', '"SESSION_CHANGE_EXCLUDED"')
        WHERE payload #>> '{sessionChanged,change}' = 'SESSION_CHANGE_DISCARDED'
        """
    )


def downgrade() -> None:
    """Put the word of before back."""
    op.execute(
        """
        UPDATE run_events SET payload = jsonb_set(payload, '{sessionChanged,change}', '"SESSION_CHANGE_DISCARDED"')
        WHERE payload #>> '{sessionChanged,change}' = 'SESSION_CHANGE_EXCLUDED'
        """
    )
