"""What entities of knowledge have said.

Revision ID: 0042
"""

from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table, with what is known now."""
    op.execute(
        """
        CREATE TABLE knowledge_revisions (
            knowledge_id BIGINT NOT NULL REFERENCES knowledge_entities ON DELETE CASCADE,
            revision INTEGER NOT NULL CONSTRAINT knowledge_revisions_revision_check CHECK (revision >= 1),
            level VARCHAR(50) NOT NULL CONSTRAINT knowledge_revisions_level_check
                CHECK (level IN ('public', 'organization', 'individual')),
            title VARCHAR(255) NOT NULL,
            content TEXT NOT NULL,
            category VARCHAR(100),
            tags JSONB NOT NULL DEFAULT '[]',
            user_id INTEGER REFERENCES users ON DELETE SET NULL,
            chat_session_id INTEGER REFERENCES chat_sessions ON DELETE SET NULL,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            PRIMARY KEY (knowledge_id, revision)
        )
        """
    )
    for column in ("user_id", "chat_session_id"):
        op.execute(
            f"CREATE INDEX idx_knowledge_revisions_{column} ON knowledge_revisions ({column})"
            f" WHERE {column} IS NOT NULL"
        )
    op.execute(
        """
        INSERT INTO knowledge_revisions (knowledge_id, revision, level, title, content, category, tags, user_id,
            chat_session_id, creation_date)
        SELECT id, revision, level, title, content, category, tags, user_id,
            CASE WHEN source_type = 'conversation' AND revision = 1 THEN source_session_id END, creation_date
        FROM knowledge_entities
        """
    )


def downgrade() -> None:
    """Remove it."""
    op.execute("DROP TABLE knowledge_revisions")
