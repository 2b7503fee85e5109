"""Summaries of the sources of notebooks.

Revision ID: 0067
"""

from alembic import op

revision = "0067"
down_revision = "0066"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the table."""
    op.execute(
        """
        CREATE TABLE notebook_summaries (
            id BIGSERIAL PRIMARY KEY,
            notebook_id BIGINT NOT NULL REFERENCES notebooks ON DELETE CASCADE,
            fingerprint VARCHAR(64) NOT NULL,
            documents INTEGER NOT NULL CONSTRAINT notebook_summaries_documents_check CHECK (documents >= 1),
            content TEXT NOT NULL DEFAULT '',
            questions TEXT[] NOT NULL DEFAULT '{}',
            model VARCHAR(255) NOT NULL DEFAULT '',
            error TEXT,
            prompt_tokens BIGINT NOT NULL DEFAULT 0
                CONSTRAINT notebook_summaries_prompt_tokens_check CHECK (prompt_tokens >= 0),
            completion_tokens BIGINT NOT NULL DEFAULT 0
                CONSTRAINT notebook_summaries_completion_tokens_check CHECK (completion_tokens >= 0),
            cost NUMERIC(14, 8) NOT NULL DEFAULT 0 CONSTRAINT notebook_summaries_cost_check CHECK (cost >= 0),
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            UNIQUE (notebook_id, fingerprint)
        )
        """
    )


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP TABLE notebook_summaries")
