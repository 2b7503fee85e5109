"""Rerankers of servers.

Revision ID: 0081
"""

from alembic import op

revision = "0081"
down_revision = "0080"
branch_labels = None
depends_on = None

_STATEMENTS = (
    """
    CREATE TABLE rerankers (
        id SMALLSERIAL PRIMARY KEY,
        name VARCHAR(255) NOT NULL,
        protocol VARCHAR(20) NOT NULL,
        model_id VARCHAR(255) NOT NULL,
        endpoint TEXT NOT NULL,
        api_key TEXT,
        candidates INTEGER NOT NULL,
        timeout_ms INTEGER NOT NULL,
        is_active BOOLEAN NOT NULL DEFAULT FALSE,
        creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
        last_update TIMESTAMPTZ,
        user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL,
        deleted_date TIMESTAMPTZ,
        CONSTRAINT rerankers_protocol_check CHECK (protocol IN ('cohere', 'jina', 'vllm', 'tei')),
        CONSTRAINT rerankers_candidates_check CHECK (candidates >= 1),
        CONSTRAINT rerankers_timeout_ms_check CHECK (timeout_ms >= 1)
    )
    """,
    "CREATE UNIQUE INDEX idx_rerankers_name ON rerankers (name) WHERE deleted_date IS NULL",
    "CREATE UNIQUE INDEX idx_rerankers_active ON rerankers (is_active) WHERE is_active AND deleted_date IS NULL",
    """
    CREATE TRIGGER update_rerankers_last_update BEFORE UPDATE ON rerankers
    FOR EACH ROW EXECUTE FUNCTION update_last_update_column()
    """,
)


def upgrade() -> None:
    """Add the table."""
    for statement in _STATEMENTS:
        op.execute(statement)


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP TABLE rerankers")
