"""Sign-ins of devices by a code.

Revision ID: 0076
"""

from alembic import op

revision = "0076"
down_revision = "0075"
branch_labels = None
depends_on = None

_SIGN_INS = """
    CREATE TABLE device_sign_ins (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        device_code_hash BYTEA NOT NULL UNIQUE,
        user_code_hash BYTEA NOT NULL UNIQUE,
        client_name TEXT NOT NULL,
        address TEXT NOT NULL,
        network TEXT NOT NULL,
        scopes TEXT[] NOT NULL,
        days INTEGER NOT NULL,
        interval_seconds INTEGER NOT NULL,
        expires_at TIMESTAMPTZ NOT NULL,
        polled_at TIMESTAMPTZ,
        approved BOOLEAN,
        user_id INTEGER REFERENCES users ON DELETE CASCADE,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        CONSTRAINT device_sign_ins_codes_check CHECK (
            octet_length(device_code_hash) = 32 AND octet_length(user_code_hash) = 32),
        CONSTRAINT device_sign_ins_approved_check CHECK ((approved IS NULL) = (user_id IS NULL))
    )
"""
_FAILURES = """
    CREATE TABLE device_code_failures (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now()
    )
"""


def upgrade() -> None:
    """Add the tables."""
    op.execute(_SIGN_INS)
    op.execute("CREATE INDEX idx_device_sign_ins_user_id ON device_sign_ins (user_id)")
    op.execute(_FAILURES)
    op.execute("CREATE INDEX idx_device_code_failures_user_id ON device_code_failures (user_id)")


def downgrade() -> None:
    """Remove the tables; devices start their sign-in again."""
    op.execute("DROP TABLE device_code_failures")
    op.execute("DROP TABLE device_sign_ins")
