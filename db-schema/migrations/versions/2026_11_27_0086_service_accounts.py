"""Let groups own accounts of programs, which nobody can sign in to.

Revision ID: 0086
"""

from alembic import op

revision = "0086"
down_revision = "0085"
branch_labels = None
depends_on = None

_SIGN_INS = (
    "credentials",
    "sign_in_tokens",
    "web_sessions",
    "user_identities",
    "device_sign_ins",
    "scim_users",
    "group_admins",
)


def upgrade() -> None:
    """Add the columns, and the trigger that keeps sign-ins away from these accounts."""
    op.execute(
        """
        ALTER TABLE users
            ADD COLUMN kind VARCHAR(20) NOT NULL DEFAULT 'person',
            ADD COLUMN purpose TEXT NOT NULL DEFAULT '',
            ADD COLUMN owner_group_id INTEGER REFERENCES groups (id),
            ADD COLUMN created_by INTEGER REFERENCES users (id) ON DELETE SET NULL,
            ADD CONSTRAINT users_kind_check CHECK (kind IN ('person', 'service')),
            ADD CONSTRAINT users_owner_group_id_check CHECK ((kind = 'service') = (owner_group_id IS NOT NULL)),
            ADD CONSTRAINT users_service_check CHECK (
                kind = 'person' OR (email IS NULL AND external_id IS NULL AND NOT 'superadmin' = ANY (roles))
            )
        """
    )
    op.execute("CREATE INDEX idx_users_owner_group_id ON users (owner_group_id) WHERE owner_group_id IS NOT NULL")
    op.execute("CREATE INDEX idx_users_created_by ON users (created_by) WHERE created_by IS NOT NULL")
    op.execute(
        """
        CREATE FUNCTION refuse_service_account() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            IF EXISTS (SELECT FROM users WHERE id = NEW.user_id AND kind = 'service') THEN
                RAISE EXCEPTION 'account % is a service account, which has API keys alone', NEW.user_id
                    USING ERRCODE = 'check_violation', CONSTRAINT = 'refuse_service_account';
            END IF;
            RETURN NEW;
        END
        $$
        """
    )
    for table in _SIGN_INS:
        op.execute(
            f"CREATE TRIGGER refuse_service_account BEFORE INSERT OR UPDATE OF user_id ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION refuse_service_account()"
        )


def downgrade() -> None:
    """Remove the columns; the accounts of programs stay as deactivated ones."""
    for table in _SIGN_INS:
        op.execute(f"DROP TRIGGER refuse_service_account ON {table}")
    op.execute("DROP FUNCTION refuse_service_account()")
    op.execute("UPDATE users SET is_active = false WHERE kind = 'service'")
    op.execute(
        "ALTER TABLE users DROP COLUMN kind, DROP COLUMN purpose, DROP COLUMN owner_group_id, DROP COLUMN created_by"
    )
