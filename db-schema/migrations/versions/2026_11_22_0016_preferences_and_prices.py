"""Type what people prefer, and let chat models have prices of their own.

Of the free map of preferences only the assistant of new conversations had a meaning.
"""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Spell preferences as the contract does, and add the columns of prices."""
    op.execute(
        """
        UPDATE users SET preferences = CASE
            WHEN jsonb_typeof(preferences -> 'default_assistant_id') = 'number'
            THEN jsonb_build_object('defaultAssistantId', preferences -> 'default_assistant_id')
            ELSE '{}'::jsonb END
        WHERE preferences <> '{}'
        """
    )
    op.execute(
        """
        ALTER TABLE llms
            ADD COLUMN input_price NUMERIC(12, 6),
            ADD COLUMN output_price NUMERIC(12, 6),
            ADD CONSTRAINT llms_input_price_check CHECK (input_price >= 0),
            ADD CONSTRAINT llms_output_price_check CHECK (output_price >= 0),
            ADD CONSTRAINT llms_prices_check CHECK ((input_price IS NULL) = (output_price IS NULL))
        """
    )


def downgrade() -> None:
    """Put the free map back, and take the prices away."""
    op.execute("ALTER TABLE llms DROP COLUMN input_price, DROP COLUMN output_price")
    op.execute(
        """
        UPDATE users SET preferences = jsonb_strip_nulls(
            jsonb_build_object('default_assistant_id', preferences -> 'defaultAssistantId'))
        """
    )
