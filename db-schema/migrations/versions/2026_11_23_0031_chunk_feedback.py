"""Votes on the passages that answers cite, and the questions that they were cast on.

Revision ID: 0031
"""

from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables."""
    op.execute(
        """
        CREATE TABLE chunk_feedback (
            id BIGSERIAL PRIMARY KEY,
            message_id BIGINT NOT NULL REFERENCES chat_messages ON DELETE CASCADE,
            user_id INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
            document_id BIGINT NOT NULL REFERENCES documents ON DELETE CASCADE,
            chunk_id TEXT NOT NULL,
            chunking_session UUID,
            span_start INTEGER,
            span_end INTEGER,
            snippet TEXT NOT NULL,
            value SMALLINT NOT NULL CHECK (value IN (-1, 1)),
            feedback_text TEXT,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            last_update TIMESTAMPTZ,
            user_id_last_update INTEGER REFERENCES users ON DELETE SET NULL,
            UNIQUE (message_id, user_id, chunk_id),
            CONSTRAINT chunk_feedback_span_check CHECK (0 <= span_start AND span_start <= span_end)
        )
        """
    )
    op.execute("CREATE INDEX idx_chunk_feedback_document_id ON chunk_feedback (document_id, user_id, id)")
    op.execute("CREATE INDEX idx_chunk_feedback_user_id ON chunk_feedback (user_id)")
    op.execute("CREATE INDEX idx_chunk_feedback_creation_date ON chunk_feedback (creation_date, id)")
    op.execute(
        "CREATE TRIGGER update_chunk_feedback_last_update BEFORE UPDATE ON chunk_feedback"
        " FOR EACH ROW EXECUTE FUNCTION update_last_update_column()"
    )
    op.execute(
        """
        CREATE TABLE rated_questions (
            message_id BIGINT NOT NULL REFERENCES chat_messages ON DELETE CASCADE,
            number SMALLINT NOT NULL CHECK (number >= 1),
            model_id TEXT,
            vector BYTEA,
            terms BIGINT[] NOT NULL,
            creation_date TIMESTAMPTZ NOT NULL DEFAULT now(),
            PRIMARY KEY (message_id, number),
            CONSTRAINT rated_questions_vector_check CHECK ((model_id IS NULL) = (vector IS NULL))
        )
        """
    )
    # However the last vote on an answer goes, with its person, its document or by itself: its questions go with it.
    op.execute(
        """
        CREATE FUNCTION delete_unrated_questions() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            DELETE FROM rated_questions
            WHERE message_id IN (SELECT message_id FROM removed)
              AND NOT EXISTS (
                  SELECT FROM chunk_feedback WHERE chunk_feedback.message_id = rated_questions.message_id
              );
            RETURN NULL;
        END
        $$
        """
    )
    op.execute(
        "CREATE TRIGGER delete_unrated_questions AFTER DELETE ON chunk_feedback REFERENCING OLD TABLE AS removed"
        " FOR EACH STATEMENT EXECUTE FUNCTION delete_unrated_questions()"
    )


def downgrade() -> None:
    """Remove them."""
    op.execute("DROP TABLE rated_questions")
    op.execute("DROP TABLE chunk_feedback")
    op.execute("DROP FUNCTION delete_unrated_questions")
