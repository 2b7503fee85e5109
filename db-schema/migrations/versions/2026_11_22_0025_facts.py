"""Memories with validity, trust and sources; changes of facts whose vectors follow; how far sessions were learned from.

Revision ID: 0025
"""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add columns, tables and the trigger."""
    op.execute("UPDATE agent_memories SET embedding_id = gen_random_uuid()::text")
    op.execute(
        """
        ALTER TABLE agent_memories
            ALTER COLUMN embedding_id SET DEFAULT gen_random_uuid()::text,
            ALTER COLUMN embedding_id SET NOT NULL,
            ADD COLUMN confidence NUMERIC(3, 2) NOT NULL DEFAULT 0.5
                CONSTRAINT agent_memories_confidence_check CHECK (confidence BETWEEN 0 AND 1),
            ADD COLUMN trust VARCHAR(20) NOT NULL DEFAULT 'user_said'
                CONSTRAINT agent_memories_trust_check CHECK (trust IN ('user_said', 'user_confirmed', 'derived')),
            ADD COLUMN source_message_ids BIGINT[] NOT NULL DEFAULT '{}',
            ADD COLUMN valid_to TIMESTAMPTZ,
            ADD COLUMN superseded_by INTEGER REFERENCES agent_memories ON DELETE SET NULL,
            ADD CONSTRAINT agent_memories_superseded_by_check CHECK (superseded_by IS NULL OR valid_to IS NOT NULL)
        """
    )
    op.execute("CREATE INDEX idx_agent_memories_open ON agent_memories (user_id) WHERE valid_to IS NULL")
    op.execute(
        "CREATE INDEX idx_agent_memories_superseded_by ON agent_memories (superseded_by)"
        " WHERE superseded_by IS NOT NULL"
    )
    op.execute(
        """
        CREATE TABLE memory_sources (
            memory_id INTEGER NOT NULL REFERENCES agent_memories ON DELETE CASCADE,
            document_id BIGINT NOT NULL,
            PRIMARY KEY (memory_id, document_id)
        )
        """
    )
    op.execute(
        """
        CREATE TABLE fact_changes (
            kind VARCHAR(20) NOT NULL,
            fact_id BIGINT NOT NULL,
            changed_at TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
            PRIMARY KEY (kind, fact_id)
        )
        """
    )
    op.execute("CREATE INDEX idx_fact_changes_changed_at ON fact_changes (changed_at)")
    # In the transaction of the change, and also when a row goes by a foreign key: no vector outlives its row.
    op.execute(
        """
        CREATE FUNCTION note_fact_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            INSERT INTO fact_changes (kind, fact_id)
            VALUES (TG_ARGV[0], CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END)
            ON CONFLICT (kind, fact_id) DO UPDATE SET changed_at = clock_timestamp();
            RETURN NULL;
        END $$
        """
    )
    op.execute(
        "CREATE TRIGGER note_agent_memories_change AFTER INSERT OR DELETE OR UPDATE OF content, valid_to"
        " ON agent_memories FOR EACH ROW EXECUTE FUNCTION note_fact_change('memory')"
    )
    op.execute("INSERT INTO fact_changes (kind, fact_id) SELECT 'memory', id FROM agent_memories")
    op.execute(
        """
        CREATE TABLE session_learnings (
            chat_session_id INTEGER NOT NULL REFERENCES chat_sessions ON DELETE CASCADE,
            kind VARCHAR(20) NOT NULL
                CONSTRAINT session_learnings_kind_check CHECK (kind IN ('memory', 'knowledge')),
            last_message_id BIGINT NOT NULL,
            read_to TIMESTAMPTZ NOT NULL,
            PRIMARY KEY (chat_session_id, kind)
        )
        """
    )
    op.execute(
        "CREATE INDEX idx_chat_sessions_last_message_at ON chat_sessions (last_message_at) WHERE deleted_date IS NULL"
    )


def downgrade() -> None:
    """Remove them. History of memories is removed too, as it would look like what is known now."""
    op.execute("DROP INDEX idx_chat_sessions_last_message_at")
    op.execute("DROP TABLE session_learnings")
    op.execute("DROP TRIGGER note_agent_memories_change ON agent_memories")
    op.execute("DROP FUNCTION note_fact_change")
    op.execute("DROP TABLE fact_changes")
    op.execute("DROP TABLE memory_sources")
    op.execute("DELETE FROM agent_memories WHERE valid_to IS NOT NULL")
    op.execute(
        """
        ALTER TABLE agent_memories
            DROP COLUMN superseded_by,
            DROP COLUMN valid_to,
            DROP COLUMN source_message_ids,
            DROP COLUMN trust,
            DROP COLUMN confidence,
            ALTER COLUMN embedding_id DROP NOT NULL,
            ALTER COLUMN embedding_id DROP DEFAULT
        """
    )
