"""Erasures of people are continued by any process after an interruption, unless the account is activated again.

Those that were interrupted before have no attempt: they are continued when somebody asks for them again.

Revision ID: 0099
"""

from alembic import op

revision = "0099"
down_revision = "0098"
branch_labels = None
depends_on = None

FUNCTION = """
    CREATE FUNCTION cancel_erasures() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        UPDATE erasures SET attempted_at = NULL, error = NULL WHERE erased_user_id = NEW.id AND completed_at IS NULL;
        RETURN NULL;
    END
    $$
"""

TRIGGER = """
    CREATE TRIGGER cancel_erasures AFTER UPDATE OF is_active ON users
        FOR EACH ROW WHEN (NEW.is_active AND NOT OLD.is_active) EXECUTE FUNCTION cancel_erasures()
"""


def upgrade() -> None:
    """Add the columns, and the trigger that ends the erasure of an account that is activated."""
    op.execute("ALTER TABLE erasures ADD COLUMN attempted_at TIMESTAMPTZ, ADD COLUMN error TEXT")
    op.execute("CREATE INDEX idx_erasures_unfinished ON erasures (id) WHERE completed_at IS NULL")
    op.execute(FUNCTION)
    op.execute(TRIGGER)


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TRIGGER cancel_erasures ON users")
    op.execute("DROP FUNCTION cancel_erasures()")
    op.execute("DROP INDEX idx_erasures_unfinished")
    op.execute("ALTER TABLE erasures DROP COLUMN attempted_at, DROP COLUMN error")
