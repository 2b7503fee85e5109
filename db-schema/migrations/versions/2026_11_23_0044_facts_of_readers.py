"""For whom there may be memories or knowledge, so that others' questions need not look for any.

Revision ID: 0044
"""

from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

_NOTE_CHANGE = """
    CREATE OR REPLACE FUNCTION note_fact_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        INSERT INTO fact_changes (kind, fact_id)
        VALUES (TG_ARGV[0], CASE TG_OP WHEN 'DELETE' THEN OLD.id ELSE NEW.id END)
        ON CONFLICT (kind, fact_id) DO UPDATE SET changed_at = clock_timestamp();
        {}RETURN NULL;
    END $$
"""
_NOTE_READERS = """IF TG_OP <> 'DELETE' THEN
            IF NEW.user_id IS NOT NULL THEN
                UPDATE users SET has_facts = true WHERE id = NEW.user_id AND NOT has_facts;
            END IF;
            IF TG_ARGV[0] = 'knowledge' THEN
                IF NEW.level <> 'individual' THEN
                    INSERT INTO installation_settings (has_shared_knowledge) VALUES (true)
                    ON CONFLICT (id) DO UPDATE SET has_shared_knowledge = true
                    WHERE NOT installation_settings.has_shared_knowledge;
                END IF;
            END IF;
        END IF;
        """


def upgrade() -> None:
    """Add the columns, with what there is now, and let the trigger keep them."""
    op.execute("ALTER TABLE users ADD COLUMN has_facts BOOLEAN NOT NULL DEFAULT false")
    op.execute("ALTER TABLE installation_settings ADD COLUMN has_shared_knowledge BOOLEAN NOT NULL DEFAULT false")
    op.execute(_NOTE_CHANGE.format(_NOTE_READERS))
    op.execute(
        """
        UPDATE users SET has_facts = true
        WHERE id IN (SELECT user_id FROM agent_memories UNION SELECT user_id FROM knowledge_entities)
        """
    )
    op.execute(
        """
        INSERT INTO installation_settings (has_shared_knowledge)
        SELECT true WHERE EXISTS (SELECT FROM knowledge_entities WHERE level <> 'individual')
        ON CONFLICT (id) DO UPDATE SET has_shared_knowledge = true
        """
    )


def downgrade() -> None:
    """Remove them."""
    op.execute(_NOTE_CHANGE.format(""))
    op.execute("ALTER TABLE users DROP COLUMN has_facts")
    op.execute("ALTER TABLE installation_settings DROP COLUMN has_shared_knowledge")
