"""Embedding models of servers.

Revision ID: 0077
"""

from alembic import op

revision = "0077"
down_revision = "0076"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add what a server's model needs; until now an endpoint was stored without being used."""
    op.execute("UPDATE embedding_models SET endpoint = NULL WHERE endpoint IS NOT NULL")
    op.execute(
        "ALTER TABLE embedding_models"
        " ADD COLUMN protocol VARCHAR(20),"
        " ADD COLUMN api_key VARCHAR,"
        " ADD COLUMN query_prefix TEXT NOT NULL DEFAULT '',"
        " ADD COLUMN passage_prefix TEXT NOT NULL DEFAULT '',"
        " ADD COLUMN languages TEXT[] NOT NULL DEFAULT '{}',"
        " ADD COLUMN calibration JSONB,"
        " ADD CONSTRAINT embedding_models_protocol_check CHECK (protocol IN ('openai', 'tei')),"
        " ADD CONSTRAINT embedding_models_endpoint_check CHECK ((endpoint IS NULL) = (protocol IS NULL)),"
        " ADD CONSTRAINT embedding_models_calibration_check CHECK ((endpoint IS NULL) = (calibration IS NULL))"
    )


def downgrade() -> None:
    """Remove them, and hide models that cannot be used without them."""
    op.execute(
        "UPDATE embedding_models SET deleted_date = now(), index_state = NULL, is_active = FALSE"
        " WHERE endpoint IS NOT NULL"
    )
    op.execute(
        "ALTER TABLE embedding_models DROP COLUMN protocol, DROP COLUMN api_key, DROP COLUMN query_prefix,"
        " DROP COLUMN passage_prefix, DROP COLUMN languages, DROP COLUMN calibration"
    )
