"""Accounts without an e-mail address.

Revision ID: 0071
"""

from alembic import op

revision = "0071"
down_revision = "0070"
branch_labels = None
depends_on = None

_TRIGGER = """
    CREATE TRIGGER unverify_email BEFORE UPDATE OF email ON users FOR EACH ROW
    WHEN ({condition}) EXECUTE FUNCTION unverify_email()
"""


def upgrade() -> None:
    """Allow NULL; an address that is removed is no longer verified."""
    op.execute("ALTER TABLE users ALTER COLUMN email DROP NOT NULL")
    op.execute("ALTER TABLE users ADD CONSTRAINT users_email_check CHECK (email <> '')")
    op.execute("DROP TRIGGER unverify_email ON users")
    op.execute(_TRIGGER.format(condition="lower(OLD.email) IS DISTINCT FROM lower(NEW.email)"))


def downgrade() -> None:
    """Give each account without an address one that nobody has."""
    op.execute("UPDATE users SET email = 'user-' || id || '@localhost.invalid' WHERE email IS NULL")
    op.execute("DROP TRIGGER unverify_email ON users")
    op.execute(_TRIGGER.format(condition="lower(OLD.email) <> lower(NEW.email)"))
    op.execute("ALTER TABLE users DROP CONSTRAINT users_email_check")
    op.execute("ALTER TABLE users ALTER COLUMN email SET NOT NULL")
