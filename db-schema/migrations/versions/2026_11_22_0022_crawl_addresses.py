"""The addresses that a crawl has found.

Revision ID: 0022
"""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table."""
    # The collation makes all addresses of a path, which differ behind the `?`, one range of the index.
    op.execute(
        """
        CREATE TABLE crawl_addresses (
            id BIGSERIAL PRIMARY KEY,
            connector_id INTEGER NOT NULL REFERENCES connectors ON DELETE CASCADE,
            url TEXT COLLATE "C" NOT NULL CHECK (octet_length(url) BETWEEN 1 AND 2000),
            depth INTEGER NOT NULL CHECK (depth >= 0),
            status INTEGER NOT NULL DEFAULT 0,
            etag TEXT NOT NULL DEFAULT '',
            last_modified TEXT NOT NULL DEFAULT '',
            version TEXT NOT NULL DEFAULT '',
            rules TEXT NOT NULL DEFAULT '',
            UNIQUE (connector_id, url)
        )
        """
    )
    op.execute("CREATE INDEX idx_crawl_addresses_position ON crawl_addresses (connector_id, id)")


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP TABLE crawl_addresses")
